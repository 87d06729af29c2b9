import { Injectable } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { Database, type SqlRunner } from '../base/database/database.js';
import type { Part, WriteStatement } from '../base/database/write-statement.js';
import { DomainError } from '../base/errors/domain-error.js';
import { FreshCache } from '../base/fresh-cache.js';
import type { ChangeSource } from '../tenancy/identity/person.js';
import { SeatHolders } from './ledger/seat-holders.js';
import {
  claimMode,
  decideSeat,
  type ClaimMode,
  type SeatAsk,
  type SeatLimit,
  type SeatLine,
  type WriteChannel,
} from './seat.rules.js';
import { SeatsRepository } from './seats.repository.js';

/** No seat is left and the channel's policy is `block`: 409 in the API, 403 in SCIM. */
export class SeatLimitReached extends DomainError {
  readonly kind = 'no-seat';
  readonly code = 'seat_limit_reached';
  constructor(limit: number) {
    super(`All ${limit} seats are taken. Free one, or raise the limit, and try again.`);
  }
}

interface SeatClaim {
  readonly limit: SeatLimit;
  readonly mode: ClaimMode;
}

const TTL = 1000;

/** Claims and releases seats as part of a write. */
@Injectable()
export class SeatsService {
  // A stale limit is harmless: the statement checks it again.
  private readonly limits: FreshCache<SeatLimit>;

  constructor(
    private readonly repository: SeatsRepository,
    private readonly holders: SeatHolders,
    db: Database,
    clock: Clock,
  ) {
    this.limits = new FreshCache(clock, TTL, { proof: db.feed });
    db.feed.on(['seat_limits'], (row) => this.limits.drop(row?.tenantId));
  }

  async claimFor(tenantId: string, channel: WriteChannel, isOwner: boolean): Promise<SeatClaim> {
    const limit = await this.limitOf(tenantId);
    return { limit, mode: claimMode(limit, channel, isOwner) };
  }

  limitOf(tenantId: string): Promise<SeatLimit> {
    return this.limits.get(tenantId, () => this.repository.limitOf(tenantId));
  }

  forget(tenantId: string): void {
    this.limits.drop(tenantId);
  }

  /**
   * Adds the condition of a claim without an exclusive lock.
   *
   * @param userId null for a new user
   * @returns the part whose row the subject must demand; null when nothing can stop the claim (policy `allow`, or the
   * owner)
   */
  guard(statement: WriteStatement, tenantId: string, { limit, mode }: SeatClaim, userId: string | null): Part | null {
    if (mode === 'open') return this.repository.guard(statement, tenantId, 'open', userId);
    return limit.limit === null ? this.repository.guard(statement, tenantId, 'unlimited', userId) : null;
  }

  /**
   * Returns whether a seat is free for the user, and not for one who has waited longer, under the tenant's lock to the
   * end of the transaction.
   *
   * @throws {SeatLimitReached} when none is free, the channel's policy is `block`, and the user may not wait
   */
  async freeUnderLock(tx: SqlRunner, tenantId: string, ask: SeatAsk): Promise<boolean> {
    const { limit, free } = await this.repository.lockAndCount(tx, tenantId);
    // Waiting users are counted only where the count decides.
    const counts = free > 0 && !ask.inTurn && claimMode(limit, ask.channel, ask.isOwner) !== 'free';
    const waiting = counts ? await this.holders.waitingFor(tx, tenantId, ask.userId, free) : 0;
    const decision = decideSeat(limit, ask, { free, waiting });
    if (decision === 'blocked') throw new SeatLimitReached(limit.limit!);
    return decision !== 'must_wait';
  }

  addUpdates(statement: WriteStatement, tenantId: string, reason: string, source: ChangeSource): void {
    this.repository.addUpdates(statement, tenantId, reason, source);
  }

  addLine(statement: WriteStatement, tenantId: string, line: SeatLine, source: ChangeSource): void {
    this.repository.add(statement, tenantId, line, source);
  }
}

/** A seat, an e-mail address or a key of a tenant has become free: waiting users may come into force. */
export class RoomMade {
  constructor(readonly tenantId: string) {}
}
