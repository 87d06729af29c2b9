import pg, { type Pool, type QueryResult, type QueryResultRow, type PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { shapedStatementName, statementName } from './bounded-client.js';
import { WrittenBytes } from './byte-cut.js';
import { ConnectionGate, INSTALLATION, ownerOf, DatabaseHealth } from './database-health.js';
import { codeOf, isNewPartition, RecordBusy, SearchTooExpensive } from './database.errors.js';
import { SettingsFeed } from './settings-feed.js';
import { LOCK_SECONDS, searchPoolOf, sharesOf, SEARCH_SECONDS } from './shares.js';
import { type SqlRunner, StatementBatches } from './statement-batches.js';

export type { SqlRunner } from './statement-batches.js';

const RETRYABLE = new Set(['40001', '40P01']);
/** `lock_not_available`: a statement reached {@link LOCK_SECONDS}. */
const LOCKED = '55P03';
const ATTEMPTS = 3;
/** `query_canceled`: a statement reached its time-out. */
const CANCELLED = '57014';
/** The owner of the health check. */
const HEALTH = 'health';

/**
 * The database: prepared statements on the pool of TypeORM's DataSource, and transactions.
 *
 * Each statement and each transaction passes a gate that divides the connections between tenants. The tenant of a statement is
 * its first parameter; a statement without a tenant belongs to the installation. Work inside a transaction uses the connection
 * of that transaction alone: waiting for a second one could be a deadlock.
 */
export class Database implements SqlRunner {
  private readonly pool: Pool;
  private readonly searches: Pool;
  private readonly gate: ConnectionGate;
  private readonly searchGate: ConnectionGate;
  /** Changes by other processes of rows that this one caches. */
  readonly feed: SettingsFeed;
  readonly health = new DatabaseHealth();
  readonly batches = new StatementBatches(this);
  readonly written = new WrittenBytes();
  private sent = 0;

  constructor(readonly dataSource: DataSource) {
    // TypeORM stores the pool of node-postgres here without a type. Its migrations and our SQL share one pool.
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
    const { statements, searches } = sharesOf(this.pool.options.max ?? pg.defaults.poolSize ?? 10);
    this.gate = new ConnectionGate(statements);
    this.searchGate = new ConnectionGate(searches, 'search');
    this.feed = new SettingsFeed(this.pool.options);
    this.searches = searchPoolOf(this.pool.options, searches.connections);
  }

  query<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    this.written.note(text, values);
    return this.run(values[0], () => this.pool.query<R>({ name: statementName(text), text, values }));
  }

  shaped<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    this.written.note(text, values);
    return this.run(values[0], () => this.pool.query<R>({ name: shapedStatementName(text), text, values }));
  }

  /** Runs once: a lock that is not free ends the statement at once. */
  queryOnce<R extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<R>> {
    this.written.note(text, values);
    return this.run(values[0], () => this.pool.query<R>({ name: statementName(text), text, values }), 1);
  }

  shapedOnce<R extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<R>> {
    this.written.note(text, values);
    return this.run(values[0], () => this.pool.query<R>({ name: shapedStatementName(text), text, values }), 1);
  }

  /**
   * Runs a search: a statement whose cost depends on the caller, because no index serves its filter or order. Searches have
   * their own connections and time limit.
   *
   * @throws {SearchTooExpensive} when the search takes longer than {@link SEARCH_SECONDS}
   * @throws {SearchBusy} when too many searches of the tenant wait, or this one has waited for too long
   */
  async search<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    const owner = ownerOf(values[0]);
    const turn = this.searchGate.enter(owner);
    if (turn !== undefined) await turn;
    try {
      const result = await this.searches.query<R>({ name: shapedStatementName(text), text, values });
      if (!this.health.isWell) this.health.answered();
      return result;
    } catch (error) {
      this.health.failed(error);
      throw codeOf(error) === CANCELLED ? new SearchTooExpensive(SEARCH_SECONDS, error) : error;
    } finally {
      this.searchGate.leave(owner);
    }
  }

  /** Runs a text of the installation without a prepared plan (maintenance, scripts of several statements). */
  execute<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>> {
    return this.run(undefined, () => this.pool.query<R>(text, values));
  }

  /**
   * Runs `work` in one transaction (read committed). Repeats it after deadlocks, serialisation failures and lock time-outs,
   * three times at most. Between two runs the connection is returned, so that a row with many waiters does not hold the
   * tenant's connections.
   *
   * @param tenantId the tenant whose share is used; null for work of the installation
   * @throws {TenantBusy} when the tenant's share is used up for too long
   * @throws {RecordBusy} when other requests kept a row locked all the time
   */
  async transaction<T>(tenantId: string | null, work: (tx: SqlRunner) => Promise<T>): Promise<T> {
    const owner = tenantId ?? INSTALLATION;
    this.sent++;
    for (let attempt = 1; ; attempt++) {
      const turn = this.gate.enter(owner);
      if (turn !== undefined) await turn;
      try {
        const result = await this.inTransaction(work);
        if (!this.health.isWell) this.health.answered();
        return result;
      } catch (error) {
        this.health.failed(error);
        const code = codeOf(error);
        if (attempt < ATTEMPTS && (code === LOCKED || RETRYABLE.has(code) || isNewPartition(error))) continue;
        throw code === LOCKED ? new RecordBusy(ATTEMPTS * LOCK_SECONDS, error) : error;
      } finally {
        this.gate.leave(owner);
      }
    }
  }

  /** Checks that the database answers, on a share of its own, independent of busy tenants. */
  async ping(): Promise<void> {
    const turn = this.gate.enter(HEALTH);
    if (turn !== undefined) await turn;
    try {
      await this.pool.query('select 1');
      if (!this.health.isWell) this.health.answered();
    } catch (error) {
      this.health.failed(error);
      throw error;
    } finally {
      this.gate.leave(HEALTH);
    }
  }

  /** Whether a full disk has space again: writes into a transaction and rolls it back. */
  async hasRoom(): Promise<boolean> {
    try {
      await this.transaction(null, async (tx) => {
        await tx.query(`insert into storage_probe select repeat('x', 1900) from generate_series(1, 64)`);
        throw new TakenBack();
      });
    } catch (error) {
      if (!(error instanceof TakenBack)) return false;
    }
    this.health.hasRoom();
    return true;
  }

  /** Statements and transactions that this process has sent. */
  get statements(): number {
    return this.sent;
  }

  /** Open connections, idle connections and waiting work; for the metrics. */
  counts(): { total: number; idle: number; waiting: number } {
    return {
      total: this.pool.totalCount + this.searches.totalCount,
      idle: this.pool.idleCount + this.searches.idleCount,
      waiting: this.pool.waitingCount + this.gate.waiting + this.searchGate.waiting,
    };
  }

  /** Closes the connections for searches and notices; the data source closes the others. */
  async close(): Promise<void> {
    await this.feed.stop();
    if (!this.searches.ending) await this.searches.end();
  }

  private async inTransaction<T>(work: (tx: SqlRunner) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const result = await work(new Transaction(client, this.written));
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((rollbackError: Error) => {
        broken = rollbackError; // The connection is lost: the pool must not use it again.
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private async run<T>(first: unknown, statement: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
    const owner = ownerOf(first);
    this.sent++;
    for (let attempt = 1; ; attempt++) {
      const turn = this.gate.enter(owner);
      if (turn !== undefined) await turn;
      try {
        const result = await statement();
        if (!this.health.isWell) this.health.answered();
        return result;
      } catch (error) {
        this.health.failed(error);
        if (codeOf(error) !== LOCKED && !isNewPartition(error)) throw error;
        // The statement has had no effect.
        if (attempt < attempts) continue;
        throw codeOf(error) === LOCKED ? new RecordBusy(attempts * LOCK_SECONDS, error) : error;
      } finally {
        this.gate.leave(owner);
      }
    }
  }
}

class TakenBack extends Error {}

class Transaction implements SqlRunner {
  constructor(
    private readonly client: PoolClient,
    private readonly written: WrittenBytes,
  ) {}

  query<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    this.written.note(text, values);
    return this.client.query<R>({ name: statementName(text), text, values });
  }
  shaped<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    this.written.note(text, values);
    return this.client.query<R>({ name: shapedStatementName(text), text, values });
  }
}
