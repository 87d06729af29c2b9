import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { Logger } from '../../../base/log/logger.js';
import { TenantStore, type TenantView } from '../../../tenancy/tenants/tenant.store.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { emailKeyOf, type UserDocument, draftOf } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';
import { UsersRepository, type UserWithGroups } from '../users.repository.js';
import { requestedKey } from './state.rules.js';
import { UserEditing } from './user-editing.js';
import type { WritingDirectory, Alongside, WriteContext } from './write-case.js';
import { retried, type CompletedWrite } from './write-runner.js';

type UniqueField = 'email' | 'external_id';

export interface UniqueValues {
  has: Record<UniqueField, string | null>;
  wants: Record<UniqueField, string | null>;
}

export function isInConflict({ status, active, gone, held }: UserRow): boolean {
  return status === 'active' && active && !gone && (held === 'email_taken' || held === 'external_id_taken');
}

export function uniqueValuesOf(row: UserRow, directory: Pick<WritingDirectory, 'attributeMap'> | null): UniqueValues {
  const draft = draftOf(JSON.parse(row.doc) as UserDocument, directory?.attributeMap);
  return {
    has: { email: emailKeyOf(row.email), external_id: row.person_external_id },
    wants: { email: emailKeyOf(draft.email), external_id: requestedKey(row, draft, directory !== null) },
  };
}

/** Returns whether each claim wants the value of the next one, and the last one that of the first. */
export function isExchangeCircle(claims: readonly UniqueValues[], field: UniqueField): boolean {
  return (
    claims.length > 1 &&
    claims.every(({ wants }, i) => {
      const next = claims[(i + 1) % claims.length]!;
      return wants[field] !== null && wants[field] === next.has[field];
    })
  );
}

interface Circle {
  field: UniqueField;
  ids: string[];
}

interface Member {
  row: UserWithGroups;
  directory: WritingDirectory | null;
  claim: UniqueValues;
}

type Directories = Map<string, WritingDirectory>;

interface Exchange {
  ctx: WriteContext;
  tenant: TenantView;
  circles: readonly Circle[];
  known: Directories;
  start: string;
  along: Pick<Alongside, 'inSameStatement'>;
}

const COLUMNS = { email: 'email_key', external_id: 'person_external_id' } as const;
const MOST_MEMBERS = 100;

/** The locked rows do not form the circle: nothing is written. */
class NotSettled extends Error {}

/** Lets users who are held for each other's e-mails or keys exchange them, in one transaction. */
@Injectable()
export class Circles {
  constructor(
    private readonly db: Database,
    private readonly users: UsersRepository,
    private readonly editing: UserEditing,
    private readonly directories: DirectoryStore,
    private readonly tenants: TenantStore,
    private readonly logger: Logger,
  ) {}

  /**
   * Settles the circles of a user after a write. A failure is only logged: the write is committed, and the upkeep of
   * held users tries again.
   */
  async after(ctx: WriteContext, row: UserWithGroups): Promise<CompletedWrite[]> {
    if (!isInConflict(row)) return [];
    try {
      return await this.settle(ctx, row);
    } catch (error) {
      this.logger.error('settling a circle of held users failed', { user_id: row.id, error });
      return [];
    }
  }

  /** Returns the writes of all users of the circles. `along` has rows that belong to the write of this user. */
  async settle(
    ctx: WriteContext,
    row: UserWithGroups,
    along: Pick<Alongside, 'inSameStatement'> = {},
  ): Promise<CompletedWrite[]> {
    if (!isInConflict(row)) return [];
    const known: Directories = new Map();
    const circles: Circle[] = [];
    for (const field of ['email', 'external_id'] as const) {
      const ids = await this.circleOf(ctx.tenantId, row, field, known);
      if (ids !== null) circles.push({ field, ids });
    }
    if (circles.length === 0) return [];
    const exchange: Exchange = {
      ctx,
      tenant: await this.tenants.get(ctx.tenantId),
      circles,
      known,
      start: row.id,
      along,
    };
    try {
      return await retried(this.db, ctx.tenantId, (tx) => this.exchange(tx, exchange));
    } catch (error) {
      if (error instanceof NotSettled) return [];
      throw error;
    }
  }

  /** Follows the holders of the wanted values. Returns the users in this order; null when they form no circle. */
  private async circleOf(
    tenantId: string,
    start: UserWithGroups,
    field: UniqueField,
    known: Directories,
  ): Promise<string[] | null> {
    const ids: string[] = [];
    for (let row: UserWithGroups | undefined = start; row !== undefined && ids.length < MOST_MEMBERS;) {
      await this.learn(tenantId, row.directory_id, known);
      const member = ids.includes(row.id) ? null : memberOf(row, known);
      if (member === null) return null;
      ids.push(row.id);
      const { has, wants } = member.claim;
      const wanted = wants[field];
      if (wanted === null || wanted === has[field]) return null;
      row = await this.users.holder(tenantId, COLUMNS[field], wanted);
      if (row?.id === start.id) return ids;
    }
    return null;
  }

  private async learn(tenantId: string, id: string | null, known: Directories): Promise<void> {
    if (id !== null && !known.has(id)) known.set(id, await this.directories.get(tenantId, id));
  }

  private async exchange(
    tx: SqlRunner,
    { ctx, tenant, circles, known, start, along }: Exchange,
  ): Promise<CompletedWrite[]> {
    const { tenantId } = ctx;
    const locked = await this.users.lockAll(tx, tenantId, circles.flatMap(({ ids }) => ids)); // prettier-ignore
    const members = new Map(
      locked.flatMap((row) => memberOf(row, known) ?? []).map((member) => [member.row.id, member]),
    );
    // The rows may have changed since they were read without locks.
    const sound = circles.filter(({ ids, field }) => {
      const claims = ids.flatMap((id) => members.get(id)?.claim ?? []);
      return claims.length === ids.length && isExchangeCircle(claims, field);
    });
    for (const { ids, field } of sound) await this.users.clear(tx, tenantId, COLUMNS[field], ids);
    const done: CompletedWrite[] = [];
    // In the order of the ids, in which lanes are locked too.
    for (const [id, { row, directory }] of members) {
      if (!sound.some(({ ids }) => ids.includes(id))) continue;
      const draft = draftOf(JSON.parse(row.doc) as UserDocument, directory?.attributeMap);
      const trigger = { kind: 'exchanged', users: formerHolders(id, sound) } as const;
      const edit = { kind: 'reconsider', draft, trigger, ...(id === start ? along : {}) } as const;
      const channel = directory === null ? row.source : 'scim';
      done.push(await this.editing.locked(tx, { ...ctx, channel, directory, mayWait: true }, tenant, row, edit));
    }
    for (const circle of sound) demandSettled(circle, members, done);
    return done;
  }
}

/** Returns null when the user is not held for a value, or the writes of its directory have no effect. */
function memberOf(row: UserWithGroups, known: Directories): Member | null {
  const found = row.directory_id === null ? null : known.get(row.directory_id);
  if (!isInConflict(row) || found === undefined || found?.state === 'preview') return null;
  // Writes of a directory before it was taken over still count.
  const directory = found === null ? null : { ...found, superseded: false };
  return { row, directory, claim: uniqueValuesOf(row, directory) };
}

function formerHolders(id: string, circles: readonly Circle[]): string[] {
  const next = circles.filter(({ ids }) => ids.includes(id)).map(({ ids }) => ids[(ids.indexOf(id) + 1) % ids.length]!);
  return [...new Set(next)];
}

/** @throws {NotSettled} when an active user of the circle did not get the wanted value */
function demandSettled(
  { ids, field }: Circle,
  members: ReadonlyMap<string, Member>,
  done: readonly CompletedWrite[],
): void {
  for (const { row, outcome } of done) {
    if (!ids.includes(row.id)) continue;
    const { directory, claim } = members.get(row.id)!;
    const hasGot = row.status !== 'active' || uniqueValuesOf(row, directory).has[field] === claim.wants[field];
    if (outcome !== 'changed' || !hasGot) throw new NotSettled();
  }
}
