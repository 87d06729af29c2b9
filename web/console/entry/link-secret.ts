/**
 * Takes the secret of a one-use link out of the address.
 *
 * @returns the secret, or null
 */
export function secretFromAddress(): string | null {
  const secret = /^#link=(.+)$/.exec(location.hash)?.[1] ?? null;
  if (secret !== null) history.replaceState(null, '', location.pathname + location.search);
  return secret;
}
