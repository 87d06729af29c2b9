import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { canonicalJson } from '../../base/crypto/chain.js';
import { Database } from '../../base/database/database.js';
import type { HeadSignature } from './chain.rules.js';

interface Endorsement {
  readonly keyId: string;
  /** SPKI, DER. */
  readonly publicKey: Buffer;
  readonly endorsedBy: string;
  readonly signature: Buffer;
}

interface PublicChainKey {
  readonly key_id: string;
  readonly algorithm: 'Ed25519';
  /** SPKI as PEM. */
  readonly public_key: string;
  readonly current: boolean;
}

// RFC 8410: the DER prefix of the 32 bytes of an Ed25519 private key in PKCS #8.
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The Ed25519 keys for heads of chains. The first seed signs; the others verify. A key that has left the settings stays
 * trusted if a key of the settings has endorsed it.
 */
export class KeyRing {
  private readonly trusted = new Map<string, KeyObject>();
  private readonly privateKey: KeyObject;
  readonly currentId: string;

  /** @param seeds 32 bytes each, the current one first */
  constructor(seeds: readonly Buffer[]) {
    const keys = seeds.map((seed) =>
      createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' }),
    );
    this.privateKey = keys[0]!;
    for (const key of keys) {
      const publicKey = createPublicKey(key);
      this.trusted.set(keyIdOf(publicKey), publicKey);
    }
    this.currentId = [...this.trusted.keys()][0]!;
  }

  sign(text: string): HeadSignature {
    return { keyId: this.currentId, signature: sign(null, Buffer.from(text, 'utf8'), this.privateKey) };
  }

  verifies(text: string, { keyId, signature }: HeadSignature): boolean {
    const key = this.trusted.get(keyId);
    return key !== undefined && verify(null, Buffer.from(text, 'utf8'), key, signature);
  }

  knows(keyId: string): boolean {
    return this.trusted.has(keyId);
  }

  /** Trusts every key that a trusted key has endorsed, in any number of steps. */
  learn(endorsements: readonly Endorsement[]): void {
    for (let before = -1; before !== this.trusted.size;) {
      before = this.trusted.size;
      for (const { keyId, publicKey, endorsedBy, signature } of endorsements) {
        if (this.trusted.has(keyId)) continue;
        if (!this.verifies(endorsementText(keyId, publicKey), { keyId: endorsedBy, signature })) continue;
        const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
        if (keyIdOf(key) === keyId) this.trusted.set(keyId, key);
      }
    }
  }

  endorsements(): Endorsement[] {
    return [...this.trusted].map(([keyId, key]) => {
      const publicKey = key.export({ format: 'der', type: 'spki' });
      const { signature } = this.sign(endorsementText(keyId, publicKey));
      return { keyId, publicKey, endorsedBy: this.currentId, signature };
    });
  }

  publicKeys(): PublicChainKey[] {
    return [...this.trusted].map(([keyId, key]) => ({
      key_id: keyId,
      algorithm: 'Ed25519',
      public_key: key.export({ format: 'pem', type: 'spki' }).toString(),
      current: keyId === this.currentId,
    }));
  }
}

/** The first 16 hex digits of the SHA-256 of the SPKI form. */
function keyIdOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest('hex')
    .slice(0, 16);
}

function endorsementText(keyId: string, publicKey: Buffer): string {
  return canonicalJson({
    type: 'talent-bridge.chain-key.v1',
    key_id: keyId,
    public_key: publicKey.toString('base64'),
  });
}

/**
 * Signs and verifies heads of chains. Private keys come from the settings and never from the database, so write access
 * to the database is not enough to sign. The database stores public keys with the endorsement of a later key:
 * signatures of an old key stay verifiable after it has left the settings.
 */
@Injectable()
export class ChainKeys {
  private readonly ring: KeyRing;
  private loaded: Promise<void> | undefined;

  constructor(
    config: Config,
    private readonly db: Database,
  ) {
    this.ring = new KeyRing(config.chainKeys.map(({ key }) => key));
  }

  /**
   * Exchanges keys with the database, once; `anew` repeats it to read the keys of other processes. Never inside a
   * transaction, since it takes a connection of its own.
   */
  async ready(anew = false): Promise<void> {
    if (anew) this.loaded = undefined;
    await this.load();
  }

  /** Call `ready` before, so that a later key can endorse this one. */
  sign(text: string): HeadSignature {
    return this.ring.sign(text);
  }

  verifies(text: string, signature: HeadSignature): boolean {
    return this.ring.verifies(text, signature);
  }

  publicKeys(): PublicChainKey[] {
    return this.ring.publicKeys();
  }

  private load(): Promise<void> {
    this.loaded ??= this.exchange().catch((error: unknown) => {
      this.loaded = undefined;
      throw error;
    });
    return this.loaded;
  }

  private async exchange(): Promise<void> {
    const { rows } = await this.db.query<{
      key_id: string;
      public_key: Buffer;
      endorsed_by: string;
      endorsement: Buffer;
    }>(`select key_id, public_key, endorsed_by, endorsement from chain_keys`);
    this.ring.learn(
      rows.map((row) => ({
        keyId: row.key_id,
        publicKey: row.public_key,
        endorsedBy: row.endorsed_by,
        signature: row.endorsement,
      })),
    );
    const known = new Set(rows.map((row) => `${row.key_id} ${row.endorsed_by}`));
    for (const each of this.ring.endorsements()) {
      if (!known.has(`${each.keyId} ${each.endorsedBy}`)) await this.keep(each);
    }
  }

  private async keep({ keyId, publicKey, endorsedBy, signature }: Endorsement): Promise<void> {
    await this.db.query(
      `insert into chain_keys (key_id, endorsed_by, public_key, endorsement) values ($1, $2, $3, $4)
       on conflict do nothing`,
      [keyId, endorsedBy, publicKey, signature],
    );
  }
}
