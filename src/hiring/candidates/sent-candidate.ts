import { InvalidFields } from '../../base/errors/domain-error.js';
import type { BridgeRequest } from '../../base/http/request.js';
import { jsonMemberText } from '../../base/json-text.js';
import { present } from '../../base/present.js';
import type { Metadata } from './candidate.js';
import { metadataTextProblem, NO_METADATA, readCandidateMetadata } from './metadata.rules.js';

type Sent = Pick<BridgeRequest, 'rawBody'>;

/**
 * Returns the fields of a validated body that were sent, with the metadata as written in the request.
 *
 * @throws {InvalidFields} for metadata over 16 KiB
 */
export function sentFields<T extends { metadata?: object | null }>(
  req: Sent,
  body: T,
): Omit<T, 'metadata'> & { metadata?: Metadata } {
  const { metadata, ...fields } = body;
  return { ...present(fields), ...(metadata === undefined ? {} : { metadata: sentMetadata(req, metadata) }) };
}

function sentMetadata({ rawBody }: Sent, value: object | null): Metadata {
  if (value === null) return NO_METADATA;
  const text = rawBody === undefined ? null : jsonMemberText(rawBody.toString(), 'metadata');
  if (text === null) throw new Error('a body with metadata was read without its bytes');
  const problem = metadataTextProblem(text);
  if (problem !== null) throw new InvalidFields([{ field: 'metadata', message: problem }]);
  return readCandidateMetadata(text, value);
}
