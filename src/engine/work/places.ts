/** The places of a process, and the most of them that a tenant and a server have. */
export interface PlaceLimits {
  readonly all: number;
  readonly ofTenant: number;
  readonly ofServer: number;
}

/** Turns under way, counted by tenant and by server: one that does not answer holds its own part. */
export class Places {
  private taken = 0;
  private readonly tenants = new Map<string, number>();
  private readonly servers = new Map<string, number>();

  constructor(private readonly most: PlaceLimits) {}

  /** The number of places that are left. */
  get free(): number {
    return Math.max(0, this.most.all - this.taken);
  }

  /**
   * Takes a place.
   *
   * @param server null: none is known
   * @returns what gives the place back
   */
  take(tenantId: string, server: string | null): () => void {
    this.count(tenantId, server, 1);
    return () => this.count(tenantId, server, -1);
  }

  /** Returns the tenants whose part is taken. */
  fullTenants(): string[] {
    return atLeast(this.tenants, this.most.ofTenant);
  }

  /** Returns the servers whose part is taken. */
  fullServers(): string[] {
    return atLeast(this.servers, this.most.ofServer);
  }

  private count(tenantId: string, server: string | null, by: 1 | -1): void {
    this.taken += by;
    add(this.tenants, tenantId, by);
    if (server !== null) add(this.servers, server, by);
  }
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function atLeast(counts: ReadonlyMap<string, number>, least: number): string[] {
  return [...counts].filter(([, count]) => count >= least).map(([key]) => key);
}
