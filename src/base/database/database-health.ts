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

/** A failure of the database itself. */
export type DatabaseTrouble = 'away' | 'disk full';

/**
 * During a restart some connections work and others fail: the database counts as available after this time without a
 * failure.
 */
const SETTLED_MS = 1_000;

/** Errors of an outage that was reported as one event. */
const reported = new WeakSet<object>();

/** Returns the failure of the database that an error shows; null: the error concerns the statement. */
export function troubleIn(error: unknown): DatabaseTrouble | null {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (code === DISK_FULL) return 'disk full';
  if (typeof code === 'string' && LOST.has(code)) return 'away';
  return error instanceof Error && typeof message === 'string' && LOST_MESSAGE.test(message) ? 'away' : null;
}

/** Returns whether an error, or one of its causes, was reported by {@link DatabaseHealth}. */
export function isReported(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth++) {
    if (reported.has(each)) return true;
  }
  return false;
}

/** Called at each change, with the error of a new failure; null: the failure is over. */
export type HealthListener = (trouble: DatabaseTrouble | null, error: unknown, lastedMs: number) => void;

/**
 * The health of the database, by the results of this process's statements. An outage is two events, its beginning and
 * its end, however many requests fail.
 */
export class DatabaseHealth {
  private trouble: DatabaseTrouble | null = null;
  private since = 0;
  private failedAt = 0;
  /** Called at each change. */
  listener: HealthListener = () => undefined;

  get isWell(): boolean {
    return this.trouble === null;
  }

  get isFull(): boolean {
    return this.trouble === 'disk full';
  }

  /** Notes a failed statement. */
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

  /**
   * Notes a successful statement: the database is available. Only a write that needs space shows whether the disk is
   * full.
   */
  answered(): void {
    if (this.trouble === 'away' && performance.now() - this.failedAt > SETTLED_MS) this.well();
  }

  /** Notes that the disk has space. */
  hasRoom(): void {
    if (this.trouble === 'disk full') this.well();
  }

  private well(): void {
    this.trouble = null;
    this.listener(null, null, performance.now() - this.since);
  }
}
