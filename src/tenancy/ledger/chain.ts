import { Injectable } from '@nestjs/common';
import { Activity } from '../../base/activity.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import type { ChainLine, ChainName } from './chain.rules.js';
import { HeadsRepository, TABLES, UTC, type SealedBatch, type StoredHead } from './heads.repository.js';

/** A chain as its verifier and its sealer use it. */
export interface SealedChain {
  readonly chain: ChainName;
  /** A tenant can be without a line: the audit log begins with the tenant itself. */
  readonly mayBeEmpty: boolean;
  /** Time may not run backwards along the chain. */
  readonly ordered: boolean;
  /** Returns sealed lines in order, those after one sequence and up to another. */
  lines(db: SqlRunner, tenantId: string, after: number, through: number, limit: number): Promise<ChainLine[]>;
  /** Seals everything that a tenant has committed by now. */
  sealNow(tenantId: string): Promise<void>;
  /** Seals what waits, for every tenant. Returns true if there may be more. */
  sealAll(): Promise<boolean>;
}

/** All chains; each registers itself. */
@Injectable()
export class Chains {
  readonly all: SealedChain[] = [];
}

/** What a room says of its chain. `Row` is a row with the columns that the hash is about. */
export interface ChainKind<Row> {
  readonly chain: ChainName;
  /** The columns of a row that has its place in the chain, as SQL. */
  readonly columns: string;
  /** See {@link SealedChain}. */
  readonly mayBeEmpty: boolean;
  /** See {@link SealedChain}. */
  readonly ordered: boolean;
  /** How many lines one transaction seals. */
  readonly batch: number;
  /** Returns a sealed row as the verifier reads it. */
  line(row: Row): ChainLine;
  /**
   * Gives rows their places behind a head, in their order.
   *
   * @param now RFC 3339, taken before the rows were read: a row that commits later is effective later
   */
  sealed(head: StoredHead, rows: readonly Row[], now: string): SealedBatch;
}

/** Lines that are being sealed, in order. */
export interface NoticedBatch<Row> {
  readonly rows: readonly Row[];
  /** The count before the first line. */
  readonly before: number;
  /** The count after each line. */
  readonly counts: readonly number[];
}

/**
 * While more tenants than these write, each is sealed once in a while. A transaction for one line costs as much as the
 * line; for the lines of five seconds it is little.
 */
const MANY_TENANTS = 50;
const PAUSE_MS = 5_000;

/**
 * An append-only chain of hashes. Lines are written with the change and without a lock. They get their place right after: what
 * is committed is sealed in the order of its entry ids, and an id is taken while the row that the line is about is locked. So
 * the lines of one user are in the order of their writes. One process seals a tenant's chain at a time.
 */
export abstract class Chain<Row extends object> implements SealedChain {
  readonly chain: ChainName;
  readonly mayBeEmpty: boolean;
  readonly ordered: boolean;
  /** When this process has last sealed each tenant. */
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

  /** With `wait`, also waits for another process that seals the tenant. */
  private async seal(tenantId: string, wait: boolean): Promise<boolean> {
    const { chain, columns, batch } = this.kind;
    await this.heads.ready();
    return this.db.transaction(tenantId, async (tx) => {
      const head = await this.heads.lockHead(tx, tenantId, chain, wait);
      if (head === null) return false;
      const { rows: clock } = await tx.query<{ now: string }>(`select ${UTC('clock_timestamp()')} as now`);
      const { rows } = await tx.query<Row>(
        // The bare name is the output, which is text for the seats: 10 would be sealed before 9.
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

  /** Notes what the lines of a batch amount to, in the transaction that seals them. */
  protected async noticed(_tx: SqlRunner, _tenantId: string, _batch: NoticedBatch<Row>): Promise<void> {
    // Most chains say nothing.
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

  /** Seals what waits; true if there may be more. A failure of one chain leaves the others alone. */
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
