/** Returns the bytes of each key of a list, such as that of `ENCRYPTION_KEY`. */
export function keysIn(text: string): Buffer[] {
  return text.split(',').map((part) => Buffer.from(part.slice(part.indexOf(':') + 1).trim(), 'base64'));
}

/**
 * Returns whether a secret was visibly not made at random: it has few different bytes, repeats a pattern, or its bytes rise
 * or fall by the same step. 16 random hex digits pass, with one exception in a million.
 */
export function isWeak(secret: Uint8Array): boolean {
  if (new Set(secret).size < Math.min(8, secret.length / 4)) return true;
  return isPeriodic(secret) || isPeriodic(secret.slice(1).map((byte, i) => byte - secret[i]!));
}

/** Returns whether the bytes repeat a part of at most half their length. */
function isPeriodic(bytes: Uint8Array): boolean {
  for (let period = 1; period <= bytes.length / 2; period++) {
    if (bytes.every((byte, i) => i < period || byte === bytes[i - period])) return true;
  }
  return false;
}
