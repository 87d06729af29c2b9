const LOST = new Set([
  '08000', '08001', '08003', '08004', '08006', // connection failures
  '57P01', '57P02', '57P03', // shut down, crashed, starting up
  '25006', // read-only: a standby, in the middle of a failover
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN',
]); // prettier-ignore
const LOST_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after/;
/** `disk_full` */
const DISK_FULL = '53100';

/** What keeps the database from working. */
export type DatabaseTrouble = 'away' | 'disk full';

/** While it comes back some connections work and others still fail: it is back when none has failed for so long. */
const SETTLED_MS = 1_000;

/** Errors that are part of a trouble that was reported as one event. */
const reported = new WeakSet<object>();

/** What an error of the database's client says about the database itself; null: it is about the statement. */
export function troubleIn(error: unknown): DatabaseTrouble | null {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (code === DISK_FULL) return 'disk full';
  if (typeof code === 'string' && LOST.has(code)) return 'away';
  return error instanceof Error && typeof message === 'string' && LOST_MESSAGE.test(message) ? 'away' : null;
}

/** Whether an error, or one of its causes, was already told as an event of {@link DatabaseHealth}. */
export function isReported(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth++) {
    if (reported.has(each)) return true;
  }
  return false;
}

/** Told of each change: a trouble with the error that showed it; null: the trouble is over. */
export type HealthListener = (trouble: DatabaseTrouble | null, error: unknown, lastedMs: number) => void;

/**
 * Whether the database works, as the statements of this process show it. An outage is two events, its beginning and its
 * end, however many requests fail in between.
 */
export class DatabaseHealth {
  private trouble: DatabaseTrouble | null = null;
  private since = 0;
  private failedAt = 0;
  /** Is called at each change. */
  listener: HealthListener = () => undefined;

  get isWell(): boolean {
    return this.trouble === null;
  }

  get isFull(): boolean {
    return this.trouble === 'disk full';
  }

  /** A statement failed. */
  failed(error: unknown): void {
    const trouble = troubleIn(error);
    if (trouble === null) return;
    if (error instanceof Error) reported.add(error);
    this.failedAt = performance.now();
    if (this.trouble === trouble) return;
    if (this.trouble === null) this.since = performance.now();
    this.trouble = trouble;
    this.listener(trouble, error, 0);
  }

  /** A statement succeeded: the database is not away. Whether its disk has room again shows only a write that needs some. */
  answered(): void {
    if (this.trouble === 'away' && performance.now() - this.failedAt > SETTLED_MS) this.well();
  }

  /** There is room on the disk. */
  hasRoom(): void {
    if (this.trouble === 'disk full') this.well();
  }

  private well(): void {
    this.trouble = null;
    this.listener(null, null, performance.now() - this.since);
  }
}
