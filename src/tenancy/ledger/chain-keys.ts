import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { Database } from '../../base/database/database.js';
import type { HeadSignature } from './head.rules.js';
import { KeyRing, type Endorsement, type PublicChainKey } from './key-ring.js';

/**
 * Signs and verifies heads of chains. Private keys come from the settings and never from the database, so write access
 * to the database is not enough to sign. The database keeps public keys with the endorsement of a later key: signatures
 * of an old key stay verifiable after it has left the settings.
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
   * Exchanges keys with the database, once; `anew` repeats it to read the keys of other processes. Must not run inside
   * a transaction, since it takes a connection of its own.
   */
  async ready(anew = false): Promise<void> {
    if (anew) this.loaded = undefined;
    await this.load();
  }

  /** Signs a text with the current key. Call `ready` before, so that a later key can endorse this one. */
  sign(text: string): HeadSignature {
    return this.ring.sign(text);
  }

  /** Returns whether a trusted key made the signature. */
  verifies(text: string, signature: HeadSignature): boolean {
    return this.ring.verifies(text, signature);
  }

  /** Returns all trusted keys, for auditors. */
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
