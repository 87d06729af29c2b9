import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { Conflict, InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { newId } from '../../base/ids.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import { demandAdministrators } from '../../tenancy/tenants/administrators.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import { demandRoom } from '../../tenancy/tenants/caps.js';
import { scimBaseOf, TenantAddresses } from '../../tenancy/tenants/tenant-addresses.js';
import { demandPlainName } from '../../tenancy/tenants/tenants.service.js';
import type { DirectoryBody, ChangeDirectory, CreateDirectory, NewDirectoryBody } from './directories.dto.js';
import { type DirectoryRow, DirectoriesRepository, type DirectorySettings } from './directories.repository.js';
import {
  DirectoryContent,
  type DirectoryCounts,
  DirectoryDeleted,
  DirectoryPeople,
  type SeatNeed,
} from './directory-people.js';
import { changesPeople, NEW_DIRECTORY, settingsAfter, settingsProblems } from './directory-settings.rules.js';
import { declaredOf, guardOf, adminSourceOf, type AdminRequest } from './directory.js';
import { DirectoryStore } from './directory.store.js';
import { DIRECTORIES_CAP, ScimTokensService } from './scim-tokens.service.js';

/** Administration of the directories of a tenant. */
@Injectable()
export class DirectoriesService {
  constructor(
    private readonly db: Database,
    private readonly repository: DirectoriesRepository,
    private readonly tokens: ScimTokensService,
    private readonly people: DirectoryPeople,
    private readonly audit: AuditService,
    private readonly store: DirectoryStore,
    private readonly events: DomainEvents,
    private readonly addresses: TenantAddresses,
    private readonly content: DirectoryContent,
  ) {}

  async create(by: AdminRequest, input: CreateDirectory): Promise<NewDirectoryBody> {
    demandPlainName(input.name);
    const made = await once(this.db, by, async (tx) => {
      const id = newId('dir');
      await demandRoom(tx, DIRECTORIES_CAP, by.tenantId);
      const settings = settingsAfter(NEW_DIRECTORY, input);
      await this.demandValid(tx, by.tenantId, id, settings);
      await this.repository.insert(tx, by.tenantId, id, settings);
      const directory = await this.viewOf(by.tenantId, (await this.repository.find(by.tenantId, id, tx))!);
      await this.note(tx, by, 'directory.created', id, undefined, directory);
      const token = await this.tokens.createIn(tx, by, id, { name: 'first token' });
      return { ...directory, scim_token: token.scim_token };
    });
    await this.store.forget();
    return made;
  }

  async list(tenantId: string, page: PageRequest): Promise<DirectoryRow[]> {
    return this.repository.list(tenantId, page);
  }

  async get(tenantId: string, id: string): Promise<DirectoryBody & DirectoryCounts> {
    const row = await this.demand(tenantId, id);
    return { ...(await this.viewOf(tenantId, row)), ...(await this.content.counts(tenantId, id)) };
  }

  async demand(tenantId: string, id: string, tx?: SqlRunner, lock = false): Promise<DirectoryRow> {
    const row = await this.repository.find(tenantId, id, tx, lock);
    if (row === null) throw new NotFound('directory');
    return row;
  }

  /**
   * Changes the given fields. Tasks do the work that follows from roles, attribute map and going live.
   *
   * @throws {Conflict} `seats_needed` or `administrators_unconfirmed` when the change would take seats or the console
   * from users,
   * unless the input confirms it
   */
  async change(by: AdminRequest, id: string, input: ChangeDirectory): Promise<DirectoryBody> {
    await this.demandConfirmed(by.tenantId, id, input);
    const after = await this.db.transaction(by.tenantId, async (tx) => {
      const row = await this.demand(by.tenantId, id, tx, true);
      if (input.name !== undefined) demandPlainName(input.name, row.name);
      const settings = settingsAfter(row, input);
      await this.demandValid(tx, by.tenantId, id, settings);
      await this.repository.update(tx, by.tenantId, id, settings);
      const changed = await this.viewOf(by.tenantId, (await this.repository.find(by.tenantId, id, tx))!);
      await this.note(tx, by, 'directory.changed', id, await this.viewOf(by.tenantId, row), changed);
      const source = adminSourceOf(by, id);
      if (changesPeople(row, settings)) await this.people.ruleChanged(tx, by.tenantId, id, source);
      if (settings.state !== row.state) {
        await this.people.stateChanged(tx, by.tenantId, id, settings.state, source);
      }
      return changed;
    });
    await this.store.forget();
    return after;
  }

  /**
   * Deletes a directory. Its users stay unchanged and become unmanaged; nothing is forwarded.
   *
   * @param force also a directory of which a credential was used in the last 24 hours
   */
  async remove(by: AdminRequest, id: string, force: boolean): Promise<void> {
    const ended = await this.db.transaction(by.tenantId, async (tx) => {
      const row = await this.demand(by.tenantId, id, tx, true);
      await this.tokens.demandIdle(tx, by.tenantId, id, force);
      // Order of locks: users and groups before rows that belong to groups, such as rules.
      await this.people.release(tx, by.tenantId, id, adminSourceOf(by, id));
      const tokens = await this.repository.markDeleted(tx, by.tenantId, id);
      await this.events.publish(new DirectoryDeleted(tx, by.tenantId, id, force));
      await this.note(tx, by, 'directory.deleted', id, await this.viewOf(by.tenantId, row), undefined);
      return tokens;
    });
    await this.store.forget();
    await this.tokens.forget(ended);
  }

  /**
   * Refuses a change that takes the console from administrators, or leaves users without a seat, until the input
   * confirms it.
   */
  private async demandConfirmed(tenantId: string, id: string, input: ChangeDirectory): Promise<void> {
    const row = await this.demand(tenantId, id);
    const after = settingsAfter(row, input);
    const settings = changesPeople(row, after)
      ? {
          defaultRole: after.default_role,
          mayGrantConsole: after.may_grant_console,
          attributeMap: after.attribute_map,
        }
      : undefined;
    if (row.state === 'preview' && after.state === 'live') {
      const need = await this.people.liveNeed(tenantId, id, settings);
      if (input.confirm !== true) demandSeats(need);
      demandAdministrators(need.administrators, input.administrators);
    } else if (settings !== undefined) {
      demandAdministrators(await this.people.administratorsLost(tenantId, id, { settings }), input.administrators);
    }
  }

  private async demandValid(tx: SqlRunner, tenantId: string, id: string, settings: DirectorySettings): Promise<void> {
    const known = settings.custom_attributes.length === 0 ? [] : await this.repository.customAttributes(tx, tenantId);
    const problems = settingsProblems(settings, known);
    if (problems.length > 0) throw new InvalidFields(problems);
    const role = settings.default_role;
    if (role !== null && !(await this.repository.hasRole(tx, tenantId, role))) {
      throw new InvalidFields([{ field: 'default_role', message: 'must be a role of the catalogue, or null' }]);
    }
    const other = settings.takes_over;
    if (other !== null && (other === id || (await this.repository.find(tenantId, other, tx)) === null)) {
      throw new InvalidFields([{ field: 'takes_over', message: 'must be another directory of this tenant' }]);
    }
    // Two directories that take over each other, or the same third one, would suppress each other's writes.
    if (other !== null && (await this.repository.inTakeover(tx, tenantId, id, other))) {
      const message = 'must be a directory without another successor, which does not take over this one';
      throw new InvalidFields([{ field: 'takes_over', message }]);
    }
  }

  private note(
    tx: SqlRunner,
    by: AdminRequest,
    action: string,
    id: string,
    before: unknown,
    after: unknown,
  ): Promise<void> {
    return this.audit.record(tx, { ...by, action, targetType: 'directory', targetId: id, before, after });
  }

  async viewOf(tenantId: string, row: DirectoryRow): Promise<DirectoryBody> {
    const scimBaseUrl = scimBaseOf(await this.addresses.of(tenantId));
    const { guard, custom_attributes: custom } = row;
    return { ...row, guard: guardOf(guard), custom_attributes: declaredOf(custom), scim_base_url: scimBaseUrl };
  }
}

function demandSeats({ needed, free, missing }: SeatNeed): void {
  if (missing === 0) return;
  throw new Conflict(
    'seats_needed',
    `Going live needs ${needed} seats and ${free ?? 0} are free: ${missing} users would wait for one. ` +
      'Raise the limit, or send "confirm": true to go live nevertheless.',
    { members: { needed, free, missing } },
  );
}
