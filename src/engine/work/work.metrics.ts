import { Injectable } from '@nestjs/common';
import { Gauge, type Registry } from 'prom-client';
import { Database } from '../../base/database/database.js';

/** The figures of background work. No tenant is ever a label. */
@Injectable()
export class WorkMetrics {
  constructor(private readonly db: Database) {}

  /** Puts gauges that ask the database when they are scraped into a registry. */
  register(registry: Registry): void {
    const { db } = this;
    new Gauge({
      name: 'bridge_work_entries',
      help: 'Pieces of background work, by kind: those under way, those that have failed three times in a row or more',
      labelNames: ['kind', 'state'],
      registers: [registry],
      async collect() {
        this.reset();
        const { rows } = await db.query<{ kind: string; running: number; failing: number }>(
          `select kind, count(*) filter (where holder is not null and free_at > now())::int as running,
             count(*) filter (where failures >= 3)::int as failing
           from work_entries group by kind`,
        );
        for (const { kind, running, failing } of rows) {
          this.set({ kind, state: 'running' }, running);
          this.set({ kind, state: 'failing' }, failing);
        }
      },
    });
  }
}
