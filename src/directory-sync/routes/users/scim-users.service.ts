import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Database } from '../../../base/database/database.js';
import { KeyedReads } from '../../../base/database/record-list.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { RequestEffect } from '../../../base/http/request.js';
import { Logger } from '../../../base/log/logger.js';
import { applyPatch, type PatchOperation } from '../../../protocols/scim/patch/apply.js';
import { readResource } from '../../../protocols/scim/resource/coerce.js';
import { sameJson } from '../../../protocols/scim/resource/equal.js';
import { TenantStore } from '../../../tenancy/tenants/tenant.store.js';
import { DirectoryMarks } from '../../directories/directory-marks.js';
import { joinAwaited } from '../../users/groups/group.row.js';
import { refusedRoles } from '../../users/role.rules.js';
import type { Relations } from '../../users/user-relations.js';
import { type UserDocument, draftOf } from '../../users/user.mapping.js';
import type { UserRow } from '../../users/user.row.js';
import { UsersService, type AfterWrite, type Edit, type WriteResult } from '../../users/write/users.service.js';
import type { WriteContext, Removal } from '../../users/write/write-case.js';
import type { ListTable } from '../page-sql.js';
import { PreviewEditing } from '../preview/preview-editing.js';
import { MembershipReview, type Review } from '../role-tasks/membership-review.js';
import { writeContext, type CurrentDirectory, type RequestFacts, readsKept, requireVersion } from '../scim-request.js';
import { userTag, viewOf, type StoredUser } from './user-resource.js';
import { PREVIEW_TABLE, USER_TABLE, USER_TEXT_COLUMNS } from './user.columns.js';

export const isOf =
  (directory: CurrentDirectory) =>
  (row: UserRow): boolean =>
    row.directory_id === directory.id;

/**
 * Returns the departure in a write of a directory that has a live successor; null when the write has no effect. A user
 * whom the successor has not linked yet leaves when the old directory deactivates the user.
 */
function departureIn(before: UserDocument, after: UserDocument, mine: boolean): UserDocument | null {
  return mine && after['active'] === false ? { ...before, active: false } : null;
}

/** Returns the context of a write. Departures of a directory with a live successor take effect. */
function ownContext(directory: CurrentDirectory, { requestId, receivedAt }: RequestFacts): WriteContext {
  const context = writeContext(directory, requestId, receivedAt);
  return directory.writing.superseded
    ? { ...context, directory: { ...directory.writing, superseded: false } }
    : context;
}

const EVERY_MS = 10_000;
const REMEMBERED = 1_000;
const LONGEST_NAME = 200;

interface ArrivalSteps {
  afterWrite: AfterWrite;
  joined: string[];
  review: Review | null;
}

/**
 * SCIM users: reads and writes the one record of each user that all channels share.
 *
 * Stores the last role of a directory that a user did not get, at most once in ten seconds for a directory. The
 * catalogue lacks the role, or the directory may not give it. The user gets the role of a rule or the default role, or
 * is held.
 */
@Injectable()
export class ScimUsersService {
  private readonly reads: Record<'users' | 'preview', KeyedReads<StoredUser>>;
  private readonly written = new Map<string, number>();

  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
    private readonly review: MembershipReview,
    private readonly previews: PreviewEditing,
    private readonly marks: DirectoryMarks,
    private readonly tenants: TenantStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.reads = {
      users: new KeyedReads(db, readFrom(USER_TABLE), idOf),
      preview: new KeyedReads(db, readFrom(PREVIEW_TABLE), idOf),
    };
  }

  tagFor(directory: CurrentDirectory, row: Pick<StoredUser, 'revision'> & Relations): string {
    return userTag(row, viewOf(directory));
  }

  /** Creates a user, or links the resource with an existing user, whose id stays. Both are answered with 201. */
  async create(directory: CurrentDirectory, body: unknown, request: RequestFacts): Promise<StoredUser> {
    const doc = readResource(directory.userType, body, directory.dialect);
    doc['active'] ??= true;
    const draft = draftOf(doc, directory.writing.attributeMap);
    const context = writeContext(directory, request.requestId, request.receivedAt);
    const arrival = this.arrivalIn(directory);
    const { row, outcome, edit } = await this.users.create(context, draft, null, {
      afterLink: arrival.afterWrite,
      inPreview: (tx, userId, by) =>
        this.previews.keepMatch(directory, draft, { tx, userId, by, source: context.source }),
    });
    this.noteRefusedRoles(directory, row.id, draft.roles);
    request.done?.(writeEffectOf(row, outcome, edit));
    if (outcome === 'previewed') return this.read(directory, row.id);
    return outcome === 'linked' ? this.arrived(directory, row, edit, arrival, request) : row;
  }

  /**
   * Replaces a user (PUT, RFC 7644 §3.5.1). Omitted attributes are unassigned, except `active`, which stays unchanged.
   */
  async replace(directory: CurrentDirectory, id: string, body: unknown, request: RequestFacts): Promise<StoredUser> {
    const doc = readResource(directory.userType, body, directory.dialect);
    return this.edit(directory, id, request, (before) => ({
      ...doc,
      active: doc['active'] ?? before['active'] ?? true,
    }));
  }

  /** Changes a user (PATCH, RFC 7644 §3.5.2): all operations, or none. */
  async patch(
    directory: CurrentDirectory,
    id: string,
    operations: PatchOperation[],
    request: RequestFacts,
  ): Promise<StoredUser> {
    return this.edit(directory, id, request, (before) => {
      const { resource, changed } = applyPatch(directory.userType, before, operations, directory.dialect);
      return changed ? resource : null;
    });
  }

  private async edit(
    directory: CurrentDirectory,
    id: string,
    request: RequestFacts,
    next: (before: UserDocument) => UserDocument | null,
  ): Promise<StoredUser> {
    const { requestId } = request;
    const check = this.versionCheck(directory, request);
    if (await this.previews.edit(directory, id, { requestId, check, next })) {
      request.done?.({ outcome: 'previewed', userId: id });
      return this.read(directory, id);
    }
    const context = ownContext(directory, request);
    const arrival = this.arrivalIn(directory);
    const { row, outcome, edit } = await this.users.change(
      context,
      id,
      this.visibleTo(directory),
      (row): Edit | null => {
        check(row);
        const before = JSON.parse(row.doc) as UserDocument;
        const changed = next({ id: row.id, ...before });
        if (changed === null) return null;
        const mine = row.directory_id === directory.id;
        const effective = directory.writing.superseded ? departureIn(before, changed, mine) : changed;
        if (effective === null) return null;
        const { id: _, ...after } = effective;
        if (mine && sameJson(before, after)) return null;
        const draft = draftOf(after, directory.writing.attributeMap);
        if (mine) return { kind: 'change', draft };
        return { kind: 'link', draft, directoryId: directory.id, by: 'id', afterWrite: arrival.afterWrite };
      },
      request.ifMatch !== undefined,
    );
    this.noteRefusedRoles(directory, id, edit?.draft.roles ?? []);
    request.done?.(writeEffectOf(row, outcome, edit));
    return outcome === 'changed' ? this.arrived(directory, row, edit, arrival, request) : row;
  }

  /**
   * Returns the steps of a write that brings an existing user into the directory. In the same write the user joins the
   * groups of which it is a pending member.
   */
  private arrivalIn(directory: CurrentDirectory): ArrivalSteps {
    const arrival: ArrivalSteps = {
      joined: [],
      review: null,
      afterWrite: async (tx, id) => {
        arrival.review = null;
        // The user is linked now, so its overlay is deleted.
        await this.previews.forget(directory, id, tx);
        arrival.joined = await joinAwaited(tx, directory.tenantId, directory.id, id);
        for (const group of arrival.joined) arrival.review ??= await this.review.note(tx, directory, group, [id]);
      },
    };
    return arrival;
  }

  /** Returns the user after a write, with the groups that a linked user has joined. */
  private async arrived(
    directory: CurrentDirectory,
    row: StoredUser,
    edit: Edit | null,
    { joined, review }: ArrivalSteps,
    request: RequestFacts,
  ): Promise<StoredUser> {
    if (edit?.kind !== 'link' || joined.length === 0) return row;
    await this.review.now(directory, review, request.requestId);
    return this.read(directory, row.id);
  }

  async remove(directory: CurrentDirectory, id: string, request: RequestFacts): Promise<void> {
    const check = this.versionCheck(directory, request);
    if (await this.previews.remove(directory, id, { requestId: request.requestId, check })) {
      request.done?.({ outcome: 'previewed', userId: id });
      return;
    }
    const { superseded } = directory.writing;
    const visible = superseded ? isOf(directory) : this.visibleTo(directory);
    try {
      const effect = await this.removeUser(ownContext(directory, request), id, { visible, check });
      request.done?.(effect);
    } catch (error) {
      if (!superseded || !(error instanceof NotFound)) throw error;
      // The user belongs to another directory: the write of a directory with a live successor has no effect.
      check(await this.read(directory, id));
      request.done?.({ outcome: 'unchanged', userId: id });
    }
  }

  async read(directory: CurrentDirectory, id: string): Promise<StoredUser> {
    const reads = readsKept(directory) ? this.reads.preview : this.reads.users;
    const [row] = await reads.read([directory.tenantId, directory.owners], id);
    if (row === undefined) throw new NotFound('user');
    return row;
  }

  /** Returns a check that refuses a user whose version differs from the one that the client saw (RFC 7644 §3.14). */
  private versionCheck(directory: CurrentDirectory, { ifMatch }: RequestFacts) {
    return (row: Pick<StoredUser, 'revision'> & Relations) => requireVersion(this.tagFor(directory, row), ifMatch);
  }

  private visibleTo(directory: CurrentDirectory): (row: UserRow) => boolean {
    return (row) => directory.owners.includes(row.directory_id ?? '');
  }

  /** @throws {NotFound} when the directory sees no such user */
  private async removeUser(
    context: WriteContext,
    id: string,
    removal: Pick<Removal, 'visible' | 'check'>,
  ): Promise<RequestEffect> {
    let isRemoved = false;
    await this.users.remove(context, id, {
      visible: removal.visible,
      // Called at the beginning of each attempt.
      check: (row) => {
        isRemoved = false;
        removal.check?.(row);
      },
      // Called where the removal takes effect.
      afterWrite: () => {
        isRemoved = true;
        return Promise.resolve();
      },
    });
    const held = isRemoved ? null : await this.reason(context.tenantId, id);
    return { outcome: 'deleted', userId: id, held };
  }

  private async reason(tenantId: string, id: string): Promise<string | null> {
    const { rows } = await this.db.query<{ held: string | null }>(
      `select held from users where tenant_id = $1 and id = $2`,
      [tenantId, id],
    );
    return rows[0]?.held ?? null;
  }

  /** Compares the roles of a written user with those that the directory may give. Never throws. */
  private noteRefusedRoles(directory: CurrentDirectory, userId: string, roles: readonly string[]): void {
    if (roles.length === 0) return;
    this.note(directory, userId, roles).catch((error: unknown) =>
      this.logger.warn('refused role not stored', { tenant_id: directory.tenantId, error }),
    );
  }

  private async note(
    { tenantId, id, writing }: CurrentDirectory,
    userId: string,
    roles: readonly string[],
  ): Promise<void> {
    const tenant = await this.tenants.get(tenantId);
    const refused = refusedRoles(tenant.roles, writing.mayGrantConsole, roles)[0];
    if (refused === undefined) return;
    const now = this.clock.monotonic();
    if (now - (this.written.get(id) ?? -EVERY_MS) < EVERY_MS) return;
    if (this.written.size >= REMEMBERED) this.written.clear();
    this.written.set(id, now);
    const at = this.clock.now().toISOString();
    const { role, reason } = refused;
    await this.marks.refusedRole(tenantId, id, { at, role: role.slice(0, LONGEST_NAME), user_id: userId, reason });
  }
}

const idOf = ({ id }: StoredUser): string => id;

function readFrom({ from, visible }: ListTable): string {
  return `select ${USER_TEXT_COLUMNS} from ${from} where ${visible} and u.id = any($3)`;
}

function writeEffectOf({ id, held }: UserRow, outcome: WriteResult['outcome'], edit: Edit | null): RequestEffect {
  if (edit?.kind !== 'link' || outcome === 'unchanged') return { outcome, userId: id, held };
  return { outcome: 'linked', userId: id, held, linkedBy: edit.by };
}
