import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { SeatsService } from '../../../seats/seats.service.js';
import { keepsFormer } from '../../../tenancy/identity/held.rules.js';
import { currentOf } from '../user.row.js';
import { Taken } from '../users.errors.js';
import { UsersRepository, type ConflictingUserRow } from '../users.repository.js';
import { asksSeat, writtenIn } from './state.rules.js';
import type { Conflicts, WriteCase } from './write-case.js';

/** The reads of the pessimistic write, under locks that hold to the end of its transaction. */
@Injectable()
export class ConflictSearch {
  constructor(
    private readonly repository: UsersRepository,
    private readonly seats: SeatsService,
  ) {}

  users(tx: SqlRunner, about: WriteCase): Promise<ConflictingUserRow[]> {
    const { ctx, row, draft } = about;
    const key = writtenIn(about).person.external_id;
    const linking = row === null ? ctx.directory : null;
    return this.repository.conflicting(ctx.tenantId, draft, key, row?.id ?? null, tx, linking);
  }

  /**
   * Resolves conflicts: takes a substitute `userName` from its user, and claims a seat under the tenant's lock.
   *
   * @throws {Taken} when another user has a name, or an e-mail or key that the channel refuses
   * @throws {SeatLimitReached} when no seat is free and the channel's policy is `block`
   */
  async settle(tx: SqlRunner, about: WriteCase, users: ConflictingUserRow[]): Promise<Conflicts> {
    const { ctx, row, draft, released, tenant } = about;
    const yielding = refuseTaken(about, users);
    if (yielding !== null) await this.repository.giveNameAway(tx, ctx.tenantId, yielding, draft);
    const emailTaken = users.some((u) => u.same_email && u.status === 'active');
    const externalIdTaken = users.some((u) => u.same_key && u.status === 'active');
    const conflicts = {
      guardReached: false,
      changesReached: false,
      emailTaken,
      externalIdTaken,
      ...(await this.substitutes(tx, about, { emailTaken, externalIdTaken })),
    };
    const isHeld = emailTaken || (externalIdTaken && (released !== 'external_id_taken' || conflicts.standInTaken));
    // A user who stays inactive needs no seat; one whom an administrator admits over the limit counts as overage.
    const staysOut = isHeld && !keepsFormer(row && currentOf(row), conflicts);
    const asks = !staysOut && released !== 'no_seat' && asksSeat(about, writtenIn(about));
    if (!asks) return { ...conflicts, seatFree: true };
    const seatFree = await this.seats.freeUnderLock(tx, ctx.tenantId, {
      channel: ctx.channel,
      isOwner: row !== null && row.id === tenant.ownerUserId,
      userId: row?.id ?? null,
      // A user who already waits is not refused for a change of the name.
      mayWait: (ctx.mayWait ?? false) || row?.seat === 'waiting',
      inTurn: ctx.inTurn,
    });
    return { ...conflicts, seatFree };
  }

  /** Returns whether the values are taken, too, that would replace the taken ones. */
  private async substitutes(
    tx: SqlRunner,
    { ctx: { tenantId }, row, draft, released }: WriteCase,
    taken: { emailTaken: boolean; externalIdTaken: boolean },
  ): Promise<Pick<Conflicts, 'formerTaken' | 'standInTaken'>> {
    const { emailTaken, externalIdTaken } = taken;
    if (row === null || (!emailTaken && !externalIdTaken)) return { formerTaken: false, standInTaken: false };
    const isReleased = externalIdTaken && released === 'external_id_taken';
    const standIn = { email: null, external_id: isReleased ? draft.userName : null };
    const standInTaken = isReleased && (await this.repository.isTaken(tx, tenantId, standIn, row.id));
    const former = {
      email: emailTaken ? row.email : null,
      external_id: externalIdTaken && !isReleased ? row.person_external_id : null,
    };
    // No other user has the values of an active user.
    const formerTaken = row.status === 'inactive' && (await this.repository.isTaken(tx, tenantId, former, row.id));
    return { formerTaken, standInTaken };
  }
}

/**
 * Refuses a taken name for all channels, and a taken e-mail or key of an active user for all but SCIM. Where no request
 * waits for an answer, the taken value holds the user instead.
 *
 * @returns the user that has to give its name away first, or null
 * @throws {Taken} when another user has the name, e-mail or key
 */
function refuseTaken({ ctx, draft }: WriteCase, users: ConflictingUserRow[]): ConflictingUserRow | null {
  if (ctx.channel !== 'scim' && draft.active && !ctx.mayWait) {
    const email = users.find((u) => u.same_email && u.status === 'active');
    if (email) throw new Taken('email_taken', email.id);
    const key = users.find((u) => u.same_key && u.status === 'active');
    if (key) throw new Taken('external_id_taken', key.id);
  }
  const name = users.find((u) => u.same_name && !u.gone);
  if (name === undefined) return null;
  if (!name.yields) throw new Taken('user_name_taken', name.id);
  return name;
}

const MOST_DIRECTORIES = 5000;

/**
 * The directories whose last creation was refused for its `userName`. An IdP that lost its state creates existing users
 * again, one after the other. For such a directory the name is looked up before the next creation: a look-up costs a
 * fourth of the statement. The first free name ends the look-ups.
 */
export class RefusedNames {
  private readonly directories = new Set<string>();

  has(directoryId: string): boolean {
    return this.directories.has(directoryId);
  }

  note(directoryId: string, refused: boolean): void {
    this.directories.delete(directoryId);
    if (!refused) return;
    // The oldest refusal is stored again when its directory is refused again.
    if (this.directories.size >= MOST_DIRECTORIES) this.directories.delete(this.directories.values().next().value!);
    this.directories.add(directoryId);
  }
}
