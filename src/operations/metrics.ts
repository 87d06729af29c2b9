import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Clock } from '../base/clock.js';
import { Database } from '../base/database/database.js';
import { FreshCache } from '../base/fresh-cache.js';
import { RequestMetrics } from './request-metrics.js';

const KEPT = 1_000;

/** A room that has figures of its own to show. No tenant's name or id is ever among them. */
export interface MetricsSource {
  register(registry: Registry): void;
}

/** The figures of this process. */
@Injectable()
export class Metrics {
  readonly requests = new RequestMetrics();
  private readonly registry = new Registry();
  // Figures that are asked of the database: when it is away, the others still have to be seen.
  private readonly asked = new Registry();

  private readonly rendered: FreshCache<string>;

  constructor(db: Database, clock: Clock) {
    this.rendered = new FreshCache(clock, KEPT);
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'bridge_database_connections',
      help: 'Connections to the database, by state; waiting are requests that found none free',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        const { total, idle, waiting } = db.counts();
        this.set({ state: 'busy' }, total - idle);
        this.set({ state: 'idle' }, idle);
        this.set({ state: 'waiting' }, waiting);
      },
    });
    new Gauge({
      name: 'bridge_seats_held',
      help: 'Seats that are held, over all tenants, as far as the ledgers are sealed',
      registers: [this.asked],
      async collect() {
        const { rows } = await db.query<{ held: number }>(
          `select coalesce(sum(count), 0)::int as held from chain_heads where chain = 'seats'`,
        );
        this.set(rows[0]!.held);
      },
    });
  }

  /** Adds a room's figures to what is shown. */
  add(source: MetricsSource): void {
    source.register(this.asked);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All figures as text, at most a second old: one computation serves all who ask within it. */
  render(): Promise<string> {
    return this.rendered.get('', () => this.compute());
  }

  private async compute(): Promise<string> {
    const asked = await this.asked.metrics().catch(() => '');
    return `${await this.registry.metrics()}\n${asked}\n${this.requests.render()}`;
  }
}
