import { Injectable } from '@nestjs/common';
import { Gauge, type Registry } from 'prom-client';
import { Database } from '../../../base/database/database.js';
import { STORAGE_CLASSES } from './counted-tables.js';
import type { StorageState } from './storage.rules.js';

/** The figures of stored bytes. */
@Injectable()
export class StorageMetrics {
  constructor(private readonly db: Database) {}

  /** Puts gauges that ask the database when they are scraped into a registry. */
  register(registry: Registry): void {
    const { db } = this;
    new Gauge({
      name: 'bridge_storage_bytes',
      help: 'Stored bytes of rows by class, over all tenants, as last measured',
      labelNames: ['class'],
      registers: [registry],
      async collect() {
        const { rows } = await db.query<{ class: string; bytes: number }>(
          `select c.key as class, sum(c.value::numeric)::float8 as bytes
           from tenant_storage s cross join lateral jsonb_each_text(s.classes) c group by c.key`,
        );
        const found = new Map(rows.map(({ class: name, bytes }) => [name, bytes]));
        for (const name of STORAGE_CLASSES) this.set({ class: name }, found.get(name) ?? 0);
      },
    });
    new Gauge({
      name: 'bridge_storage_tenants',
      help: 'Tenants that approach the limit of their storage, or have exhausted it',
      labelNames: ['state'],
      registers: [registry],
      async collect() {
        const { rows } = await db.query<{ state: string; count: number }>(
          `select state, count(*)::int as count from tenant_storage where state <> 'ok' group by state`,
        );
        const found = new Map(rows.map(({ state, count }) => [state, count]));
        for (const state of ['approaching', 'exhausted'] satisfies StorageState[])
          this.set({ state }, found.get(state) ?? 0);
      },
    });
  }
}
