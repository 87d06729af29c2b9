import { InvalidFields } from '../../base/errors/domain-error.js';
import { jsonMemberText } from '../../base/http/json-member.js';
import type { BridgeRequest } from '../../base/http/request.js';
import type { CandidateChange, CandidateFields, Metadata } from './candidate.js';
import type { ChangeCandidate, CreateCandidate, PutCandidate } from './candidate.dto.js';
import { metadataTextProblem, NO_METADATA, readCandidateMetadata } from './metadata.rules.js';

type Sent = Pick<BridgeRequest, 'rawBody'>;

/**
 * Returns the candidate of a validated body, with the metadata as written in the request.
 *
 * @throws {InvalidFields} for metadata over 16 KiB
 */
export function candidateChangeOf(req: Sent, body: ChangeCandidate): CandidateChange {
  const { email, first_name, last_name, external_id, job_title, metadata } = body;
  return {
    ...(email === undefined ? {} : { email }),
    ...(first_name === undefined ? {} : { first_name }),
    ...(last_name === undefined ? {} : { last_name }),
    ...(external_id === undefined ? {} : { external_id }),
    ...(job_title === undefined ? {} : { job_title }),
    ...(metadata === undefined ? {} : { metadata: sentMetadata(req, metadata) }),
  };
}

/**
 * Returns the fields of a candidate that may be new.
 *
 * @throws {InvalidFields} for metadata over 16 KiB
 */
export function candidateFieldsOf(
  req: Sent,
  body: CreateCandidate | PutCandidate,
  externalId: string,
): CandidateFields {
  const { email, first_name, last_name, job_title, metadata } = body;
  return {
    email,
    first_name,
    last_name,
    external_id: externalId,
    ...(job_title === undefined ? {} : { job_title }),
    ...(metadata === undefined ? {} : { metadata: sentMetadata(req, metadata) }),
  };
}

function sentMetadata({ rawBody }: Sent, value: object | null): Metadata {
  if (value === null) return NO_METADATA;
  const text = rawBody === undefined ? null : jsonMemberText(rawBody, 'metadata');
  if (text === null) throw new Error('a body with metadata was read without its bytes');
  const problem = metadataTextProblem(text);
  if (problem !== null) throw new InvalidFields([{ field: 'metadata', message: problem }]);
  return readCandidateMetadata(text, value);
}
