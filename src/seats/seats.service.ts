import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../base/database/database.js';
import type { Part, WriteStatement } from '../base/database/write-statement.js';
import type { SeatState } from '../identity/held.rules.js';
import type { ChangeSource } from '../identity/source.js';
import { claimMode, seatMove, type ClaimMode, type Door, type HolderFacts, type SeatLimit } from './seat.rules.js';
import { SeatLimitReached } from './seats.errors.js';
import { SeatsRepository } from './seats.repository.js';

/** What is said in the ledger beside the move itself: the role, directory and cost centre of that moment. */
export interface SeatCircumstances extends HolderFacts {
  reason: string;
  source: ChangeSource;
  /** What the ledger says of the user before the write; left out: nothing. */
  known?: HolderFacts | null;
  /** The user has held the seat before this service knew of it: the line is an opening balance. */
  opening?: boolean;
}

/** Who asks for a seat under the tenant's lock. */
export interface SeatAsk {
  door: Door;
  isOwner: boolean;
  /** null: somebody new. */
  userId: string | null;
  /** Waits where the door's policy would `block`. */
  mayWait?: boolean;
  /** It is this person's turn: nobody has waited longer. */
  inTurn?: boolean;
}

const REMEMBERED_MS = 1000;

/** Takes and gives back seats as part of the write that needs it. */
@Injectable()
export class SeatsService {
  // What was read lately. Wrong for a second at the most, and harmless then: the statement checks it again.
  private readonly remembered = new Map<string, { limit: SeatLimit; until: number }>();

  constructor(private readonly repository: SeatsRepository) {}

  /** How a claim may be made just now. */
  async modeFor(tenantId: string, door: Door, isOwner: boolean): Promise<ClaimMode> {
    return claimMode(await this.limitOf(tenantId), door, isOwner);
  }

  /** The limit as it was at most a second ago. */
  async limitOf(tenantId: string): Promise<SeatLimit> {
    const now = performance.now();
    const known = this.remembered.get(tenantId);
    if (known && known.until > now) return known.limit;
    const limit = await this.repository.limitOf(tenantId);
    if (this.remembered.size > 10_000) this.remembered.clear();
    this.remembered.set(tenantId, { limit, until: now + REMEMBERED_MS });
    return limit;
  }

  /** Forgets what was read lately, after a guard has refused or the limit was changed. */
  forget(tenantId: string): void {
    this.remembered.delete(tenantId);
  }

  /**
   * Adds the condition of a claim without a lock of its own.
   *
   * @param userId null: a new user
   * @returns the part whose row the subject must demand; null: nothing can stop the claim (policy `allow`, or the owner)
   */
  guard(
    statement: WriteStatement,
    tenantId: string,
    limit: SeatLimit,
    mode: ClaimMode,
    userId: string | null,
  ): Part | null {
    if (mode === 'open') return this.repository.guard(statement, tenantId, 'open', userId);
    return limit.limit === null ? this.repository.guard(statement, tenantId, 'unlimited', userId) : null;
  }

  /**
   * Under the tenant's lock: may this person have a seat? A free one that somebody else waits for is not free. Throws
   * `SeatLimitReached` where the door's policy is `block`, unless the person `mayWait` all the same. The answer holds to
   * the end of the transaction.
   */
  async freeUnderLock(tx: SqlRunner, tenantId: string, ask: SeatAsk): Promise<boolean> {
    const { limit, free } = await this.repository.lockAndCount(tx, tenantId);
    if (free === null || claimMode(limit, ask.door, ask.isOwner) === 'free') return true;
    if (free > 0 && (ask.inTurn || free > (await this.repository.waiting(tx, tenantId, ask.userId, free)))) return true;
    if (limit.policies[ask.door] === 'block' && !ask.mayWait) throw new SeatLimitReached(limit.limit!);
    return false;
  }

  /** Adds what the ledger has to say about a move to the write that makes it. */
  settle(
    statement: WriteStatement,
    tenantId: string,
    before: SeatState,
    after: SeatState,
    about: SeatCircumstances,
  ): void {
    const { known, opening, ...line } = about;
    const move = seatMove(before, after, known, line);
    if (move === 'keep') return;
    this.repository.add(statement, tenantId, { move: move === 'claim' && opening ? 'opening' : move, ...line });
  }
}
