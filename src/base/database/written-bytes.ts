import { INSTALLATION, ownerOf } from './connection-gate.js';

/** The bytes of a row beside its values: headers and entries of indexes. */
const OF_ROW = 256;

/**
 * Estimates the bytes that this process writes for each tenant: the values of each statement that inserts or updates. The
 * number of tenants in memory is that of the tenants that wrote since the last `take`. The estimate also counts writes that
 * are rolled back, and a change of a row counts like a new row; a measurement of the tables replaces it.
 */
export class WrittenBytes {
  private bytes = new Map<string, number>();

  /** Counts a statement whose first value is its tenant. */
  note(text: string, values: readonly unknown[]): void {
    const tenantId = ownerOf(values[0]);
    if (tenantId === INSTALLATION || !(text.includes('insert into ') || text.includes('update '))) return;
    this.add(tenantId, OF_ROW + lengthOf(values));
  }

  /** Adds bytes of a tenant, such as those of a flush that failed. */
  add(tenantId: string, bytes: number): void {
    this.bytes.set(tenantId, (this.bytes.get(tenantId) ?? 0) + bytes);
  }

  /**
   * Returns the bytes of the tenants that have written at least `least`, and forgets them.
   *
   * @param least in bytes
   */
  take(least: number): Map<string, number> {
    const taken = new Map([...this.bytes].filter(([, bytes]) => bytes >= least));
    for (const tenantId of taken.keys()) this.bytes.delete(tenantId);
    return taken;
  }
}

function lengthOf(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === 'string') bytes += value.length;
    else if (Buffer.isBuffer(value)) bytes += value.length;
    else if (Array.isArray(value)) bytes += lengthOf(value);
    else bytes += 8;
  }
  return bytes;
}
