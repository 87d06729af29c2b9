import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { Clock } from '../base/clock.js';
import { Config } from '../base/config/config.js';
import { Database } from '../base/database/database.js';
import { FreshCache } from '../base/fresh-cache.js';
import { RequestMetrics } from './request-metrics.js';

const KEPT = 1_000;

// Those of Node.js. They belong to the process: each call would begin observers and timers that never end.
const ofProcess = new Registry();
collectDefaultMetrics({ register: ofProcess });
// Gauges whose names end as those of counters, which `promtool check metrics` refuses. Their values by type remain.
for (const kind of ['handles', 'requests', 'resources']) ofProcess.removeSingleMetric(`nodejs_active_${kind}_total`);

/** A source of metrics of a room. Metrics never contain a tenant's name or id. */
export interface MetricsSource {
  register(registry: Registry): void;
}

/** The metrics of this process. */
@Injectable()
export class Metrics {
  readonly requests = new RequestMetrics();
  readonly refusedScim = new Counter({
    name: 'bridge_scim_refused_total',
    help: 'Refused SCIM requests, by scimType or code',
    labelNames: ['reason'],
    registers: [],
  });
  private readonly registry = new Registry();
  // Metrics from the database: while it is away, the others must still be readable.
  private readonly asked = new Registry();

  private readonly rendered: FreshCache<string>;

  constructor(db: Database, clock: Clock, config: Config) {
    this.rendered = new FreshCache(clock, KEPT);
    this.registry.registerMetric(this.refusedScim);
    const lifted = new Gauge({
      name: 'bridge_protection_lifted',
      help: 'Settings that lift a protection in production; the value is 1',
      labelNames: ['setting'],
      registers: [this.registry],
    });
    for (const setting of config.unsafe) lifted.set({ setting }, 1);
    new Gauge({
      name: 'bridge_database_connections',
      help: 'Connections to the database, by state; waiting counts requests without a free connection',
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
      help: 'Seats in use, over all tenants, up to the sealed end of the ledgers',
      registers: [this.asked],
      async collect() {
        const { rows } = await db.query<{ held: number }>(
          `select coalesce(sum(count), 0)::int as held from chain_heads where chain = 'seats'`,
        );
        this.set(rows[0]!.held);
      },
    });
  }

  /** Adds a source. */
  add(source: MetricsSource): void {
    source.register(this.asked);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Returns all metrics as text, at most a second old: requests within a second share one computation. */
  render(): Promise<string> {
    return this.rendered.get('', () => this.compute());
  }

  private async compute(): Promise<string> {
    const [process, own, asked] = await Promise.all([
      ofProcess.metrics(),
      this.registry.metrics(),
      this.asked.metrics().catch(() => ''),
    ]);
    return `${process}\n${own}\n${asked}\n${this.requests.render()}`;
  }
}
