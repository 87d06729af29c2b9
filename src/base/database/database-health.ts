import { SearchBusy, TenantBusy } from './database.errors.js';

const LOST = new Set([
  '08000',
  '08001',
  '08003',
  '08004',
  '08006', // connection failures
  '57P01',
  '57P02',
  '57P03', // shut down, crashed, starting up
  '25006', // read-only: a standby, in the middle of a failover
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const LOST_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after/;
/** `disk_full` */
const DISK_FULL = '53100';

type DatabaseTrouble = 'away' | 'disk full';

/** During a restart some connections work and others fail. The database counts as available after this time without failure. */
const SETTLED_MS = 1_000;

const reported = new WeakSet<object>();

/** Returns the failure of the database that an error shows; null when the error concerns the statement. */
export function troubleIn(error: unknown): DatabaseTrouble | null {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (code === DISK_FULL) return 'disk full';
  if (typeof code === 'string' && LOST.has(code)) return 'away';
  return error instanceof Error && typeof message === 'string' && LOST_MESSAGE.test(message) ? 'away' : null;
}

/** Whether an error, or one of its causes, was reported by {@link DatabaseHealth}. */
export function isReported(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth++) {
    if (reported.has(each)) return true;
  }
  return false;
}

/** Called at each change, with the error of a new failure; null when the failure is over. */
type HealthListener = (trouble: DatabaseTrouble | null, error: unknown, lastedMs: number) => void;

/**
 * The health of the database, by the results of this process's statements. An outage is two events, its beginning and its end,
 * however many requests fail.
 */
export class DatabaseHealth {
  private trouble: DatabaseTrouble | null = null;
  private since = 0;
  private failedAt = 0;
  listener: HealthListener = () => undefined;

  get isWell(): boolean {
    return this.trouble === null;
  }

  get isFull(): boolean {
    return this.trouble === 'disk full';
  }

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

  /** Notes a successful statement: the database is available. Only a write that needs space shows whether the disk is full. */
  answered(): void {
    if (this.trouble === 'away' && performance.now() - this.failedAt > SETTLED_MS) this.well();
  }

  hasRoom(): void {
    if (this.trouble === 'disk full') this.well();
  }

  private well(): void {
    this.trouble = null;
    this.listener(null, null, performance.now() - this.since);
  }
}

export interface GateOptions {
  connections: number;
  /** For one owner at any time. */
  share: number;
  /** Connections that stay free for other owners when an owner uses more than its share. */
  reserve: number;
  /** Of waiting statements and transactions of one owner. */
  queue: number;
  patienceMs: number;
}

/** The owner of statements without a tenant: claims over all tenants, retention, look-ups by slug or domain. */
export const INSTALLATION = '';

interface Waiter {
  since: number;
  admit: () => void;
  refuse: (error: Error) => void;
}

interface Owner {
  held: number;
  waiting: Waiter[];
}

const SWEEP_MS = 250;

/**
 * Divides the connections of one pool between tenants.
 *
 * An owner (a tenant, or the installation) below its share enters whenever a connection is free. Above its share it enters only
 * while more than the reserve is free: a lone tenant gets nearly the whole pool, and another tenant still finds a connection at
 * once. Other work waits in the owner's own FIFO queue. Free connections are given to the waiting owners in turn, those below
 * their share first.
 */
export class ConnectionGate {
  private free: number;
  private readonly owners = new Map<string, Owner>();
  /** Owners with a queue, the next one first. */
  private readonly ring = new Set<string>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly options: GateOptions,
    private readonly kind: 'statement' | 'search' = 'statement',
    private readonly now: () => number = () => performance.now(),
  ) {
    this.free = options.connections;
  }

  /**
   * Takes a connection for an owner.
   *
   * @returns undefined when a connection was free (the common case needs no promise), else a promise for the turn
   * @throws {TenantBusy} (or {@link SearchBusy}) when the owner's queue is full; the promise rejects with it after the longest
   *   wait
   */
  enter(name: string): Promise<void> | undefined {
    let owner = this.owners.get(name);
    if (owner === undefined) this.owners.set(name, (owner = { held: 0, waiting: [] }));
    if (owner.waiting.length === 0 && this.admits(owner)) {
      this.take(owner);
      return undefined;
    }
    if (owner.waiting.length >= this.options.queue) throw this.refusal();
    return new Promise<void>((admit, refuse) => {
      owner.waiting.push({ since: this.now(), admit, refuse });
      this.ring.add(name);
      this.timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
    });
  }

  leave(name: string): void {
    const owner = this.owners.get(name)!;
    owner.held--;
    this.free++;
    this.forgetIdle(name, owner);
    while (this.free > 0 && this.ring.size > 0) {
      const next = this.nextInTurn();
      if (next === undefined) return;
      const waiter = next.owner.waiting.shift()!;
      this.take(next.owner);
      this.ring.delete(next.name);
      if (next.owner.waiting.length > 0) this.ring.add(next.name);
      waiter.admit();
    }
    if (this.ring.size === 0) this.stopSweeping();
  }

  get waiting(): number {
    let count = 0;
    for (const name of this.ring) count += this.owners.get(name)!.waiting.length;
    return count;
  }

  private admits(owner: Owner): boolean {
    return this.free > 0 && (owner.held < this.options.share || this.free > this.options.reserve);
  }

  private take(owner: Owner): void {
    owner.held++;
    this.free--;
  }

  // At most connections / share owners are above their share, so the loop ends after a few steps.
  private nextInTurn(): { name: string; owner: Owner } | undefined {
    let above: { name: string; owner: Owner } | undefined;
    for (const name of this.ring) {
      const owner = this.owners.get(name)!;
      if (owner.held < this.options.share) return { name, owner };
      above ??= { name, owner };
    }
    return this.free > this.options.reserve ? above : undefined;
  }

  private sweep(): void {
    const late = this.now() - this.options.patienceMs;
    for (const name of this.ring) {
      const owner = this.owners.get(name)!;
      while (owner.waiting.length > 0 && owner.waiting[0]!.since <= late) owner.waiting.shift()!.refuse(this.refusal());
      if (owner.waiting.length > 0) continue;
      this.ring.delete(name);
      this.forgetIdle(name, owner);
    }
    if (this.ring.size === 0) this.stopSweeping();
  }

  private forgetIdle(name: string, owner: Owner): void {
    if (owner.held === 0 && owner.waiting.length === 0) this.owners.delete(name);
  }

  private stopSweeping(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  private refusal(): Error {
    const { queue, patienceMs } = this.options;
    return this.kind === 'search' ? new SearchBusy(queue, patienceMs) : new TenantBusy(queue, patienceMs);
  }
}

const TENANT = /^ten_[0-9a-z]{1,40}$/;

/** Returns the tenant in the first parameter of a statement, else the installation. */
export function ownerOf(first: unknown): string {
  return typeof first === 'string' && TENANT.test(first) ? first : INSTALLATION;
}
