import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { Conflict, NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import {
  demandAdministrators,
  type ChangeRole,
  type ConsoleAccess,
  type CreateRole,
  type RoleBody,
} from './administrators.js';
import { AuditService } from './audit/audit.service.js';
import type { Caller } from './caller.js';
import { ROLES_CAP, demandRoom } from './caps.js';
import { TenantStore } from './tenant.store.js';
import { RoleInUse } from './tenants.errors.js';
import { RoleConsoleChanged, RoleDeleting } from './tenants.events.js';
import { TenantsRepository } from './tenants.repository.js';

/** The role of a user that is created without one. */
const DEFAULT_ROLE = 'User';
/** Each holder of a role that gets rights of administration is a line of the audit log and an event. */
const MOST_ADMINISTRATORS = 1_000;
/** From the least right to the greatest. */
const RIGHTS: readonly ConsoleAccess[] = ['none', 'auditor', 'admin'];
const ADMIN_ROLE = 'Admin';

@Injectable()
export class RolesService {
  constructor(
    private readonly db: Database,
    private readonly repository: TenantsRepository,
    private readonly audit: AuditService,
    private readonly store: TenantStore,
    private readonly events: DomainEvents,
  ) {}

  list(tenantId: string, page: PageRequest): Promise<RoleBody[]> {
    return this.repository.listRoles(tenantId, page);
  }

  async get(tenantId: string, name: string): Promise<RoleBody> {
    const role = await this.repository.findRole(tenantId, name);
    if (role === null) throw new NotFound('role');
    return role;
  }

  /** @throws {Conflict} `role_exists` */
  create(caller: Caller, input: CreateRole): Promise<RoleBody> {
    return this.changing(caller, 'role.created', input.name, async (tx) => {
      await demandRoom(tx, ROLES_CAP, caller.tenantId);
      const { name, takes_seat } = input;
      const console = input.console ?? (name === ADMIN_ROLE ? 'admin' : 'none');
      const role = await this.repository.insertRole(tx, caller.tenantId, { name, takes_seat, console });
      if (role === null) throw new Conflict('role_exists', 'A role of this name exists.');
      return { before: null, after: role };
    });
  }

  /**
   * Changes a role.
   *
   * @throws {RoleInUse} when the role has holders and its seat would change, or when too many users would begin to
   * administer
   * @throws {Conflict} `administrators_unconfirmed` when the role has holders, and would administer less
   */
  change(caller: Caller, name: string, input: ChangeRole): Promise<RoleBody> {
    return this.changing(caller, 'role.changed', name, async (tx) => {
      const before = await this.locked(tx, caller.tenantId, name);
      const { takes_seat = before.takes_seat, console = before.console } = input;
      const seatMoves = before.takes_seat !== takes_seat;
      if (!seatMoves && before.console === console) return { before, after: before };
      if (seatMoves && before.users > 0) throw new RoleInUse(name, `${before.users} users hold it`);
      const after = { ...before, takes_seat, console };
      if (before.console === 'none' && console !== 'none' && before.users > MOST_ADMINISTRATORS) {
        throw new RoleInUse(
          name,
          `${before.users} users hold it, and at most ${MOST_ADMINISTRATORS} may administer by it`,
        );
      }
      if (RIGHTS.indexOf(console) < RIGHTS.indexOf(before.console)) {
        demandAdministrators(before.users, input.administrators);
      }
      await this.repository.updateRole(tx, caller.tenantId, after);
      if (before.console !== console) {
        await this.events.publish(new RoleConsoleChanged(tx, caller, name, before.console, console));
      }
      return { before, after };
    });
  }

  /** @throws {RoleInUse} while a user holds the role, or a directory or a rule names it */
  async remove(caller: Caller, name: string): Promise<void> {
    await this.changing(caller, 'role.deleted', name, async (tx) => {
      const before = await this.locked(tx, caller.tenantId, name);
      if (name === DEFAULT_ROLE) throw new RoleInUse(name, 'a user that is created without a role gets it');
      if (before.users > 0) throw new RoleInUse(name, `${before.users} users hold it`);
      const deleting = new RoleDeleting(tx, caller.tenantId, name);
      await this.events.publish(deleting);
      if (deleting.uses > 0)
        throw new RoleInUse(name, `${deleting.uses} defaults or rules of directories or connections name it`);
      await this.repository.deleteRole(tx, caller.tenantId, name);
      return { before, after: null };
    });
  }

  private async locked(tx: SqlRunner, tenantId: string, name: string): Promise<RoleBody> {
    await this.repository.lockRole(tx, tenantId, name);
    const role = await this.repository.findRole(tenantId, name, tx);
    if (role === null) throw new NotFound('role');
    return role;
  }

  private async changing<A extends RoleBody | null>(
    caller: Caller,
    action: string,
    name: string,
    work: (tx: SqlRunner) => Promise<{ before: RoleBody | null; after: A }>,
  ): Promise<A> {
    const { tenantId, actor, requestId } = caller;
    const after = await this.db.transaction(caller.tenantId, async (tx) => {
      const done = await work(tx);
      if (done.before !== done.after) {
        const { before, after } = done;
        await this.audit.record(tx, {
          tenantId,
          actor,
          requestId,
          action,
          targetType: 'role',
          targetId: name,
          before,
          after,
        });
      }
      return done.after;
    });
    await this.store.forget(tenantId);
    return after;
  }
}
