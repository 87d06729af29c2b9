import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../base/database/database.js';
import { WriteStatement } from '../base/database/write-statement.js';
import type { LinkedBy } from '../identity/adoption.rules.js';
import { SeatsService } from '../seats/seats.service.js';
import { LostRace } from './write/lost-race.js';
import { UserConsequences } from './write/consequences.rules.js';
import { asksSeat, decide, newWrite, NO_OBSTACLES, rowAfter, type Case } from './write/write-case.js';
import { writtenIn } from './write/requested-state.rules.js';
import { matchOf } from './write/link.rules.js';
import { Taken } from './users.errors.js';
import { UsersRepository, type Holder, type UserWithGroups } from './users.repository.js';
import { insertUser, type CreatedUser } from './write/subject.sql.js';
import type { WriteContext } from './write/write-context.js';

/** What a careful creation came to: somebody new, or somebody whom the draft means and who has to be linked with it. */
export type Creation =
  { kind: 'created'; row: UserWithGroups; forwarded: boolean } | { kind: 'link'; row: UserWithGroups; by: LinkedBy };

/** Brings people in: the plain way in one statement, the careful one in a transaction that looks before it writes. */
@Injectable()
export class UserCreation {
  constructor(
    private readonly db: Database,
    private readonly repository: UsersRepository,
    private readonly seats: SeatsService,
    private readonly consequences: UserConsequences,
  ) {}

  /**
   * Creates in one statement that checks its own assumptions: nobody in the way, nobody to link with, a seat that
   * needs no exact count. Null where one of them does not hold; then nothing was written.
   */
  async plainly(
    about: Case & { ctx: WriteContext },
    also?: (tx: WriteStatement) => void,
  ): Promise<{ row: UserWithGroups; forwarded: boolean } | null> {
    const { ctx } = about;
    const written = writtenIn(about);
    const wants = asksSeat(about, written);
    const mode = wants ? await this.seats.modeFor(ctx.tenantId, ctx.door, false) : 'free';
    if (mode === 'exact') return null;
    const decision = decide(about, written, NO_OBSTACLES);
    const tx = new WriteStatement();
    const claims = decision.seat === 'held';
    const seat = claims ? this.seats.guard(tx, ctx.tenantId, await this.seats.limitOf(ctx.tenantId), mode, null) : null;
    const write = newWrite(about, decision);
    insertUser(tx, ctx.tenantId, write, { seat, clashes: false, unlinked: ctx.directory ?? false });
    const forwarded = this.consequences.ofWrite(tx, ctx, null, write);
    also?.(tx);
    const [made] = await tx.run<CreatedUser>(this.db);
    if (made === undefined) {
      this.seats.forget(ctx.tenantId);
      return null;
    }
    return { row: { ...rowAfter(null, write), manager: made.manager ?? null }, forwarded };
  }

  /** Looks who is in the way, counts seats where they are few, then creates. Throws `Taken` and `SeatLimitReached`. */
  async carefully(
    tx: SqlRunner,
    about: Case & { ctx: WriteContext },
    also?: (tx: WriteStatement) => void,
  ): Promise<Creation> {
    const { ctx, draft } = about;
    const written = writtenIn(about);
    const key = written.person.external_id;
    const holders = await this.repository.holders(ctx.tenantId, draft, key, null, tx, ctx.directory);
    const match = matchOf(ctx.directory, holders, !draft.active);
    if (match !== null) {
      const { holder, by } = match;
      const row = await this.repository.read(ctx.tenantId, holder.id, tx, true);
      // What was found without a lock may have changed since.
      if (!row || row.gone !== holder.gone || row.directory_id !== holder.directory_id) throw new LostRace();
      if (row.status !== holder.status) throw new LostRace();
      return { kind: 'link', row, by };
    }
    const yielding = refuseClashes(ctx, holders, draft.active);
    if (yielding !== null) await this.repository.giveNameAway(tx, ctx.tenantId, yielding, draft);
    const taken = clashesIn(holders);
    // Held before the question of a seat comes up.
    const clash = taken.emailTaken || taken.externalIdTaken;
    const wants = !clash && asksSeat(about, written);
    const seatFree =
      !wants || (await this.seats.freeUnderLock(tx, ctx.tenantId, { door: ctx.door, isOwner: false, userId: null }));
    const decision = decide(about, written, { ...taken, seatFree });
    const work = new WriteStatement();
    const write = newWrite(about, decision);
    insertUser(work, ctx.tenantId, write, { seat: null, clashes: false, unlinked: false });
    const forwarded = this.consequences.ofWrite(work, ctx, null, write);
    also?.(work);
    const [made] = await work.run<CreatedUser>(tx);
    if (made === undefined) throw new LostRace();
    return { kind: 'created', row: { ...rowAfter(null, write), manager: made.manager ?? null }, forwarded };
  }
}

/** Who is active and has the e-mail or the key. */
export function clashesIn(holders: Holder[]): { emailTaken: boolean; externalIdTaken: boolean } {
  return {
    emailTaken: holders.some((h) => h.same_email && h.status === 'active'),
    externalIdTaken: holders.some((h) => h.same_key && h.status === 'active'),
  };
}

/**
 * Refuses what the channel does not take: a name twice for all, an e-mail or key of an active user for all but SCIM. Where
 * no request waits for an answer, the e-mail or key of another user holds the user instead.
 *
 * @returns the user that has to give its name away first, or null
 * @throws {Taken} when another user has the name, e-mail or key
 */
export function refuseClashes(ctx: WriteContext, holders: Holder[], active: boolean): Holder | null {
  if (ctx.door !== 'scim' && active && !ctx.mayWait) {
    const email = holders.find((h) => h.same_email && h.status === 'active');
    if (email) throw new Taken('email_taken', email.id);
    const key = holders.find((h) => h.same_key && h.status === 'active');
    if (key) throw new Taken('external_id_taken', key.id);
  }
  const name = holders.find((h) => h.same_name && !h.gone);
  if (name === undefined) return null;
  if (!name.yields) throw new Taken('user_name_taken', name.id);
  return name;
}
