import { Injectable } from '@nestjs/common';
import { Gauge, type Registry } from 'prom-client';
import { Database } from '../../../base/database/database.js';
import { HELD_REASONS } from './held.dto.js';

/** Users that are counted at the most: a scrape must not read a whole table. */
const MOST = 20_000;

/** The figure of held users. */
@Injectable()
export class HeldMetrics {
  constructor(private readonly db: Database) {}

  /** Puts a gauge that asks the database when it is scraped into a registry. */
  register(registry: Registry): void {
    const { db } = this;
    new Gauge({
      name: 'bridge_users_held',
      help: `Held users by reason, up to ${MOST} in all`,
      labelNames: ['reason'],
      registers: [registry],
      async collect() {
        // The order is that of the index of held users, which the limit then reads in part.
        const { rows } = await db.query<{ held: string; count: number }>(
          `select held, count(*)::int as count from (
             select held from users where held is not null order by tenant_id, held_since, id limit ${MOST}) h
           group by held`,
        );
        const counts = new Map(rows.map(({ held, count }) => [held, count]));
        for (const reason of HELD_REASONS) this.set({ reason }, counts.get(reason) ?? 0);
      },
    });
  }
}
