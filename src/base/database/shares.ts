import pg, { type PoolConfig } from 'pg';
import type { GateOptions } from './connection-gate.js';

/** Seconds that a search may take on the server. */
export const SEARCH_SECONDS = 3;

/** Seconds that a statement waits for a lock on a row before it gives its connection back and tries again. */
export const LOCK_SECONDS = 3;

const QUEUE = 1_000;
const SEARCH_QUEUE = 100;
const PATIENCE_MS = 10_000;

/**
 * Divides the connections of a process: a quarter (at least one) for searches, the rest for everything else. A tenant's
 * share is a quarter of the whole; of the connections for searches it is half, so that a tenant's searches never hold
 * all of them. The reserve keeps a quarter free for others where one tenant goes over its share.
 *
 * @param total connections of the process, at least 2 (`DATABASE_POOL`)
 */
export function sharesOf(total: number): { statements: GateOptions; searches: GateOptions } {
  const quarter = Math.max(1, Math.floor(total / 4));
  const connections = Math.max(1, total - quarter);
  const searchShare = Math.max(1, Math.floor(quarter / 2));
  return {
    statements: {
      connections,
      share: Math.min(quarter, connections),
      reserve: Math.min(quarter, connections - 1),
      queue: QUEUE,
      patienceMs: PATIENCE_MS,
    },
    searches: {
      connections: quarter,
      share: searchShare,
      // Nobody goes over the share here: a search holds its connection for long.
      reserve: quarter - 1,
      queue: SEARCH_QUEUE,
      patienceMs: PATIENCE_MS,
    },
  };
}

/**
 * Makes the pool for searches. The server itself ends each statement after {@link SEARCH_SECONDS}, so that none goes on
 * after its caller has gone, and a search uses one core: parallel workers would take the others from everybody else.
 */
export function searchPoolOf(options: PoolConfig, connections: number): pg.Pool {
  const start = `${options.options ?? ''} -c statement_timeout=${SEARCH_SECONDS * 1000} -c max_parallel_workers_per_gather=0`;
  const pool = new pg.Pool({ ...options, max: connections, options: start, allowExitOnIdle: true });
  // A connection that breaks while it is idle is replaced with the next search.
  pool.on('error', () => undefined);
  return pool;
}
