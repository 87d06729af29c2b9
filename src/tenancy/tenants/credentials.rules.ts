import { parseToken } from '../../base/crypto/tokens.js';

/**
 * The problem of a credential's form. The answer may contain it: the form reveals nothing about existing credentials.
 * `foreign`: no credential of this service.
 */
type FormProblem = 'incomplete' | 'doubled_bearer' | 'no_bearer' | 'other_kind' | 'foreign';

interface CredentialForm {
  problem: FormProblem | null;
  /** Null when the header has no text like a credential of this service. */
  named: { kind: string; tenantId: string } | null;
}

const NAMED = /([Bb]earer )?(tb[ksoncrliaewgd])_([0-9a-z]{8,40})_[0-9A-Za-z]*/;
const MOST_READ = 300;

const WORDS: Record<FormProblem, string> = {
  incomplete:
    'The credential is incomplete or was changed: its length or its checksum is wrong. Copy it again as a whole.',
  doubled_bearer:
    'The header has the word Bearer twice. Enter the token alone: the program that sends it adds Bearer itself.',
  no_bearer: 'The header has no word Bearer before the credential: Authorization: Bearer <token>.',
  other_kind: 'The credential is of another kind. An API key begins with tbk_, a SCIM token with tbs_.',
  foreign: 'The credential is not one of this service. An API key begins with tbk_, a SCIM token with tbs_.',
};

/** `kind` is that of the address: `tbk` for an API key, `tbs` for a SCIM token or an access token (`tba`). */
export function credentialForm(header: string, kind: 'tbk' | 'tbs'): CredentialForm {
  const text = header.slice(0, MOST_READ);
  const found = NAMED.exec(text);
  if (found === null) return { problem: 'foreign', named: null };
  const [token, bearer = '', ownKind, tenant] = found;
  const named = { kind: ownKind!, tenantId: `ten_${tenant!}` };
  const before = text.slice(0, found.index + token.length).toLowerCase();
  const isAccessToken = kind === 'tbs' && ownKind === 'tba';
  if (ownKind !== kind && !isAccessToken) return { problem: 'other_kind', named };
  if (before.includes('bearer bearer')) return { problem: 'doubled_bearer', named };
  if (bearer === '' && !/^bearer\s/i.test(text)) return { problem: 'no_bearer', named };
  return { problem: parseToken(text.slice(found.index + bearer.length)) === null ? 'incomplete' : null, named };
}

export function wordsOfForm(problem: FormProblem): string {
  return WORDS[problem];
}

export const MAX_LIFETIME_MS = 366 * 86_400_000;

/** Returns the problem of a credential's end, or null when it is in the future and at most a year away. */
export function expiryProblem(value: Date, now: Date): string | null {
  if (value.getTime() <= now.getTime()) return 'must be in the future';
  return value.getTime() - now.getTime() > MAX_LIFETIME_MS ? 'must be at most a year from now' : null;
}

/**
 * Returns the end of a credential that replaces another one. A rotation never removes an end, unless the request does.
 *
 * @param asked from the request: a date, null for a credential that does not end, undefined for the lifetime of the old
 *   one from now on, at most a year
 */
export function rotatedExpiry(
  old: { readonly created_at: Date; readonly expires_at: Date | null },
  asked: Date | null | undefined,
  now: Date,
): Date | null {
  if (asked !== undefined || old.expires_at === null) return asked ?? null;
  const lifetime = old.expires_at.getTime() - old.created_at.getTime();
  return new Date(now.getTime() + Math.min(lifetime, MAX_LIFETIME_MS));
}

/** Days before the end of a credential at which its tenant is notified, the earliest first. */
export const CREDENTIAL_NOTICE_DAYS = [30, 7, 1] as const;

/** Returns the last of `CREDENTIAL_NOTICE_DAYS` that a credential has passed, or null. */
export function noticeAt(expiresAt: Date, now: Date): number | null {
  const left = (expiresAt.getTime() - now.getTime()) / 86_400_000;
  return CREDENTIAL_NOTICE_DAYS.filter((days) => left <= days).at(-1) ?? null;
}
