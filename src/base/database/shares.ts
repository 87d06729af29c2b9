import pg, { type PoolConfig } from 'pg';
import type { GateOptions } from './database-health.js';

/** On the server. */
export const SEARCH_SECONDS = 3;

/** Seconds that a statement waits for a row lock before it returns its connection and is repeated. */
export const LOCK_SECONDS = 3;

const QUEUE = 1_000;
const SEARCH_QUEUE = 100;
const PATIENCE_MS = 10_000;

/**
 * Divides the connections of a process: a quarter (at least one) for searches, the rest for other statements. A tenant's share
 * is a quarter of all; of the connections for searches it is half, so that one tenant's searches never hold all of them. The
 * reserve keeps a quarter free for others where one tenant uses more than its share.
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
      // No owner uses more than its share here: a search holds its connection for long.
      reserve: quarter - 1,
      queue: SEARCH_QUEUE,
      patienceMs: PATIENCE_MS,
    },
  };
}

/**
 * Creates the pool for searches. The server ends each statement after {@link SEARCH_SECONDS}, also when its caller has gone. A
 * search uses one core: parallel workers would take the others from other statements.
 */
export function searchPoolOf(options: PoolConfig, connections: number): pg.Pool {
  const start = `${options.options ?? ''} -c statement_timeout=${SEARCH_SECONDS * 1000} -c max_parallel_workers_per_gather=0`;
  const pool = new pg.Pool({ ...options, max: connections, options: start, allowExitOnIdle: true });
  // An idle connection that breaks is replaced with the next search.
  pool.on('error', () => undefined);
  return pool;
}
