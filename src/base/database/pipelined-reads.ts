import pg, { type PoolConfig, type QueryResult, type QueryResultRow } from 'pg';
import { BoundedClient } from './bounded-client.js';
import { codeOf } from './database.errors.js';
import { statementName } from './statement-names.js';

/** Reads that are out at the most: each of them waits for the answers of those before it. */
const MOST_OUT = 64;
/** Where no answer has come for so long, one of the reads is not short, or the server is busy: others go elsewhere. */
const LATE_MS = 5;
/** No statement takes so long (`statement_timeout`): the connection is broken, and the server does not say so. */
const STUCK_MS = 30_000;
/** After a failure to connect the next try is made so much later. */
const RETRY_MS = 1_000;
/** A tenant whose answer had more characters than this does not take part for {@link APART_MS}. */
const SHORT_ANSWER = 64 * 1024;
const APART_MS = 10_000;
const MOST_APART = 1_000;

/** The parts of a connection that node-postgres does not declare. */
interface Wire {
  connection: { stream: { destroy(): void } };
}

/**
 * Sends short reads of all tenants on one connection, one after the other, without waiting for the answers in between
 * (the pipeline of the protocol). Half of what a read by a key costs PostgreSQL is being woken for it, and the reads of
 * different tenants have no statement in common.
 *
 * A slow read holds up few others: while an answer is late, none is admitted, and a tenant with long answers is kept
 * apart. A caller sends by the pool what is not admitted.
 *
 * Modes: *closed* (left by the first read), *open* (left when the connection ends, or by `close`; `open` again with the
 * next read).
 */
export class PipelinedReads {
  private client: Promise<BoundedClient> | null = null;
  private out = 0;
  /** When the oldest read that is out became the oldest, in milliseconds of the monotonic clock. */
  private movedAt = 0;
  /** Before this moment no connection is opened. */
  private retryAt = 0;
  /** Tenants that are kept apart, and until when. */
  private readonly apart = new Map<string, number>();

  constructor(
    private readonly options: PoolConfig,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The number of open connections. */
  get connections(): number {
    return this.client === null ? 0 : 1;
  }

  /** Returns whether a read of a tenant may be sent here now. */
  admits(tenantId: string): boolean {
    const now = this.now();
    if (this.out > 0 && now - this.movedAt > LATE_MS) {
      if (now - this.movedAt > STUCK_MS) this.abandon();
      return false;
    }
    if (this.out >= MOST_OUT || (this.client === null && now < this.retryAt)) return false;
    const until = this.apart.get(tenantId);
    if (until === undefined) return true;
    if (until > now) return false;
    this.apart.delete(tenantId);
    return true;
  }

  /** Runs a read of a tenant that was admitted: a constant text, whose first parameter is the tenant. */
  async query<R extends QueryResultRow>(tenantId: string, text: string, values: unknown[]): Promise<QueryResult<R>> {
    if (this.out++ === 0) this.movedAt = this.now();
    try {
      const client = await (this.client ??= this.open());
      client.ref();
      const result = await client.query<R>({ name: statementName(text), text, values });
      if (lengthOf(result.rows) > SHORT_ANSWER) this.keepApart(tenantId);
      return result;
    } finally {
      this.movedAt = this.now();
      if (--this.out === 0) void this.client?.then((client) => client.unref(), ignore);
    }
  }

  /** Closes the connection; reads that are out are answered first. */
  async close(): Promise<void> {
    const { client } = this;
    this.client = null;
    await (await client?.catch(ignore))?.end();
  }

  private open(): Promise<BoundedClient> {
    const client = new BoundedClient({ ...this.options, pipeline: true });
    const opened = client.connect().then(
      () => client,
      (cause: unknown) => {
        this.retryAt = this.now() + RETRY_MS;
        forget();
        throw new NoConnection('no connection for short reads', { cause });
      },
    );
    const forget = (): void => {
      if (this.client === opened) this.client = null;
    };
    client.once('error', forget);
    client.once('end', forget);
    return opened;
  }

  private abandon(): void {
    void this.client?.then((client) => (client as unknown as Wire).connection.stream.destroy(), ignore);
    this.client = null;
  }

  private keepApart(tenantId: string): void {
    if (this.apart.size >= MOST_APART) this.apart.delete(this.apart.keys().next().value!);
    this.apart.set(tenantId, this.now() + APART_MS);
  }
}

/** The server admitted no further connection. */
class NoConnection extends Error {}

/** The reads that wait for the connection have received the failure. */
const ignore = (): undefined => undefined;

function lengthOf(rows: readonly QueryResultRow[]): number {
  let length = 0;
  for (const row of rows) for (const value of Object.values(row)) if (typeof value === 'string') length += value.length;
  return length;
}

// lock_not_available; admin_shutdown and crash_shutdown; invalid_sql_statement_name.
const OF_CONNECTION = new Set(['55P03', '57P01', '57P02', '26000']);

/**
 * Returns whether a read failed by what another connection need not meet: the wait for a lock, the end of the connection, or
 * a statement whose preparation failed with the read before.
 */
export function isOfConnection(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || OF_CONNECTION.has(codeOf(error));
}
