import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import type { SqlRunner } from '../../../base/database/database.js';
import type { WriteStatement } from '../../../base/database/write-statement.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { Conflict, InvalidFields, NotFound } from '../../../base/errors/domain-error.js';
import { SessionEvents } from '../../../tenancy/sessions/session.js';
import { dropUnprovenIdentities } from '../../../tenancy/sessions/user-credentials.sql.js';
import { demandRecentSignIn, holdsScope, sourceOf, type Caller } from '../../../tenancy/tenants/caller.js';
import { TenantStore, type TenantView } from '../../../tenancy/tenants/tenant.store.js';
import { RoleNeedsAdmin } from '../../../tenancy/tenants/tenants.errors.js';
import { MakerEnding, type LeftEndpoint } from '../../../tenancy/tenants/tenants.events.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { UserDirectoryRepository, type NamedUser } from '../user-directory.repository.js';
import { givenFields, type ChangeUser, type CreateUser, type PutUser } from '../user.dto.js';
import { documentOf, draftOf } from '../user.mapping.js';
import { standIn, type UserRow } from '../user.row.js';
import { ManagedByDirectory, Taken } from '../users.errors.js';
import { UsersService } from '../write/users.service.js';
import type { WriteContext, WritingDirectory } from '../write/write-case.js';
import { isClaimed, whyAdminOnly, type WrittenFields, editOf, refuseManaged } from './people-edit.rules.js';

export interface Ask {
  receivedAt: Date;
  pause: boolean;
  foundByKey?: boolean;
}

/** A user after a change, with the webhook endpoints that the user made, where the user has left. */
export interface ChangedUser {
  row: NamedUser;
  endpoints: LeftEndpoint[];
}

@Injectable()
export class PeopleService {
  constructor(
    private readonly users: UsersService,
    private readonly repository: UserDirectoryRepository,
    private readonly directories: DirectoryStore,
    private readonly tenants: TenantStore,
    private readonly sessions: SessionEvents,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  async get(tenantId: string, id: string): Promise<NamedUser> {
    const row = await this.repository.one(tenantId, id);
    if (!row) throw new NotFound('user');
    return row;
  }

  /**
   * @throws {InvalidFields} for an unknown role
   * @throws {RoleNeedsAdmin} when the role administers and the caller does not hold `admin`
   * @throws {Taken} when another user has the e-mail or the key
   */
  async create(caller: Caller, body: CreateUser, receivedAt: Date): Promise<NamedUser> {
    await this.requireRole(caller.tenantId, body.role);
    const tenant = await this.tenants.get(caller.tenantId);
    this.demandAdminFor(caller, tenant, null, { fields: ['role'], role: body.role });
    return this.named(body.email, (userName) => this.createAs(caller, userName, body, receivedAt));
  }

  private async createAs(caller: Caller, userName: string, body: CreateUser, receivedAt: Date): Promise<NamedUser> {
    const doc = documentOf({
      userName,
      email: body.email,
      first_name: body.first_name,
      last_name: body.last_name,
      external_id: body.external_id ?? null,
      active: body.status !== 'inactive',
    });
    const { row } = await this.users.create(contextOf(caller, null, receivedAt), draftOf(doc), body.role ?? 'User');
    return this.get(caller.tenantId, row.id);
  }

  /**
   * Writes a user whose e-mail is the substitute `userName`. The write takes the name from a user out of force. Where
   * another user keeps the name permanently, the user gets a suffix.
   */
  private async named(email: string, write: (userName: string) => Promise<NamedUser>): Promise<NamedUser> {
    try {
      return await write(email);
    } catch (error) {
      if (!(error instanceof Taken) || error.code !== 'user_name_taken') throw error;
      return write(standIn(email));
    }
  }

  /**
   * Changes the named fields. A field with its present value changes nothing and is always allowed.
   *
   * @throws {ManagedByDirectory} for a field that belongs to the user's directory
   * @throws {RoleNeedsAdmin} when the change gives or moves rights of administration and the caller does not hold
   * `admin`
   */
  async change(
    caller: Caller,
    id: string,
    sent: ChangeUser,
    { receivedAt, pause, foundByKey }: Ask,
  ): Promise<ChangedUser> {
    const body = givenFields(sent);
    const before = await this.get(caller.tenantId, id);
    await this.requireRole(caller.tenantId, body.role);
    const directory = await this.directoryOf(caller.tenantId, before);
    const tenant = await this.tenants.get(caller.tenantId);
    const mayWrite = directory === null || tenant.apiMayWriteDirectoryUsers;
    let endpoints: LeftEndpoint[] = [];
    const write = async (userName: string): Promise<NamedUser> => {
      await this.users.change(
        contextOf(caller, directory, receivedAt),
        id,
        () => true,
        (row) => {
          if (row.directory_id !== before.directory_id) throw changedMeanwhile();
          const edit = editOf(row, body, userName, directory, mayWrite);
          if (edit !== null && !mayWrite) refuseManaged(edit.fields, row, directory);
          if (edit !== null) this.demandAdminFor(caller, tenant, row, { ...body, fields: edit.fields });
          if (edit === null) return null;
          if (row.status === 'active' && body.status === 'inactive') {
            edit.afterWrite = async (tx) => void (endpoints = await this.endpointsLeft(tx, caller, id, pause));
          }
          if (foundByKey !== true || !isClaimed(row, edit.draft)) return edit;
          return {
            ...edit,
            lockFirst: true,
            inSameStatement: (statement: WriteStatement) => {
              const ended = dropUnprovenIdentities(statement, caller.tenantId, false);
              return this.sessions.add(statement, caller.tenantId, ended);
            },
          };
        },
      );
      return this.get(caller.tenantId, id);
    };
    const row = await (body.email === undefined ? write('') : this.named(body.email, write));
    return { row, endpoints };
  }

  async put(caller: Caller, externalId: string, body: PutUser, ask: Ask): Promise<ChangedUser & { created: boolean }> {
    if (body.external_id !== undefined && body.external_id !== externalId) {
      throw new InvalidFields([{ field: 'external_id', message: 'must be the one in the address' }]);
    }
    const known = await this.repository.byExternalId(caller.tenantId, externalId);
    if (!known) {
      try {
        const { email, ...fields } = givenFields(body);
        if (email === undefined) throw new InvalidFields([{ field: 'email', message: 'is required' }]);
        const made = { ...fields, email, external_id: externalId };
        return { row: await this.create(caller, made, ask.receivedAt), endpoints: [], created: true };
      } catch (error) {
        const quicker = error instanceof Taken && (await this.repository.byExternalId(caller.tenantId, externalId));
        if (!quicker) throw error;
        return this.put(caller, externalId, body, ask);
      }
    }
    // An alias finds the user, and does not become the key again.
    const { external_id: _, ...rest } = body;
    return { ...(await this.change(caller, known.id, rest, { ...ask, foundByKey: true })), created: false };
  }

  /** Removes a user. Returns the webhook endpoints that the user made, which continue or are paused. */
  async remove(caller: Caller, id: string, { receivedAt, pause }: Ask): Promise<LeftEndpoint[]> {
    const row = await this.get(caller.tenantId, id);
    const directory = await this.directoryOf(caller.tenantId, row);
    const context = contextOf(caller, directory, receivedAt);
    if (directory !== null && !(await this.apiMayWrite(caller.tenantId))) {
      throw new ManagedByDirectory({ id: directory.id, name: row.directory_name ?? '' }, ['status']);
    }
    const tenant = await this.tenants.get(caller.tenantId);
    let endpoints: LeftEndpoint[] = [];
    await this.users.remove(context, id, {
      visible: () => true,
      afterWrite: async (tx) => void (endpoints = await this.endpointsLeft(tx, caller, id, pause)),
      check: (now) => {
        if (now.directory_id !== row.directory_id) throw changedMeanwhile();
        this.demandAdminFor(caller, tenant, now, { fields: ['status'], status: 'deleted' });
      },
    });
    return endpoints;
  }

  /**
   * Refuses a write that only an administrator may do, and an administrator whose session is older than ten minutes.
   */
  private demandAdminFor(caller: Caller, tenant: TenantView, row: UserRow | null, written: WrittenFields): void {
    const why = whyAdminOnly(tenant, row, written);
    if (why === null) return;
    if (!holdsScope(caller, 'admin')) throw new RoleNeedsAdmin(why);
    demandRecentSignIn(caller, this.clock.now());
  }

  private async endpointsLeft(tx: SqlRunner, caller: Caller, userId: string, pause: boolean): Promise<LeftEndpoint[]> {
    const ending = new MakerEnding(tx, caller, { userId }, pause);
    await this.events.publish(ending);
    return ending.endpoints;
  }

  private async directoryOf(tenantId: string, row: UserRow): Promise<WritingDirectory | null> {
    return row.directory_id === null ? null : this.directories.get(tenantId, row.directory_id);
  }

  private async apiMayWrite(tenantId: string): Promise<boolean> {
    return (await this.tenants.get(tenantId)).apiMayWriteDirectoryUsers;
  }

  private async requireRole(tenantId: string, role: string | undefined): Promise<void> {
    if (role === undefined) return;
    const { roles } = await this.tenants.get(tenantId);
    if (roles.has(role)) return;
    const known = [...roles.keys()].sort().join(', ');
    throw new InvalidFields([{ field: 'role', message: `must be one of: ${known}` }]);
  }
}

const changedMeanwhile = (): Conflict =>
  new Conflict('changed_meanwhile', 'Another directory has become responsible for the user; read the user again.');

function contextOf(caller: Caller, directory: WritingDirectory | null, receivedAt: Date): WriteContext {
  return { tenantId: caller.tenantId, channel: 'api', directory, source: sourceOf(caller), receivedAt };
}
