import { withoutNulls, type JsonObject } from './json.rules.js';

/**
 * The claims of an ID token over those of UserInfo. In: both verified to be of one subject; null: UserInfo was not
 * read. A claim that is null is absent. Out: an object without a prototype, so that no claim is taken for something that
 * is built in.
 *
 * An address and whether it is verified are one statement: that one source has verified its address says nothing about
 * another one in the other. Doubt weighs more: of one address, or where the ID token names none, either may have it.
 */
export function mergeClaims(token: JsonObject, info: JsonObject | null): Readonly<Record<string, unknown>> {
  const idToken = withoutNulls(token);
  const userInfo = info === null ? null : withoutNulls(info);
  const claims = Object.create(null) as JsonObject;
  for (const from of [userInfo ?? {}, idToken]) for (const [name, value] of Object.entries(from)) claims[name] = value;
  if (userInfo === null) return claims;
  delete claims['email_verified'];
  const verified = verificationOf(idToken, userInfo);
  if (verified !== undefined) claims['email_verified'] = verified;
  return claims;
}

/** What the two say about the address that counts: the ID token's, or where it names none, that of UserInfo. */
function verificationOf(idToken: JsonObject, userInfo: JsonObject): unknown {
  const [first, second] = [idToken['email_verified'], userInfo['email_verified']];
  const named = [idToken['email'], userInfo['email']];
  if (named[0] === undefined && named[1] !== undefined) return isDoubt(first) ? first : second;
  const same = named[0] !== undefined && addressOf(named[0]) === addressOf(named[1]);
  if (!same) return first;
  return isDoubt(second) ? second : (first ?? second);
}

/** Neither a yes nor nothing; what makes a yes, see `claimedAccount`. */
function isDoubt(verified: unknown): boolean {
  return verified !== undefined && verified !== true && verified !== 'true';
}

function addressOf(email: unknown): unknown {
  return typeof email === 'string' ? email.trim().toLowerCase() : email;
}
