import { InvalidFields, MalformedRequest } from '../../../base/errors/domain-error.js';

/** The user whom an IdP names (RFC 9493 §3.2). */
export type SubjectId =
  | { format: 'email'; email: string }
  | { format: 'iss_sub'; iss: string; sub: string }
  | { format: 'opaque'; id: string };

/** The supported formats with their members. */
const SUBJECT_FORMATS = { email: ['email'], iss_sub: ['iss', 'sub'], opaque: ['id'] } as const;

const MAX_TEXT = 1_024;

/**
 * Reads the body of a global token revocation. Unknown members are ignored (RFC 9493 §3).
 *
 * @throws {MalformedRequest} when the body is not an object
 * @throws {InvalidFields} when `sub_id` is missing or wrong; names the member
 */
export function readSubject(body: unknown): SubjectId {
  if (body !== undefined && !isRecord(body)) throw new MalformedRequest('The body must be a JSON object.');
  const subject = body?.['sub_id'];
  if (!isRecord(subject)) throw invalid('sub_id', subject === undefined ? 'is required' : 'must be an object');
  const { format } = subject;
  if (format === 'email') return { format, email: member(subject, 'email') };
  if (format === 'iss_sub') return { format, iss: member(subject, 'iss'), sub: member(subject, 'sub') };
  if (format === 'opaque') return { format, id: member(subject, 'id') };
  throw invalid('sub_id.format', `must be one of: ${Object.keys(SUBJECT_FORMATS).join(', ')}`);
}

function member(subject: Record<string, unknown>, name: string): string {
  const value = subject[name];
  if (value === undefined) throw invalid(`sub_id.${name}`, 'is required');
  if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT && !value.includes('\0')) return value;
  throw invalid(`sub_id.${name}`, `must be a text of 1 to ${MAX_TEXT} characters`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function invalid(field: string, message: string): InvalidFields {
  return new InvalidFields([{ field, message }]);
}
