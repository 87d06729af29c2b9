import { constants, createDecipheriv, privateDecrypt } from 'node:crypto';
import type { SamlKeyPair } from './saml-settings.js';
import { SamlRefused } from './saml-refused.js';
import type { EncryptedParts, WrappedKey } from './encryption.rules.js';
import { unpadOaep } from './oaep.rules.js';
import { decodeUtf8 } from './xml-scan.js';

const TAG = 16;

/**
 * Decrypts an element with each of our keys in turn. Every failure is the same refusal, so that no step becomes a
 * padding oracle.
 *
 * @throws {SamlRefused} `decryption_failed`
 */
export function decrypt(parts: EncryptedParts, keys: readonly SamlKeyPair[]): string {
  for (const key of parts.keys) {
    for (const { privateKey } of keys) {
      const plain = open(parts, unwrap(privateKey, key));
      if (plain !== null) return plain;
    }
  }
  throw new SamlRefused(
    'decryption_failed',
    'The encrypted part of the message could not be opened with any of our keys.',
  );
}

function unwrap(privateKey: string, { wrapped, digest, mask }: WrappedKey): Buffer | null {
  try {
    if (digest === mask) {
      const padding = constants.RSA_PKCS1_OAEP_PADDING;
      return privateDecrypt({ key: privateKey, padding, oaepHash: digest }, wrapped);
    }
    // Node.js knows OAEP with one hash only.
    const padded = privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, wrapped);
    return unpadOaep(padded, digest, mask);
  } catch {
    return null; // encrypted for another key, or not at all
  }
}

function open({ cipher, content }: EncryptedParts, key: Buffer | null): string | null {
  if (key === null) return null;
  try {
    return decodeUtf8(cipher.endsWith('gcm') ? openGcm(cipher, key, content) : openCbc(cipher, key, content));
  } catch {
    return null;
  }
}

/** Decrypts AES-GCM: a nonce of 12 bytes in front, a tag of 16 bytes behind (XML Encryption 1.1 §5.2.4). */
function openGcm(cipher: string, key: Buffer, content: Buffer): Buffer {
  const decipher = createDecipheriv(cipher as 'aes-256-gcm', key, content.subarray(0, 12), { authTagLength: TAG });
  decipher.setAuthTag(content.subarray(-TAG));
  return Buffer.concat([decipher.update(content.subarray(12, -TAG)), decipher.final()]);
}

/**
 * Decrypts AES-CBC. The last byte is the number of padding bytes; the others may have any value (XML Encryption 1.1
 * §5.2).
 */
function openCbc(cipher: string, key: Buffer, content: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, content.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(content.subarray(16)), decipher.final()]);
  const padding = padded[padded.length - 1] ?? 0;
  if (padding < 1 || padding > 16 || padding > padded.length) throw new Error('padding');
  return padded.subarray(0, padded.length - padding);
}
