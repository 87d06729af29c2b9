import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import type { Pace } from '../connectors/connector.js';

/** A place in the queue of a connection's calls. */
export type PaceTurn = { kind: 'go'; afterMs: number } | { kind: 'later'; afterMs: number };

/**
 * The pace of each connection's calls over all processes: one row holds the theoretical arrival time of the generic
 * cell rate algorithm, and the end of a pause that the ATS asked for. The time is the database's.
 */
@Injectable()
export class AtsPaces {
  constructor(private readonly db: Database) {}

  /**
   * Takes the next turn of a connection.
   *
   * @param maxWaitMs a turn that is later is not taken
   */
  async take(tenantId: string, connectionId: string, pace: Pace, maxWaitMs: number): Promise<PaceTurn> {
    const step = 1 / pace.perSecond;
    const lead = step * pace.burst;
    const values = [tenantId, connectionId, step, lead, maxWaitMs / 1_000];
    const { rows } = await this.db.query<{ wait: number }>(TAKE, values);
    if (rows[0] !== undefined) return { kind: 'go', afterMs: msOf(rows[0].wait) };
    const { rows: later } = await this.db.query<{ wait: number }>(WAIT, values.slice(0, 4));
    return { kind: 'later', afterMs: Math.max(1_000, msOf(later[0]?.wait ?? 1)) };
  }

  /** Lets no call of a connection begin for a time. A longer pause stays. */
  async pause(tenantId: string, connectionId: string, ms: number): Promise<void> {
    await this.db.query(
      `insert into ats_paces as p (tenant_id, connection_id, arrival, paused_until)
       values ($1, $2, now(), now() + $3 * interval '1 second')
       on conflict (tenant_id, connection_id) do update
       set paused_until = greatest(p.paused_until, excluded.paused_until) where p.tenant_id = $1`,
      [tenantId, connectionId, ms / 1_000],
    );
  }
}

/** The wait of the next turn, in seconds; $3: the time of one call, $4: of a burst. */
const NEXT = `greatest(
  extract(epoch from greatest(p.arrival, now()) - now()) + $3 - $4,
  extract(epoch from p.paused_until - now()), 0)::float8`;

// The first call of a connection makes its row. No row comes back where the turn is too late.
const TAKE = `insert into ats_paces as p (tenant_id, connection_id, arrival)
  values ($1, $2, now() + $3::float8 * interval '1 second')
  on conflict (tenant_id, connection_id) do update
  set arrival = greatest(p.arrival, now()) + $3 * interval '1 second'
  where p.tenant_id = $1 and ${NEXT.replaceAll('$4', '$4::float8')} <= $5::float8
  returning greatest(
    extract(epoch from p.arrival - now()) - $4, extract(epoch from p.paused_until - now()), 0)::float8 as wait`;

const WAIT = `select ${NEXT.replaceAll('$3', '$3::float8').replaceAll('$4', '$4::float8')} as wait
  from ats_paces p where p.tenant_id = $1 and p.connection_id = $2`;

function msOf(seconds: number): number {
  return Math.ceil(seconds * 1_000);
}
