/**
 * How many calls are out, over all destinations and for each tenant: destinations that hang take no more than a share of
 * the process.
 */
export class CallBudget {
  private out = 0;
  private readonly byTenant = new Map<string, number>();

  constructor(
    private readonly limit: number,
    private readonly limitOfTenant: number,
  ) {}

  /** Returns how many more calls a tenant may have out. */
  roomFor(tenantId: string): number {
    return Math.min(this.limit - this.out, this.limitOfTenant - (this.byTenant.get(tenantId) ?? 0));
  }

  take(tenantId: string): void {
    this.out++;
    this.byTenant.set(tenantId, (this.byTenant.get(tenantId) ?? 0) + 1);
  }

  release(tenantId: string): void {
    this.out--;
    const left = (this.byTenant.get(tenantId) ?? 1) - 1;
    if (left === 0) this.byTenant.delete(tenantId);
    else this.byTenant.set(tenantId, left);
  }
}
