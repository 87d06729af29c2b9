import { withoutNulls, type IdpObject } from './json.rules.js';

/**
 * Merges the claims of an ID token over those of UserInfo. A claim that is null is absent. The result has no prototype,
 * so that no claim is mistaken for a built-in member.
 *
 * `email_verified` belongs to the e-mail of its own source: it says nothing about another e-mail in the other source.
 * Of one e-mail, or when the ID token has none, an unverified mark in either source wins.
 *
 * @param token claims of a verified ID token
 * @param info claims of UserInfo for the same subject; null: it was not read
 */
export function mergeClaims(token: IdpObject, info: IdpObject | null): Readonly<Record<string, unknown>> {
  const idToken = withoutNulls(token);
  const userInfo = info === null ? null : withoutNulls(info);
  const claims = Object.create(null) as IdpObject;
  for (const from of [userInfo ?? {}, idToken]) for (const [name, value] of Object.entries(from)) claims[name] = value;
  if (userInfo === null) return claims;
  delete claims['email_verified'];
  const verified = verificationOf(idToken, userInfo);
  if (verified !== undefined) claims['email_verified'] = verified;
  return claims;
}

/** Returns the mark for the e-mail that counts: that of the ID token, else that of UserInfo. */
function verificationOf(idToken: IdpObject, userInfo: IdpObject): unknown {
  const [first, second] = [idToken['email_verified'], userInfo['email_verified']];
  const named = [idToken['email'], userInfo['email']];
  if (named[0] === undefined && named[1] !== undefined) return isDoubt(first) ? first : second;
  const same = named[0] !== undefined && addressOf(named[0]) === addressOf(named[1]);
  if (!same) return first;
  return isDoubt(second) ? second : (first ?? second);
}

/** A mark that is present and is not a yes. */
function isDoubt(verified: unknown): boolean {
  return verified !== undefined && verified !== true && verified !== 'true';
}

function addressOf(email: unknown): unknown {
  return typeof email === 'string' ? email.trim().toLowerCase() : email;
}
