import { SearchBusy, TenantBusy } from './database.errors.js';

/** The limits of a gate. */
export interface GateOptions {
  /** All connections of the gate. */
  connections: number;
  /** Connections that an owner may use at any time. */
  share: number;
  /** Connections that stay free for other owners when an owner uses more than its share. */
  reserve: number;
  /** The most waiting statements and transactions of one owner. */
  queue: number;
  /** The longest wait in milliseconds. */
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
 * An owner (a tenant, or the installation) below its share enters whenever a connection is free. Above its share it
 * enters only while more than the reserve is free: a lone tenant gets nearly the whole pool, and another tenant still
 * finds a connection at once. Other work waits in the owner's own FIFO queue. Free connections are given to the waiting
 * owners in turn, those below their share first.
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
   * @throws {TenantBusy} (or {@link SearchBusy}) when the owner's queue is full; the promise rejects with it after the
   * longest wait
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

  /** Returns a connection and gives it to the next owner. */
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

  /** The number of statements and transactions that wait for a connection, over all owners. */
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

/** Returns the owner of a statement: the tenant in its first parameter, else the installation. */
export function ownerOf(first: unknown): string {
  return typeof first === 'string' && TENANT.test(first) ? first : INSTALLATION;
}
