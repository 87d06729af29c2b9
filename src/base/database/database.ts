import { DataSource } from 'typeorm';
import pg, { type Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { ConnectionGate, INSTALLATION } from './connection-gate.js';
import { DatabaseHealth } from './database-health.js';
import { RecordBusy, SearchTooExpensive } from './database.errors.js';
import { LOCK_SECONDS, searchPoolOf, sharesOf, SEARCH_SECONDS } from './shares.js';
import { shapedStatementName, statementName } from './statement-names.js';

/** Whatever can run one prepared statement: the pool, or a transaction. */
export interface SqlRunner {
  /** A text that is written in our code, prepared under a name of its own on each connection. */
  query<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>>;
  /** A text to whose shape a caller adds (filters, sorting, pages): prepared only while there are few of them. */
  shaped<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>>;
}

const RETRYABLE = new Set(['40001', '40P01']);
/** `lock_not_available`: a statement that ran into {@link LOCK_SECONDS}. */
const LOCKED = '55P03';
const ATTEMPTS = 3;
/** `query_canceled`: a statement that ran into its time-out. */
const CANCELLED = '57014';
/** The owner of the look whether the database is there. */
const HEALTH = 'health';
const TENANT = /^ten_[0-9a-z]{1,40}$/;

/**
 * The database as the rooms use it: prepared statements on the pool that TypeORM's DataSource owns, and real
 * transactions where several statements must stand or fall together.
 *
 * Each statement and each transaction passes a gate that shares the connections between tenants. A statement's tenant
 * is its first parameter; one whose first parameter is no tenant belongs to the installation. Work inside a transaction
 * uses the connection of that transaction alone: waiting for a second one could wait for itself.
 */
export class Database implements SqlRunner {
  private readonly pool: Pool;
  private readonly searches: Pool;
  private readonly gate: ConnectionGate;
  private readonly searchGate: ConnectionGate;
  /** What the statements of this process show of the database. */
  readonly health = new DatabaseHealth();

  constructor(readonly dataSource: DataSource) {
    // TypeORM keeps node-postgres' pool here and gives it no type; one pool serves its migrations and our SQL.
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
    const { statements, searches } = sharesOf(this.pool.options.max ?? pg.defaults.poolSize ?? 10);
    this.gate = new ConnectionGate(statements);
    this.searchGate = new ConnectionGate(searches, 'search');
    this.searches = searchPoolOf(this.pool.options, searches.connections);
  }

  query<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    return this.run(values[0], () => this.pool.query<R>({ name: statementName(text), text, values }));
  }

  shaped<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    return this.run(values[0], () => this.pool.query<R>({ name: shapedStatementName(text), text, values }));
  }

  /**
   * Runs a search: a statement whose cost a caller decides, because no index answers its filter or order. Searches have
   * connections and a time of their own, and those of one tenant wait for each other.
   *
   * @throws {SearchTooExpensive} when it takes longer than {@link SEARCH_SECONDS}
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

  /** Runs a text of the installation that is not worth a prepared plan (maintenance, scripts of several statements). */
  execute<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>> {
    return this.run(undefined, () => this.pool.query<R>(text, values));
  }

  /**
   * Runs `work` in one transaction (read committed). Deadlocks, serialisation failures and locks that did not come in
   * time are tried again as a whole, three times at the most; every other error rolls back and is thrown. Between two
   * attempts the connection is given back, so that a row which many wait for does not hold the tenant's connections.
   *
   * @param tenantId whose share of the connections it uses; null for the installation's own work
   * @throws {TenantBusy} when the tenant's share is used up for too long
   * @throws {RecordBusy} when other requests kept a row locked all the time
   */
  async transaction<T>(tenantId: string | null, work: (tx: SqlRunner) => Promise<T>): Promise<T> {
    const owner = tenantId ?? INSTALLATION;
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
        if (attempt < ATTEMPTS && (code === LOCKED || RETRYABLE.has(code))) continue;
        throw code === LOCKED ? new RecordBusy(ATTEMPTS * LOCK_SECONDS, error) : error;
      } finally {
        this.gate.leave(owner);
      }
    }
  }

  /** Asks the database for a sign of life, on a share of its own: a busy tenant does not make it look away. */
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

  /**
   * Whether the disk of the database, which was full, has room again: a write that needs some, taken back at once.
   */
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

  /** Connections that are open and idle, and work that waits for one; for the metrics. */
  counts(): { total: number; idle: number; waiting: number } {
    return {
      total: this.pool.totalCount + this.searches.totalCount,
      idle: this.pool.idleCount + this.searches.idleCount,
      waiting: this.pool.waitingCount + this.gate.waiting + this.searchGate.waiting,
    };
  }

  /** Closes the connections for searches; the data source closes the others. */
  async close(): Promise<void> {
    if (!this.searches.ending) await this.searches.end();
  }

  private async inTransaction<T>(work: (tx: SqlRunner) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    // A connection that ends between two statements says so by an event; without a listener that ends the process.
    client.on('error', ignore);
    try {
      await client.query('begin');
      const result = await work(new Transaction(client));
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((rollbackError: Error) => {
        broken = rollbackError; // the connection is gone: the pool must not hand it out again
      });
      throw error;
    } finally {
      client.off('error', ignore);
      client.release(broken);
    }
  }

  private async run<T>(first: unknown, statement: () => Promise<T>): Promise<T> {
    const owner = ownerOf(first);
    for (let attempt = 1; ; attempt++) {
      const turn = this.gate.enter(owner);
      if (turn !== undefined) await turn;
      try {
        const result = await statement();
        if (!this.health.isWell) this.health.answered();
        return result;
      } catch (error) {
        this.health.failed(error);
        if (codeOf(error) !== LOCKED) throw error;
        // Nothing of the statement has happened.
        if (attempt === ATTEMPTS) throw new RecordBusy(ATTEMPTS * LOCK_SECONDS, error);
      } finally {
        this.gate.leave(owner);
      }
    }
  }
}

/** Ends a transaction whose writes are not wanted. */
class TakenBack extends Error {}

class Transaction implements SqlRunner {
  constructor(private readonly client: PoolClient) {}
  query<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    return this.client.query<R>({ name: statementName(text), text, values });
  }
  shaped<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    return this.client.query<R>({ name: shapedStatementName(text), text, values });
  }
}

/** The statement that comes next on the connection fails, and reports it. */
function ignore(): void {}

/** The SQLSTATE of a database error, or '' for any other. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** Whose share a statement uses: the tenant that leads its parameters, else the installation. */
export function ownerOf(first: unknown): string {
  return typeof first === 'string' && TENANT.test(first) ? first : INSTALLATION;
}
