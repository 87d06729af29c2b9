import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const NEW_BYTES = 32;
/** The bytes that a secret may have (Standard Webhooks 1.0.0). */
const LENGTH = { least: 24, most: 64 };

/** Returns a new secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(NEW_BYTES).toString('base64');
}

/** Returns why a text cannot be a secret; null: it can. */
export function webhookSecretProblem(text: string): string | null {
  if (!text.startsWith(PREFIX)) return `must begin with ${PREFIX}`;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  // Other alphabets, missing padding and stray characters would give another key at the receiver.
  if (bytes.toString('base64') !== encoded) return `must be ${PREFIX} and standard base64 with its padding`;
  if (bytes.length < LENGTH.least || bytes.length > LENGTH.most) {
    return `must hold ${LENGTH.least} to ${LENGTH.most} bytes`;
  }
  return null;
}

/**
 * Returns the value of `webhook-signature`: one signature for each secret, separated by a space (Standard Webhooks
 * 1.0.0). The key is the decoded bytes of the secret. The body is signed as the UTF-8 bytes that are sent.
 *
 * @param id the id of the message; it must not contain a dot, which separates the signed parts
 * @param timestampSeconds of this attempt, in whole seconds since 1970
 * @param secrets as `whsec_…`, newest first; at least one
 */
export function signatureHeader(
  id: string,
  timestampSeconds: number,
  body: string,
  secrets: readonly string[],
): string {
  if (secrets.length === 0) throw new Error('a message is never sent without a signature');
  const signed = `${id}.${timestampSeconds}.${body}`;
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`;
    })
    .join(' ');
}
