import type { JsonObject } from './json.rules.js';

/**
 * The claims of an ID token over those of UserInfo. In: both verified to be of one subject; null: UserInfo was not
 * read. Out: an object without a prototype, so that no claim is taken for something that is built in.
 *
 * An address and whether it is verified are one statement: `email_verified` of one source says nothing about another
 * address in the other.
 */
export function mergeClaims(idToken: JsonObject, userInfo: JsonObject | null): Readonly<Record<string, unknown>> {
  const claims = Object.create(null) as JsonObject;
  if (userInfo !== null) {
    for (const [name, value] of Object.entries(userInfo)) claims[name] = value;
    if (idToken['email'] !== undefined && idToken['email'] !== userInfo['email']) delete claims['email_verified'];
  }
  for (const [name, value] of Object.entries(idToken)) {
    const isAboutOther = name === 'email_verified' && idToken['email'] === undefined && claims['email'] !== undefined;
    if (!isAboutOther) claims[name] = value;
  }
  return claims;
}
