import { Injectable } from '@nestjs/common';
import { CHAIN_START } from '../../base/crypto/chain.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { ChainKeys } from './chain-keys.js';
import { type ChainName, type DayFields, type HeadSignature, headText } from './chain.rules.js';

/** The live head of a chain in the database. */
export interface StoredHead {
  sequence: number;
  count: number;
  hash: string;
  /** RFC 3339 with microseconds, UTC; null before the first seal. */
  sealed_through: string | null;
  /** The last signed end, or null. */
  signed_sequence: number | null;
  signed_hash: string | null;
  signature: Buffer | null;
  key_id: string | null;
  /** The end of the chain before heads were signed; 0 once a head is signed. */
  unsigned_through: number;
}

export interface ClosedDay extends DayFields, HeadSignature {
  readonly closedAt: Date;
}

/** Lines with their new places in the chain, in order. */
export interface SealedBatch {
  readonly ids: readonly string[];
  readonly hashes: readonly string[];
  /** Seats after each line; null in the audit log. */
  readonly counts: readonly number[] | null;
  /** RFC 3339; null in the audit log. */
  readonly effectiveAt: readonly string[] | null;
  readonly sealedThrough: string | null;
}

/** Returns SQL for a time as RFC 3339 with microseconds, the form that the chains hash. */
export const UTC = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const HEAD = `sequence::int as sequence, count, encode(hash, 'hex') as hash, ${UTC('sealed_through')} as sealed_through,
  signed_sequence::int as signed_sequence, encode(signed_hash, 'hex') as signed_hash, signature, key_id,
  unsigned_through::int as unsigned_through`;

const DAY = `day::text as day, sequence::int as sequence, count, encode(hash, 'hex') as hash,
  encode(previous, 'hex') as previous, key_id, signature, closed_at`;

interface DayRow {
  day: string;
  sequence: number;
  count: number;
  hash: string;
  previous: string;
  key_id: string;
  signature: Buffer;
  closed_at: Date;
}

function toDay(tenantId: string, chain: ChainName, row: DayRow): ClosedDay {
  const { key_id: keyId, closed_at: closedAt, ...day } = row;
  return { tenantId, chain, ...day, closed: true, keyId, closedAt };
}

export const TABLES: Record<ChainName, string> = { seats: 'seat_entries', audit: 'audit_entries' };

/**
 * Statements on the live heads of chains and those of closed days, and their signatures.
 *
 * A head that does not continue the last signed one is advanced without a new signature: sealing never stops, and the
 * verifier finds the evidence.
 */
@Injectable()
export class HeadsRepository {
  constructor(
    private readonly db: Database,
    private readonly keys: ChainKeys,
    private readonly logger: Logger,
  ) {}

  async begin(tx: SqlRunner, tenantId: string): Promise<void> {
    await tx.query(`insert into chain_heads (tenant_id, chain, hash) values ($1, 'seats', $2), ($1, 'audit', $2)`, [
      tenantId,
      CHAIN_START,
    ]);
  }

  /**
   * Locks a head to the end of the transaction. Returns null without a head, or, without `wait`, when another process
   * has locked it.
   */
  async lockHead(tx: SqlRunner, tenantId: string, chain: ChainName, wait: boolean): Promise<StoredHead | null> {
    const { rows } = await tx.query<StoredHead>(`select ${HEAD} from lock_chain_head($1, $2, $3)`, [
      tenantId,
      chain,
      wait,
    ]);
    return rows[0] ?? null;
  }

  /** Seals a batch onto the head; the signature is that of the next head. */
  private async seal(
    tx: SqlRunner,
    tenantId: string,
    chain: ChainName,
    batch: SealedBatch,
    signature: HeadSignature | null,
  ): Promise<void> {
    await tx.query(
      `select seal_chain($1, $2, $3::bigint[], array(select decode(h, 'hex') from unnest($4::text[]) with ordinality
           as u(h, place) order by place), $5::int[], $6::timestamptz[], $7::timestamptz, $8, $9)`,
      [
        tenantId,
        chain,
        batch.ids,
        batch.hashes,
        batch.counts,
        batch.effectiveAt,
        batch.sealedThrough,
        signature?.signature ?? null,
        signature?.keyId ?? null,
      ],
    );
  }

  /** Returns head and end in one snapshot. `head` is null when there is none, `last` 0 without a sealed line. */
  async headAndEnd(
    tenantId: string,
    chain: ChainName,
    table: string,
  ): Promise<{ head: StoredHead | null; last: number; unsealed: number }> {
    const { rows } = await this.db.query<StoredHead & { present: boolean; last: number; unsealed: number }>(
      `select ${HEAD}, h.tenant_id is not null as present,
         coalesce((select max(sequence) from ${table} where tenant_id = $1 and sequence is not null), 0)::int as last,
         (select count(*) from ${table} where tenant_id = $1 and sequence is null)::int as unsealed
       from (select 1) as one left join chain_heads h on h.tenant_id = $1 and h.chain = $2`,
      [tenantId, chain],
    );
    const { present, last, unsealed, ...head } = rows[0]!;
    return { head: present ? head : null, last, unsealed };
  }

  async hashAt(db: SqlRunner, tenantId: string, table: string, sequence: number): Promise<string | null> {
    const { rows } = await db.query<{ hash: string | null }>(
      `select encode(hash, 'hex') as hash from ${table} where tenant_id = $1 and sequence = $2`,
      [tenantId, sequence],
    );
    return rows[0]?.hash ?? null;
  }

  async days(tenantId: string, chain: ChainName, before: string | null, limit: number): Promise<ClosedDay[]> {
    const { rows } = await this.db.query<DayRow>(
      `select ${DAY} from closed_days where tenant_id = $1 and chain = $2 and ($3::date is null or day < $3)
       order by closed_days.day desc limit $4`,
      [tenantId, chain, before, limit],
    );
    return rows.map((row) => toDay(tenantId, chain, row));
  }

  async lastDay(db: SqlRunner, tenantId: string, chain: ChainName): Promise<ClosedDay | null> {
    const { rows } = await db.query<DayRow>(
      `select ${DAY} from closed_days where tenant_id = $1 and chain = $2 order by closed_days.day desc limit 1`,
      [tenantId, chain],
    );
    return rows[0] ? toDay(tenantId, chain, rows[0]) : null;
  }

  async addDay(tx: SqlRunner, day: DayFields, { keyId, signature }: HeadSignature): Promise<void> {
    await tx.query(
      `insert into closed_days (tenant_id, chain, day, sequence, count, hash, previous, key_id, signature)
       values ($1, $2, $3, $4, $5, decode($6, 'hex'), decode($7, 'hex'), $8, $9)`,
      [day.tenantId, day.chain, day.day, day.sequence, day.count, day.hash, day.previous, keyId, signature],
    );
  }

  /** Returns tenants, by id, whose chain has grown since its newest closed day. */
  async grown(chain: ChainName, after: string, limit: number): Promise<string[]> {
    const { rows } = await this.db.query<{ tenant_id: string }>(
      `select h.tenant_id from chain_heads h where h.chain = $1 and h.tenant_id > $2 and h.sequence > coalesce(
         (select d.sequence from closed_days d where d.tenant_id = h.tenant_id and d.chain = h.chain
          order by d.day desc limit 1), 0)
       order by h.tenant_id limit $3`,
      [chain, after, limit],
    );
    return rows.map((row) => row.tenant_id);
  }

  /** Loads the keys for {@link sealHead}, before the transaction begins. */
  ready(): Promise<void> {
    return this.keys.ready();
  }

  /**
   * Seals a batch onto a locked head. An empty batch only advances `sealed_through`, unless the head has no signature
   * yet.
   */
  async sealHead(
    tx: SqlRunner,
    tenantId: string,
    chain: ChainName,
    head: StoredHead,
    batch: SealedBatch,
  ): Promise<void> {
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
    await this.seal(tx, tenantId, chain, batch, signature);
  }

  private async continues(tx: SqlRunner, tenantId: string, chain: ChainName, head: StoredHead): Promise<boolean> {
    const { signed_sequence: sequence, signed_hash: hash, signature, key_id: keyId } = head;
    if (sequence === null || hash === null || signature === null || keyId === null) {
      return head.sequence === 0 || head.unsigned_through > 0;
    }
    if (!this.keys.verifies(headText({ tenantId, chain, sequence, hash }), { keyId, signature })) return false;
    if (head.sequence === sequence) return head.hash === hash;
    // A process of a version without signatures has sealed lines: the signed line must still exist.
    return head.sequence > sequence && (await this.hashAt(tx, tenantId, TABLES[chain], sequence)) === hash;
  }
}
