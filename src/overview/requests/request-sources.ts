import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { textArray } from '../../base/database/params.js';
import type { LoggedRequest } from './logged-request.mapping.js';

/** Numbers in memory. Beyond them all are read again. */
const MOST = 100_000;

/** The numbers that directories and SCIM tokens have in the log of requests. A number never changes. */
@Injectable()
export class RequestSources {
  private readonly numbers = new Map<string, number>();

  constructor(private readonly db: Database) {}

  /** Returns the number of each directory and token of the rows, and gives one to those that have none. */
  async numbersOf(rows: readonly LoggedRequest[]): Promise<(tenantId: string, source: string) => number> {
    if (this.numbers.size > MOST) this.numbers.clear();
    const missing = new Map<string, [tenantId: string, source: string]>();
    for (const { tenantId, directoryId, credentialId } of rows) {
      for (const source of [directoryId, credentialId]) {
        const key = keyOf(tenantId, source);
        if (!this.numbers.has(key)) missing.set(key, [tenantId, source]);
      }
    }
    if (missing.size > 0) await this.read([...missing.values()]);
    return (tenantId, source) => this.numbers.get(keyOf(tenantId, source))!;
  }

  private async read(pairs: readonly [tenantId: string, source: string][]): Promise<void> {
    const tenants = textArray(pairs.map(([tenantId]) => tenantId));
    const sources = textArray(pairs.map(([, source]) => source));
    await this.db.query(
      `insert into request_sources (tenant_id, source)
       select * from unnest($1::text[], $2::text[]) w(tenant_id, source) order by 1, 2 on conflict do nothing`,
      [tenants, sources],
    );
    const { rows } = await this.db.query<{ tenant_id: string; source: string; number: number }>(
      `select s.tenant_id, s.source, s.number from unnest($1::text[], $2::text[]) w(tenant_id, source)
       join request_sources s on s.tenant_id = w.tenant_id and s.source = w.source`,
      [tenants, sources],
    );
    for (const { tenant_id: tenantId, source, number } of rows) this.numbers.set(keyOf(tenantId, source), number);
  }
}

function keyOf(tenantId: string, source: string): string {
  return `${tenantId} ${source}`;
}
