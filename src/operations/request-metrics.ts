const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const NAME = 'bridge_http_request_seconds';

interface Series {
  labels: string;
  buckets: number[];
  count: number;
  sum: number;
}

/** Returns the class of a path, one of about a dozen: a metric has no room for paths, and must not contain names. */
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

/**
 * Counts requests by class, method and status. Not by prom-client, which would look up three labels by name for each
 * request: that costs more than all of this.
 */
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

  /** Returns the counters in the text format of Prometheus. */
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
