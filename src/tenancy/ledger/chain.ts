import { Injectable } from '@nestjs/common';
import { Activity } from '../../base/activity.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import type { ChainLine, ChainName } from './chain.rules.js';
import { HeadsRepository, TABLES, UTC, type SealedBatch, type StoredHead } from './heads.repository.js';

export interface SealedChain {
  readonly chain: ChainName;
  /** A tenant can be without a line: only the audit log begins with the tenant itself. */
  readonly mayBeEmpty: boolean;
  readonly ordered: boolean;
  /** Returns sealed lines in order, after one sequence and up to another. */
  lines(db: SqlRunner, tenantId: string, after: number, through: number, limit: number): Promise<ChainLine[]>;
  sealNow(tenantId: string): Promise<void>;
  /** Seals waiting lines of all tenants. Returns true if there may be more. */
  sealAll(): Promise<boolean>;
}

/** All chains; each registers itself. */
@Injectable()
export class Chains {
  readonly all: SealedChain[] = [];
}

/** The parts of a chain that its room defines. `Row` has the columns that the hash covers. */
export interface ChainKind<Row> {
  readonly chain: ChainName;
  readonly columns: string;
  readonly mayBeEmpty: boolean;
  readonly ordered: boolean;
  readonly batch: number;
  line(row: Row): ChainLine;
  /**
   * Gives rows their places after a head, in their order.
   *
   * @param now RFC 3339, taken before the rows were read: a row that commits later is effective later
   */
  sealed(head: StoredHead, rows: readonly Row[], now: string): SealedBatch;
}

/** Lines that are being sealed, in order. */
export interface NoticedBatch<Row> {
  readonly rows: readonly Row[];
  /** The count before the first line; `counts` are those after each line. */
  readonly before: number;
  readonly counts: readonly number[];
}

/**
 * While more tenants than these write, each is sealed once in {@link PAUSE_MS}. A transaction for one line costs as
 * much as the line; for the lines of five seconds it costs little.
 */
const MANY_TENANTS = 50;
const PAUSE_MS = 5_000;

/**
 * An append-only chain of hashes. Lines are written with the change and without a lock, and get their places right
 * after the commit in the order of their entry ids. An id is taken while the row of the line's subject is locked, so
 * the lines of one user are in the order of their writes. One process seals a tenant's chain at a time.
 */
export abstract class Chain<Row extends object> implements SealedChain {
  readonly chain: ChainName;
  readonly mayBeEmpty: boolean;
  readonly ordered: boolean;
  private readonly sealedAt = new Map<string, number>();

  constructor(
    private readonly db: Database,
    private readonly heads: HeadsRepository,
    chains: Chains,
    private readonly kind: ChainKind<Row>,
  ) {
    ({ chain: this.chain, mayBeEmpty: this.mayBeEmpty, ordered: this.ordered } = kind);
    chains.all.push(this);
  }

  async lines(db: SqlRunner, tenantId: string, after: number, through: number, limit: number): Promise<ChainLine[]> {
    const { rows } = await db.query<Row>(
      `select ${this.kind.columns} from ${this.table}
       where tenant_id = $1 and sequence > $2 and sequence <= $3 order by ${this.table}.sequence limit $4`,
      [tenantId, after, through, limit],
    );
    return rows.map((row) => this.kind.line(row));
  }

  async sealNow(tenantId: string): Promise<void> {
    while (await this.seal(tenantId, true));
  }

  async sealAll(): Promise<boolean> {
    let more = false;
    const waiting = await this.tenantsWaiting();
    const now = performance.now();
    for (const [tenantId, at] of this.sealedAt) if (now - at > PAUSE_MS) this.sealedAt.delete(tenantId);
    for (const tenantId of waiting) {
      if (waiting.length > MANY_TENANTS && this.sealedAt.has(tenantId)) continue;
      this.sealedAt.set(tenantId, now);
      more = (await this.seal(tenantId, false)) || more;
    }
    return more;
  }

  private get table(): string {
    return TABLES[this.chain];
  }

  /** `wait`: also waits for another process that seals the tenant. */
  private async seal(tenantId: string, wait: boolean): Promise<boolean> {
    const { chain, columns, batch } = this.kind;
    await this.heads.ready();
    return this.db.transaction(tenantId, async (tx) => {
      const head = await this.heads.lockHead(tx, tenantId, chain, wait);
      if (head === null) return false;
      const { rows: clock } = await tx.query<{ now: string }>(`select ${UTC('clock_timestamp()')} as now`);
      const { rows } = await tx.query<Row>(
        // The bare name is the output column, which is text for the seats: 10 would be sealed before 9.
        `select ${columns} from ${this.table} where tenant_id = $1 and sequence is null
         order by ${this.table}.entry_id limit ${batch}`,
        [tenantId],
      );
      const sealed = this.kind.sealed(head, rows, clock[0]!.now);
      await this.heads.sealHead(tx, tenantId, chain, head, sealed);
      if (rows.length > 0) await this.noticed(tx, tenantId, { rows, before: head.count, counts: sealed.counts ?? [] });
      return rows.length === batch;
    });
  }

  protected async noticed(_tx: SqlRunner, _tenantId: string, _batch: NoticedBatch<Row>): Promise<void> {
    // Most chains record no events.
  }

  /** One index probe for each tenant with waiting lines, not one for each line. */
  private async tenantsWaiting(): Promise<string[]> {
    const { rows } = await this.db.query<{ tenant_id: string }>(
      `with recursive waiting as (
         (select tenant_id from ${this.table} where sequence is null order by tenant_id limit 1)
         union all
         select (select e.tenant_id from ${this.table} e where e.sequence is null and e.tenant_id > w.tenant_id
                 order by e.tenant_id limit 1) from waiting w where w.tenant_id is not null)
       select tenant_id from waiting where tenant_id is not null`,
    );
    return rows.map((row) => row.tenant_id);
  }
}

const EVERY_MS = 500;
const QUIET_MS = 2_000;

/** Seals all chains of all tenants, right after the commits. */
@Injectable()
export class ChainSealer extends Background {
  constructor(
    private readonly chains: Chains,
    private readonly logger: Logger,
    activity: Activity,
  ) {
    super(EVERY_MS, 'sealing chains', logger, { everyMs: QUIET_MS, activity });
  }

  /** Returns true if there may be more. A failure of one chain does not affect the others. */
  override async run(): Promise<boolean> {
    let more = false;
    for (const chain of this.chains.all) {
      try {
        more = (await chain.sealAll()) || more;
      } catch (error) {
        this.logger.error('chain.seal_failed', { chain: chain.chain, error });
      }
    }
    return more;
  }
}
