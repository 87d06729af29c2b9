import type { Credential } from '../api/credential.js';

/** The tokens of a grant. */
export interface Grant {
  credential: Extract<Credential, { kind: 'oauth' }>;
  /** Null: the answer names none. */
  scopes: string[] | null;
}

/** Tokens are visible ASCII (RFC 6749 appendix A.12), and no vendor's is longer. */
const TOKEN = /^[\x20-\x7e]{1,8192}$/;
/** Without a word about it an access token is taken to live so long. */
const USUAL_SECONDS = 3_600;
const LONGEST_SECONDS = 366 * 86_400;

/**
 * Returns the grant of a token answer (RFC 6749 §5.1), or null where it has no grant. Greenhouse sends when a token ends
 * (`expires_at`), others after how many seconds.
 *
 * @param before the refresh token that was used: it stays where the answer names no new one
 */
export function grantOf(answer: unknown, before: string | null, now: Date): Grant | null {
  if (answer === null || typeof answer !== 'object') return null;
  const { access_token: access, refresh_token: refresh, scope } = answer as Record<string, unknown>;
  if (!isToken(access)) return null;
  if (refresh !== undefined && refresh !== null && !isToken(refresh)) return null;
  return {
    credential: {
      kind: 'oauth',
      accessToken: access,
      expiresAt: endOf(answer as Record<string, unknown>, now).toISOString(),
      refreshToken: typeof refresh === 'string' ? refresh : before,
      refreshedAt: now.toISOString(),
    },
    scopes: typeof scope === 'string' ? scope.split(/[ +,]/).filter((one) => one !== '') : null,
  };
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

function endOf({ expires_in: seconds, expires_at: at }: Record<string, unknown>, now: Date): Date {
  const latest = now.getTime() + LONGEST_SECONDS * 1_000;
  const parsed = typeof at === 'string' ? Date.parse(at) : NaN;
  if (!Number.isNaN(parsed)) return new Date(Math.min(parsed, latest));
  const told = Number(seconds);
  const life = Number.isFinite(told) && told > 0 ? told : USUAL_SECONDS;
  return new Date(Math.min(now.getTime() + life * 1_000, latest));
}

/** The part of its life after which an access token is renewed. */
const RENEWED_AT = 0.8;

/** Returns whether an access token is renewed before the next call. */
export function isDue({ expiresAt, refreshedAt }: { expiresAt: string; refreshedAt: string }, now: Date): boolean {
  const from = Date.parse(refreshedAt);
  return now.getTime() >= from + (Date.parse(expiresAt) - from) * RENEWED_AT;
}

/**
 * Returns when a grant that nothing uses is renewed so that it stays alive: after half of the time in which a refresh
 * token ends without use; null: it does not end so.
 */
export function keepAliveAt(credential: Credential, refreshIdleMs: number | null): Date | null {
  if (credential.kind !== 'oauth' || credential.refreshToken === null || refreshIdleMs === null) return null;
  return new Date(Date.parse(credential.refreshedAt) + refreshIdleMs / 2);
}
