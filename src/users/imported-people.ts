import { Injectable } from '@nestjs/common';
import { Database } from '../base/database/database.js';
import { UnitOfWork } from '../base/database/unit-of-work.js';
import { newId } from '../base/ids.js';
import { PeopleIntake, type Intake } from '../forwarding/people-intake.js';
import type { Person } from '../identity/person.js';
import type { ChangeSource } from '../identity/source.js';
import { SeatsService } from '../seats/seats.service.js';
import { TenantStore } from '../tenants/tenant.store.js';
import { storedDocument } from './stored-document.js';
import { documentOf, draftOf } from './user.mapping.js';
import { insertUser, type UserWrite } from './user-statements.js';
import { UserDirectoryRepository } from './user-directory.repository.js';
import { UsersRepository } from './users.repository.js';

/** People whom the platform had before us: taken in as unmanaged, with the seat they hold, and told to nobody. */
@Injectable()
export class ImportedPeople extends PeopleIntake {
  constructor(
    private readonly db: Database,
    private readonly users: UsersRepository,
    private readonly known: UserDirectoryRepository,
    private readonly seats: SeatsService,
    private readonly tenants: TenantStore,
  ) {
    super();
  }

  async importUnmanaged(
    tenantId: string,
    person: Person,
    status: 'active' | 'inactive',
    platformId: string,
    source: ChangeSource,
  ): Promise<Intake> {
    const found = await this.find(tenantId, person);
    if (found !== null) return { kind: 'known', userId: found };
    const userName = person.email ?? person.external_id;
    if (userName === null) return { kind: 'refused', reason: 'neither an e-mail nor an external_id' };
    const { roles } = await this.tenants.get(tenantId);
    const role = person.role !== null && roles.has(person.role) ? person.role : 'User';
    const takesSeat = status === 'active' && (roles.get(role)?.takesSeat ?? true);
    const draft = draftOf(documentOf({ ...person, userName, active: status === 'active' }));
    const write: UserWrite = {
      id: newId('usr'),
      directoryId: null,
      source: 'api',
      draft,
      document: storedDocument(draft.doc, null),
      decision: { inForce: { ...person, role, status }, seat: takesSeat ? 'held' : 'none', held: null },
      roleSet: role,
      released: null,
      everActive: true,
      nameWritten: false,
      at: new Date(),
    };
    const tx = new UnitOfWork();
    insertUser(tx, tenantId, write, { seat: false, clashes: false, unlinked: false });
    // Who works there already works there: an opening balance, counted as overage where the limit is lower.
    this.seats.settle(tx, tenantId, 'none', write.decision.seat, {
      role,
      directoryId: null,
      costCenter: null,
      reason: `imported (${platformId})`,
      source,
    });
    const rows = await tx.run<{ id: string }>(this.db);
    if (rows.length > 0) return { kind: 'created', userId: write.id };
    const now = await this.find(tenantId, person);
    return now === null
      ? { kind: 'refused', reason: 'another user goes by the same user name' }
      : { kind: 'known', userId: now };
  }

  private async find(tenantId: string, person: Person): Promise<string | null> {
    if (person.external_id !== null) {
      const byKey = await this.known.byExternalId(tenantId, person.external_id);
      if (byKey) return byKey.id;
    }
    if (person.email === null) return null;
    const page = { limit: 1, after: null, list: '' };
    return (await this.known.list(tenantId, { email: person.email }, page)).rows[0]?.id ?? null;
  }
}
