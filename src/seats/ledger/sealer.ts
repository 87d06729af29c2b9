import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { ChainHeads } from '../../ledger/chain-heads.js';
import { UTC } from '../../ledger/heads.repository.js';
import { seal, type ChainEntry } from './chain.rules.js';

export const ENTRY_COLUMNS = `entry_id::text as entry_id, kind, user_id, delta, role, directory_id, cost_center, details,
  reason, source, ${UTC('occurred_at')} as occurred_at`;

export const SEALED_COLUMNS = `${ENTRY_COLUMNS}, sequence::int as sequence, count_after,
  ${UTC('effective_at')} as effective_at, encode(previous_hash, 'hex') as previous_hash, encode(hash, 'hex') as hash`;

const BATCH = 2000;

/**
 * Seals the seat ledger: entries are written with the change, in any order and without a lock, and put into the chain
 * in the order of their commits right after. One sealer per tenant at a time, whichever process it is in.
 */
@Injectable()
export class SeatSealer {
  constructor(
    private readonly db: Database,
    private readonly heads: ChainHeads,
  ) {}

  /** Seals whatever waits, for every tenant. Answers true if there may be more. */
  async sealAll(): Promise<boolean> {
    let more = false;
    for (const tenantId of await this.tenantsWaiting()) more = (await this.seal(tenantId, false)) || more;
    return more;
  }

  /** Seals what a tenant has committed by now. With `wait`, also waits for another sealer of the tenant. */
  async seal(tenantId: string, wait = true): Promise<boolean> {
    await this.heads.ready();
    return this.db.transaction(tenantId, async (tx) => {
      const head = await this.heads.lock(tx, tenantId, 'seats', wait);
      if (head === null) return false;
      // Taken before the entries are read: what commits later is effective later.
      const { rows: clock } = await tx.query<{ now: string }>(`select ${UTC('clock_timestamp()')} as now`);
      const { rows } = await tx.query<ChainEntry>(
        `select ${ENTRY_COLUMNS} from seat_entries where tenant_id = $1 and sequence is null order by entry_id limit ${BATCH}`,
        [tenantId],
      );
      const sealed = seal(head, rows);
      const floor = [clock[0]!.now, sealed.at(-1)?.effective_at ?? '', head.sealed_through ?? ''].sort().at(-1)!;
      await this.heads.seal(tx, tenantId, 'seats', head, {
        ids: sealed.map((entry) => entry.entry_id),
        hashes: sealed.map((entry) => entry.hash),
        counts: sealed.map((entry) => entry.count_after),
        effectiveAt: sealed.map((entry) => entry.effective_at),
        sealedThrough: floor,
      });
      return rows.length === BATCH;
    });
  }

  private async tenantsWaiting(): Promise<string[]> {
    // One index probe per tenant with waiting entries, not one per entry.
    const { rows } = await this.db.query<{ tenant_id: string }>(
      `with recursive waiting as (
         (select tenant_id from seat_entries where sequence is null order by tenant_id limit 1)
         union all
         select (select e.tenant_id from seat_entries e where e.sequence is null and e.tenant_id > w.tenant_id
                 order by e.tenant_id limit 1) from waiting w where w.tenant_id is not null)
       select tenant_id from waiting where tenant_id is not null`,
    );
    return rows.map((row) => row.tenant_id);
  }
}
