import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { EMPTY_HEAD, seal, type ChainEntry, type ChainHead, type SealedEntry } from './chain.rules.js';

/** RFC 3339 with microseconds, as the chain hashes it. */
export const UTC = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

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
  constructor(private readonly db: Database) {}

  /** Seals whatever waits, for every tenant. Answers true if there may be more. */
  async sealAll(): Promise<boolean> {
    let more = false;
    for (const tenantId of await this.tenantsWaiting()) more = (await this.seal(tenantId, false)) || more;
    return more;
  }

  /** Seals what a tenant has committed by now. With `wait`, also waits for another sealer of the tenant. */
  async seal(tenantId: string, wait = true): Promise<boolean> {
    return this.db.transaction(tenantId, async (tx) => {
      const head = await this.lockHead(tx, tenantId, wait);
      if (head === null) return false;
      // Taken before the entries are read: what commits later is effective later.
      const { rows: clock } = await tx.query<{ now: string }>(`select ${UTC('clock_timestamp()')} as now`);
      const { rows } = await tx.query<ChainEntry>(
        `select ${ENTRY_COLUMNS} from seat_entries where tenant_id = $1 and sequence is null order by entry_id limit ${BATCH}`,
        [tenantId],
      );
      const sealed = seal(head, rows);
      if (sealed.length > 0) await this.write(tx, tenantId, sealed);
      const last = sealed.at(-1);
      const floor = [clock[0]!.now, last?.effective_at ?? '', head.sealed_through ?? ''].sort().at(-1)!;
      await tx.query(
        `update chain_heads set sequence = $2, count = $3, hash = decode($4, 'hex'), sealed_through = $5::timestamptz,
           effective_at = coalesce($6::timestamptz, effective_at)
         where tenant_id = $1 and chain = 'seats'`,
        [
          tenantId,
          last?.sequence ?? head.sequence,
          last?.count_after ?? head.count,
          last?.hash ?? head.hash,
          floor,
          last?.effective_at ?? null,
        ],
      );
      if (last) await this.publishDay(tx, tenantId, last);
      return rows.length === BATCH;
    });
  }

  private async lockHead(tx: SqlRunner, tenantId: string, wait: boolean): Promise<ChainHead | null> {
    await tx.query(
      `insert into chain_heads (tenant_id, chain, hash) values ($1, 'seats', decode($2, 'hex')) on conflict do nothing`,
      [tenantId, EMPTY_HEAD.hash],
    );
    const { rows } = await tx.query<ChainHead>(
      `select sequence::int as sequence, count, encode(hash, 'hex') as hash, ${UTC('sealed_through')} as sealed_through
       from chain_heads where tenant_id = $1 and chain = 'seats' for update ${wait ? '' : 'skip locked'}`,
      [tenantId],
    );
    return rows[0] ?? null;
  }

  private async write(tx: SqlRunner, tenantId: string, sealed: SealedEntry[]): Promise<void> {
    await tx.query(
      `update seat_entries e set sequence = s.sequence, count_after = s.count_after, effective_at = s.effective_at,
         previous_hash = decode(s.previous_hash, 'hex'), hash = decode(s.hash, 'hex')
       from unnest($2::bigint[], $3::bigint[], $4::int[], $5::timestamptz[], $6::text[], $7::text[])
         as s(entry_id, sequence, count_after, effective_at, previous_hash, hash)
       where e.tenant_id = $1 and e.entry_id = s.entry_id`,
      [
        tenantId,
        sealed.map((e) => e.entry_id),
        sealed.map((e) => e.sequence),
        sealed.map((e) => e.count_after),
        sealed.map((e) => e.effective_at),
        sealed.map((e) => e.previous_hash),
        sealed.map((e) => e.hash),
      ],
    );
  }

  /** The head of each day, kept beside the chain: what an auditor wrote down can be compared with it. */
  private async publishDay(tx: SqlRunner, tenantId: string, last: SealedEntry): Promise<void> {
    await tx.query(
      `insert into chain_days (tenant_id, chain, day, sequence, count, hash)
       select $1, 'seats', ($2::timestamptz at time zone t.time_zone)::date, $3, $4, decode($5, 'hex')
       from tenants t where t.id = $1
       on conflict (tenant_id, chain, day) do update
         set sequence = excluded.sequence, count = excluded.count, hash = excluded.hash`,
      [tenantId, last.effective_at, last.sequence, last.count_after, last.hash],
    );
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
