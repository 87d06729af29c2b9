import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface EncryptionKey {
  id: string;
  key: Buffer;
}

const NO_KEY = 'none of the keys in the settings opens this secret: it was sealed with another key, changed or moved';

/** A secret does not open: its key is not in the settings, or the secret was moved or changed. */
export class SealError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SealError';
  }
}

const IV = 12;
const TAG = 16;

/**
 * Encrypts stored secrets with AES-256-GCM, as `v1.<key id>.<iv, tag and ciphertext>`. The additional data binds a secret to
 * its tenant and column (`ten_…:destinations.key`), so that it does not open in the row of another tenant.
 */
export class Sealer {
  private readonly current: EncryptionKey;

  constructor(private readonly keys: readonly EncryptionKey[]) {
    const [current] = keys;
    if (current === undefined) throw new SealError('there is no encryption key');
    this.current = current;
  }

  /** The sealing key first. */
  get keyIds(): readonly string[] {
    return this.keys.map(({ id }) => id);
  }

  get currentKeyId(): string {
    return this.current.id;
  }

  seal(text: string, aad: string): string {
    const iv = randomBytes(IV);
    const cipher = createCipheriv('aes-256-gcm', this.current.key, iv);
    cipher.setAAD(Buffer.from(aad));
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `v1.${this.current.id}.${Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
  }

  /**
   * Opens a secret that was sealed with the same additional data. The id beside the secret is only a hint: keys can be renamed,
   * and an id can belong to another key later. So every key of the settings is tried; GCM authenticates, so a wrong key never
   * opens a secret.
   *
   * @throws {SealError} when no key of the settings opens it
   */
  unseal(sealed: string, aad: string): string {
    const id = this.keyIdOf(sealed);
    const hinted = this.keys.filter((each) => each.id === id);
    let cause: unknown;
    for (const { key } of [...hinted, ...this.keys.filter((each) => each.id !== id)]) {
      try {
        return open(sealed, key, aad);
      } catch (error) {
        cause ??= error;
      }
    }
    throw new SealError(NO_KEY, cause);
  }

  /** Returns null for a secret that no key of the settings opens, for callers that can do without it. */
  unsealOrNull(sealed: string, aad: string): string | null {
    try {
      return this.unseal(sealed, aad);
    } catch (error) {
      if (error instanceof SealError) return null;
      throw error;
    }
  }

  isCurrent(sealed: string, aad: string): boolean {
    if (!sealed.startsWith(`v1.${this.current.id}.`)) return false;
    try {
      open(sealed, this.current.key, aad);
      return true;
    } catch {
      return false;
    }
  }

  keyIdOf(sealed: string): string {
    const [version, id] = sealed.split('.', 2);
    if (version !== 'v1' || id === undefined) throw new SealError('this is not an encrypted secret');
    return id;
  }

  /** Derives a key for another purpose, which does not reveal the encryption key. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.current.key, '', `talent-bridge ${purpose}`, 32));
  }
}

function open(sealed: string, key: Buffer, aad: string): string {
  const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf('.') + 1), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(bytes.subarray(IV, IV + TAG));
  return Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]).toString('utf8');
}
