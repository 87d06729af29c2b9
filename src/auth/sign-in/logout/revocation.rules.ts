import { InvalidFields, MalformedRequest } from '../../../base/errors/domain-error.js';
import { checkIssuer, checkTimes, MAX_AGE, SKEW } from '../../../protocols/oidc/id-token.rules.js';
import { shorten, withoutNulls } from '../../../protocols/oidc/json.rules.js';
import type { SignedToken } from '../../../protocols/oidc/jwt.rules.js';
import { OidcRefused } from '../../../protocols/oidc/oidc-refused.js';
import { SignInRefused } from '../sign-in.errors.js';

/** The bearer token of a revocation. The user is named in the body, which the token does not sign. */
export interface RevocationProof {
  /** By the clock of the IdP. */
  issuedAt: Date;
  /** The id to store until this time, so that the token counts once. */
  once: { id: string; until: Date };
}

const TYPES = ['global-token-revocation+jwt', 'application/global-token-revocation+jwt'];
const MAX_ID = 255;

/**
 * Checks the claims of the token of a global token revocation, whose signature the caller checks. The IdP signs other tokens
 * with the same keys, so type and audience have to match exactly.
 *
 * @throws {SignInRefused} `token_refused`
 */
export function checkRevocationToken(
  { claims: written, header }: SignedToken,
  expected: { issuer: string; audience: string },
  now: Date,
): RevocationProof {
  const claims = withoutNulls(written);
  if (header.typ === null || !TYPES.includes(header.typ)) {
    throw refused(`is of another type (${header.typ === null ? 'none' : shorten(header.typ, 40)})`);
  }
  try {
    checkIssuer(claims, expected.issuer, 'revocation token');
    checkTimes(claims, now, 'revocation token');
  } catch (error) {
    throw error instanceof OidcRefused ? new SignInRefused('token_refused', error.message) : error;
  }
  const { aud, jti } = claims;
  const [audience, ...others] = Array.isArray(aud) ? (aud as unknown[]) : [aud];
  if (audience !== expected.audience || others.length > 0) throw refused('is not for this address (aud)');
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID) throw refused('needs a jti of 1 to 255 characters');
  const [exp, iat] = [claims['exp'] as number, claims['iat'] as number];
  const until = new Date((Math.min(exp, iat + MAX_AGE) + SKEW) * 1000);
  return { issuedAt: new Date(iat * 1000), once: { id: jti, until } };
}

function refused(problem: string): SignInRefused {
  return new SignInRefused('token_refused', `The revocation token ${problem}.`);
}

/** RFC 9493 §3.2. */
export type SubjectId =
  | { format: 'email'; email: string }
  | { format: 'iss_sub'; iss: string; sub: string }
  | { format: 'opaque'; id: string };

const SUBJECT_FORMATS = { email: ['email'], iss_sub: ['iss', 'sub'], opaque: ['id'] } as const;

const MAX_TEXT = 1_024;

/**
 * Reads the body of a global token revocation. Unknown members are ignored (RFC 9493 §3).
 *
 * @throws {MalformedRequest} when the body is not an object
 * @throws {InvalidFields} when `sub_id` is missing or wrong
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
