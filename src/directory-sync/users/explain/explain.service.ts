import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { causeInWords, type Cause } from '../../../tenancy/identity/cause.rules.js';
import type { HeldReason, ChangeSource } from '../../../tenancy/identity/person.js';
import { TenantStore } from '../../../tenancy/tenants/tenant.store.js';
import { DirectoryStore, type Directory } from '../../directories/directory.store.js';
import { defaultRoleBy, refusedRoles } from '../role.rules.js';
import { RELEASABLE } from '../held/held.service.js';
import { UserDirectoryRepository, writtenOf, type NamedUser } from '../user-directory.repository.js';
import { userBody } from '../user.dto.js';
import { draftOf, type UserDraft } from '../user.mapping.js';
import type { ExplanationBody, HeldExplanation, LeftBody, RefusedRoleBody, SeatQueueBody } from './explain.dto.js';
import { nextOfHeld, wordsOfHeld, wordsOfRefusedRole } from './explain.rules.js';
import { UserConflicts } from './user-conflicts.js';

interface Departure {
  change_id: string;
  occurred_at: Date;
  received_at: Date;
  source: ChangeSource;
  cause: Cause | null;
}

/** Explains the state of a user. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly db: Database,
    private readonly users: UserDirectoryRepository,
    private readonly directories: DirectoryStore,
    private readonly tenants: TenantStore,
    private readonly conflicts: UserConflicts,
  ) {}

  /**
   * Returns one user with requested and effective state, and the causes of the difference.
   *
   * @throws {NotFound} when this tenant has no such user
   */
  async of(tenantId: string, id: string): Promise<ExplanationBody> {
    const row = await this.users.requested(tenantId, id);
    if (row === undefined) throw new NotFound('user');
    const directoryId = row.kept_for ?? row.directory_id;
    const directory = directoryId === null ? null : await this.directories.get(tenantId, directoryId);
    const { doc, isRemoved } = writtenOf(row);
    const draft = draftOf(doc, directory?.attributeMap ?? {});
    return {
      user: userBody(row),
      user_name: row.user_name,
      requested: {
        email: draft.email,
        first_name: draft.firstName,
        last_name: draft.lastName,
        external_id: draft.key ?? (directory === null ? null : draft.userName),
        status: isRemoved ? 'deleted' : draft.active ? 'active' : 'inactive',
      },
      refused_roles: directory === null ? [] : await this.refusedRoles(directory, draft, row.held),
      seat_queue: row.seat === 'waiting' ? await this.placeOf(tenantId, id) : null,
      left: row.status === 'active' ? null : await this.departureOf(tenantId, id),
      held: row.held === null ? null : await this.heldOf(tenantId, row, draft),
    };
  }

  private async refusedRoles(
    directory: Directory,
    draft: UserDraft,
    held: HeldReason | null,
  ): Promise<RefusedRoleBody[]> {
    const { roles } = await this.tenants.get(directory.tenantId);
    // The default role comes last: a user without a role did not get the default role either.
    const isDefaultRefused = held === 'no_role' && defaultRoleBy(roles, directory) !== directory.defaultRole;
    const asked = isDefaultRefused ? [...draft.roles, directory.defaultRole!] : draft.roles;
    const refused = refusedRoles(roles, directory.mayGrantConsole, asked);
    return refused.map((role) => ({ ...role, words: wordsOfRefusedRole(role.reason) }));
  }

  /** `users_waiting` has the users in this order. */
  private async placeOf(tenantId: string, id: string): Promise<SeatQueueBody> {
    const { rows } = await this.db.query<SeatQueueBody>(
      `select (count(*) filter (where (w.waiting_since, w.id) <= (u.waiting_since, u.id)))::int as place, count(*)::int as of
       from users u, users w where u.tenant_id = $1 and u.id = $2 and w.tenant_id = $1 and w.seat = 'waiting'`,
      [tenantId, id],
    );
    return rows[0]!;
  }

  private async departureOf(tenantId: string, id: string): Promise<LeftBody | null> {
    const { rows } = await this.db.query<Departure>(
      `select 'chg_' || sequence as change_id, occurred_at, received_at, source, cause from changes
       where tenant_id = $1 and user_id = $2 and kind = 'deactivated' order by sequence desc limit 1`,
      [tenantId, id],
    );
    const [last] = rows;
    if (last === undefined) return null;
    const { change_id, occurred_at, received_at, source, cause } = last;
    return {
      change_id,
      at: occurred_at.toISOString(),
      requested_at: received_at.toISOString(),
      source,
      cause: causeInWords(cause, source),
    };
  }

  private async heldOf(tenantId: string, row: NamedUser, draft: UserDraft): Promise<HeldExplanation> {
    const reason = row.held!;
    return {
      reason,
      since: row.held_since === null ? null : new Date(row.held_since).toISOString(),
      words: wordsOfHeld(reason),
      next: nextOfHeld(reason),
      releasable: RELEASABLE.has(reason),
      conflicts: await this.conflicts.of(tenantId, {
        userId: row.id,
        email: draft.email,
        externalId: draft.key ?? draft.userName,
      }),
    };
  }
}
