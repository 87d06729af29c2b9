import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { Clock } from '../base/clock.js';
import { Config } from '../base/config/config.js';
import { Database } from '../base/database/database.js';
import { FreshCache } from '../base/fresh-cache.js';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const NAME = 'bridge_http_request_seconds';

interface Series {
  labels: string;
  buckets: number[];
  count: number;
  sum: number;
}

/** Returns the class of a path, one of about a dozen: metrics must not contain paths and names. */
export function routeClass(path: string): string {
  if (path.startsWith('/scim/v2/')) {
    if (path.startsWith('Users', 9)) return 'scim_users';
    if (path.startsWith('Groups', 9)) return 'scim_groups';
    return path.startsWith('Bulk', 9) ? 'scim_bulk' : 'scim_other';
  }
  if (path.startsWith('/api/auth/')) return 'sign_in';
  if (path.startsWith('/api/') || path.startsWith('/v1/')) return 'api';
  if (path === '/healthz' || path === '/readyz' || path === '/metrics') return 'operations';
  return path.startsWith('/docs') || path.startsWith('/console') ? 'pages' : 'other';
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts by class, method and status. prom-client would look up three labels by name for each request. */
export class RequestMetrics {
  private readonly series = new Map<string, Series>();

  observe(path: string, method: string, status: number, seconds: number): void {
    const route = routeClass(path);
    const key = `${route} ${method} ${status}`;
    let series = this.series.get(key);
    if (series === undefined) {
      // An unknown method gets no series of its own: the caller chooses its name.
      if (method !== 'other' && !METHODS.has(method)) return this.observe(path, 'other', status, seconds);
      series = {
        labels: `route="${route}",method="${method}",status="${status}"`,
        buckets: new Array<number>(BUCKETS.length).fill(0),
        count: 0,
        sum: 0,
      };
      this.series.set(key, series);
    }
    series.count++;
    series.sum += seconds;
    for (let i = 0; i < BUCKETS.length; i++) {
      if (seconds <= BUCKETS[i]!) {
        series.buckets[i]!++;
        break;
      }
    }
  }

  render(): string {
    const lines = [`# HELP ${NAME} Answered requests.`, `# TYPE ${NAME} histogram`];
    for (const { labels, buckets, count, sum } of this.series.values()) {
      let below = 0;
      BUCKETS.forEach((bound, i) => {
        below += buckets[i]!;
        lines.push(`${NAME}_bucket{${labels},le="${bound}"} ${below}`);
      });
      lines.push(`${NAME}_bucket{${labels},le="+Inf"} ${count}`);
      lines.push(`${NAME}_sum{${labels}} ${sum}`, `${NAME}_count{${labels}} ${count}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

const KEPT = 1_000;

// The metrics of Node.js belong to the process: each call would begin observers and timers that never end.
const ofProcess = new Registry();
collectDefaultMetrics({ register: ofProcess });
// Gauges named like counters, which `promtool check metrics` refuses. Their values by type remain.
for (const kind of ['handles', 'requests', 'resources']) ofProcess.removeSingleMetric(`nodejs_active_${kind}_total`);

/** A source of metrics of a room. Metrics never contain a tenant's name or id. */
interface MetricsSource {
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
  // Metrics from the database: while it is away, the others stay readable.
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
