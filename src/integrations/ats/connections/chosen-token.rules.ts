import { measuredBits } from '../../../base/crypto/measured-bits.js';

/** The token is often the only proof of a webhook: it has to resist guessing as an API key does. */
const LEAST = { length: 24, bits: 128 };
const MOST = 200;

/** What a token of the webhook address has to be. The answer for one that another tenant uses is the same. */
export const TOKEN_RULE =
  `must be ${LEAST.length} to ${MOST} visible ASCII characters without spaces, made by chance (${LEAST.bits} bits), and used ` +
  'nowhere else; leave it out, and one is made';

/** Returns why a text cannot be the token of a webhook address; null: it can. */
export function chosenTokenProblem(value: unknown): string | null {
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) return TOKEN_RULE;
  const fits = value.length >= LEAST.length && value.length <= MOST && measuredBits(value) >= LEAST.bits;
  return fits ? null : TOKEN_RULE;
}
