import type { DiscoveryService } from '@nestjs/core';
import type { SqlRunner } from '../database/statement-batches.js';

/** The time of the application's clock, in the SQL of {@link WorkKind.due}. */
export const NOW = '$2';

/** The subject of a piece of work. Work of the installation has no tenant and no id: both are empty. */
export interface WorkKey {
  readonly tenantId: string;
  readonly id: string;
}

/** One turn of a piece of work. No other process has the work during the turn. */
export interface Turn extends WorkKey {
  /** In a row before this turn. */
  readonly failures: number;
  /** The process stops, or its lease has ended: the turn begins nothing more. */
  readonly isOver: boolean;
  /**
   * Renews the lease, and keeps every other process from the work until the commit.
   *
   * @throws {LeaseLost} when another process has the work
   */
  hold(tx: SqlRunner): Promise<void>;
}

/** Another process has the work by now: the decisions of this one are not written. */
export class LeaseLost extends Error {}

/** The result of a turn. */
export interface TurnOutcome {
  readonly state: 'done' | 'again' | 'failed';
  /** In milliseconds; null for that of the kind. */
  readonly restMs: number | null;
  readonly reason: string | null;
}

/** Nothing is left to do. Work with an interval follows after it, other work when it is due again. */
export const DONE: TurnOutcome = { state: 'done', restMs: null, reason: null };

/** More is left to do, after the turns of others. */
export function again(restMs = 0): TurnOutcome {
  return { state: 'again', restMs, reason: null };
}

/** The turn has failed: the work rests, longer after each failure in a row, and at least for `restMs`. */
export function failed(reason: string, restMs: number | null = null): TurnOutcome {
  return { state: 'failed', restMs, reason };
}

/** The rests after failures in a row: each is twice the one before. */
export interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/**
 * A kind of background work. A room declares it as a provider, and the engine (`src/engine/work`) finds it there: each piece is
 * done by one process at a time, in turns, and another process continues when that one ends.
 */
export abstract class WorkKind {
  abstract readonly kind: string;
  /** The interval of work of the installation; of other work, how often a process looks for due work: 0, always. */
  abstract readonly everyMs: number;
  /** Turns call other servers: they take places for that, and none of the few for other work. */
  readonly callsOut: boolean = false;
  /** A process has one turn of this kind at a time, beside those of other kinds. */
  readonly isAlone: boolean = false;
  readonly backoff: Backoff = { firstMs: 10_000, mostMs: 600_000 };

  /**
   * Returns a query for the due pieces, with the columns `tenant_id`, `id`, `since`, and `server`, the name of the server that
   * is called. A turn reads anew whether its piece is due. null when the work is one piece, of the installation.
   */
  due(): string | null {
    return null;
  }

  /** Has one turn: some seconds of work at the most where others wait for theirs. No result means done. */
  abstract run(turn: Turn): Promise<TurnOutcome | void>;
}

/** Work of the installation: one process at a time has it, in an interval. */
export abstract class IntervalWork extends WorkKind {
  override readonly isAlone = true;
}

/** Returns the providers of the application that are of a class: rooms declare them, without a list. */
export function instancesOf<T>(
  discovery: Pick<DiscoveryService, 'getProviders'>,
  type: abstract new (...args: never[]) => T,
): T[] {
  const instances = discovery.getProviders().map(({ instance }) => instance as unknown);
  return [...new Set(instances.filter((instance): instance is T => instance instanceof type))];
}
