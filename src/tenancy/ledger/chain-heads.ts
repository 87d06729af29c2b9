import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { ChainKeys } from './chain-keys.js';
import type { ChainName } from './chain.rules.js';
import { headText } from './head.rules.js';
import { HeadsRepository, type SealedBatch, type StoredHead } from './heads.repository.js';

/** The table of the lines of each chain. */
export const TABLES: Record<ChainName, string> = { seats: 'seat_entries', audit: 'audit_entries' };

/**
 * Advances the head of a chain and signs it. A head that does not continue the last signed one is advanced without a
 * new signature: sealing never stops, and the evidence stays for the verifier.
 */
@Injectable()
export class ChainHeads {
  constructor(
    private readonly keys: ChainKeys,
    private readonly heads: HeadsRepository,
    private readonly logger: Logger,
  ) {}

  /** Loads the keys for `seal`, before the transaction begins. */
  ready(): Promise<void> {
    return this.keys.ready();
  }

  /**
   * Locks the head of a chain to the end of the transaction; null: there is no head, or another process has locked it.
   */
  lock(tx: SqlRunner, tenantId: string, chain: ChainName, wait: boolean): Promise<StoredHead | null> {
    return this.heads.lock(tx, tenantId, chain, wait);
  }

  /**
   * Seals a batch onto a locked head. An empty batch only advances `sealed_through`, unless the head has no signature
   * yet.
   */
  async seal(tx: SqlRunner, tenantId: string, chain: ChainName, head: StoredHead, batch: SealedBatch): Promise<void> {
    const grows = batch.ids.length > 0;
    const behind = head.sequence > 0 && head.signed_sequence !== head.sequence;
    let signature = null;
    if (grows || behind) {
      if (await this.continues(tx, tenantId, chain, head)) {
        const sequence = head.sequence + batch.ids.length;
        signature = this.keys.sign(headText({ tenantId, chain, sequence, hash: batch.hashes.at(-1) ?? head.hash }));
      } else if (grows) {
        this.logger.error('the head of a chain does not continue the head that was signed: verify the chain', {
          tenant_id: tenantId,
          chain,
          sequence: head.sequence,
        });
      }
    }
    await this.heads.seal(tx, tenantId, chain, batch, signature);
  }

  /** Returns whether a head is the signed one, or continues it. */
  private async continues(tx: SqlRunner, tenantId: string, chain: ChainName, head: StoredHead): Promise<boolean> {
    const { signed_sequence: sequence, signed_hash: hash, signature, key_id: keyId } = head;
    if (sequence === null || hash === null || signature === null || keyId === null) {
      return head.sequence === 0 || head.unsigned_through > 0;
    }
    if (!this.keys.verifies(headText({ tenantId, chain, sequence, hash }), { keyId, signature })) return false;
    if (head.sequence === sequence) return head.hash === hash;
    // A process of a version without signatures has sealed lines: the signed line must still exist.
    return head.sequence > sequence && (await this.heads.hashAt(tx, tenantId, TABLES[chain], sequence)) === hash;
  }
}
