/** How many turns of background work that calls foreign servers a process has under way. */
const MOST = { all: 64, ofTenant: 4, ofServer: 16 };

/** A key of the counts, and the most places that it has. */
type Part = [key: string, most: number];

/** Work that has a place. */
export interface Claimed<T> {
  work: T;
  leave: () => void;
}

/**
 * Places for background work that calls foreign servers. Such work mostly waits, so it has more places than there are
 * slots for work, and a part of them for each tenant and each server: one that does not answer holds its own part.
 */
export class ForeignPlaces {
  private taken = 0;
  private readonly counts = new Map<string, number>();

  /**
   * Takes a place and claims work for it.
   *
   * @param tenantId null: the claim itself takes one piece of work a tenant
   * @param server the name of the server that is called; null: it is not known
   * @returns what was claimed, and what gives the place back; null: there is no place, or nothing was claimed
   */
  async claim<T>(
    tenantId: string | null,
    server: string | null,
    claim: () => Promise<T | null>,
  ): Promise<Claimed<T> | null> {
    const parts: Part[] = [];
    if (tenantId !== null) parts.push([`tenant ${tenantId}`, MOST.ofTenant]);
    if (server !== null) parts.push([`server ${server}`, MOST.ofServer]);
    if (this.isFull || parts.some(([key, most]) => this.countOf(key) >= most)) return null;
    this.add(parts, 1);
    const leave = (): void => this.add(parts, -1);
    let work: T | null = null;
    try {
      work = await claim();
    } finally {
      if (work === null) leave();
    }
    return work === null ? null : { work, leave };
  }

  /** Whether no place is left. */
  get isFull(): boolean {
    return this.taken >= MOST.all;
  }

  /** Returns the servers whose part is taken. */
  fullServers(): string[] {
    const full = [...this.counts].filter(([key, count]) => key.startsWith('server ') && count >= MOST.ofServer);
    return full.map(([key]) => key.slice('server '.length));
  }

  private add(parts: readonly Part[], by: 1 | -1): void {
    this.taken += by;
    for (const [key] of parts) {
      const count = this.countOf(key) + by;
      if (count === 0) this.counts.delete(key);
      else this.counts.set(key, count);
    }
  }

  private countOf(key: string): number {
    return this.counts.get(key) ?? 0;
  }
}
