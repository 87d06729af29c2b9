import { Injectable } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { Database, type SqlRunner } from '../base/database/database.js';
import { EventsRepository, type NewEvent } from '../engine/events/events.service.js';
import { Chain, Chains, type ChainKind, type NoticedBatch } from '../tenancy/ledger/chain.js';
import { HeadsRepository, UTC } from '../tenancy/ledger/heads.repository.js';
import { seal, seatChainLine, type SealedEntry } from './ledger/chain.rules.js';
import { SeatsService } from './seats.service.js';

/** The part of the limit from which on it is near. */
const NEAR = 0.9;

export interface SealedSeats {
  limit: number;
  /** Seats in use before the lines. */
  before: number;
  counts: readonly number[];
  limitChanged: boolean;
}

interface SeatFact {
  event: 'seat.limit_approaching' | 'seat.limit_reached';
  data: { limit: number; used: number; threshold: number };
}

/**
 * Returns the marks that the seats have passed upwards. A new limit passes marks that the seats have already reached.
 */
export function seatFacts({ limit, before, counts, limitChanged }: SealedSeats): SeatFact[] {
  const near = Math.ceil(limit * NEAR);
  const marks = [
    { event: 'seat.limit_approaching', threshold: near },
    { event: 'seat.limit_reached', threshold: limit },
  ] as const;
  return marks.flatMap(({ event, threshold }) => {
    // A limit of a few seats is near only when it is reached.
    if (limit === 0 || (event === 'seat.limit_approaching' && near === limit)) return [];
    const used = counts.find((count, i) => {
      const earlier = counts[i - 1] ?? before;
      return count >= threshold && (limitChanged || earlier < threshold);
    });
    return used === undefined ? [] : [{ event, data: { limit, used, threshold } }];
  });
}

export const SEALED_ENTRY_COLUMNS = `entry_id::text as entry_id, kind, user_id, delta, role, directory_id, cost_center, details,
  reason, source, ${UTC('occurred_at')} as occurred_at, sequence::int as sequence, count_after,
  ${UTC('effective_at')} as effective_at, encode(previous_hash, 'hex') as previous_hash, encode(hash, 'hex') as hash`;

const KIND: ChainKind<SealedEntry> = {
  chain: 'seats',
  columns: SEALED_ENTRY_COLUMNS,
  mayBeEmpty: true,
  ordered: true,
  batch: 2000,
  line: seatChainLine,
  sealed: (head, rows, now) => {
    const entries = seal(head, rows);
    return {
      ids: entries.map((entry) => entry.entry_id),
      hashes: entries.map((entry) => entry.hash),
      counts: entries.map((entry) => entry.count_after),
      effectiveAt: entries.map((entry) => entry.effective_at),
      sealedThrough: [now, entries.at(-1)?.effective_at ?? '', head.sealed_through ?? ''].sort().at(-1)!,
    };
  },
};

@Injectable()
export class SeatChain extends Chain<SealedEntry> {
  constructor(
    db: Database,
    heads: HeadsRepository,
    chains: Chains,
    private readonly seats: SeatsService,
    private readonly events: EventsRepository,
    private readonly clock: Clock,
  ) {
    super(db, heads, chains, KIND);
  }

  /**
   * Records that the limit is near or reached. Only the sealer counts seats in order: a claim far from the limit does
   * not.
   */
  protected override async noticed(
    tx: SqlRunner,
    tenantId: string,
    { rows, before, counts }: NoticedBatch<SealedEntry>,
  ): Promise<void> {
    const { limit } = await this.seats.limitOf(tenantId);
    if (limit === null) return;
    const facts = seatFacts({ limit, before, counts, limitChanged: rows.some(({ kind }) => kind === 'limit') });
    // Seats that move around a mark are reported once a day.
    const day = this.clock.now().toISOString().slice(0, 10);
    const events = facts.map((fact): NewEvent => ({ ...fact, threshold: `${fact.data.threshold} ${limit} ${day}` }));
    await this.events.record(tenantId, events, tx);
  }
}
