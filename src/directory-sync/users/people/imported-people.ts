import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import {
  ForwardingService,
  type Intake,
  type AccountLeftOutReason,
  type PeopleIntake,
} from '../../../forwarding/forwarding.service.js';
import type { Person, ChangeSource } from '../../../tenancy/identity/person.js';
import { accountRefusal } from '../../../tenancy/identity/user-change.rules.js';
import { TenantStore } from '../../../tenancy/tenants/tenant.store.js';
import { UserDirectoryRepository } from '../user-directory.repository.js';
import { documentOf, draftOf, emailKey, type UserDraft } from '../user.mapping.js';
import { standIn } from '../user.row.js';
import { UsersRepository } from '../users.repository.js';
import { NO_CONFLICTS, type WriteCase, newStamp, type WriteContext } from '../write/write-case.js';
import { planWrite } from '../write/write-plan.rules.js';
import { isLost, WriteRunner } from '../write/write-runner.js';

const ATTEMPTS = 3;

/** Imports users that the platform had before this service: unmanaged, with their seat, and not forwarded. */
@Injectable()
export class ImportedPeople implements PeopleIntake {
  constructor(
    private readonly db: Database,
    private readonly users: UsersRepository,
    private readonly known: UserDirectoryRepository,
    private readonly runner: WriteRunner,
    private readonly tenants: TenantStore,
    port: ForwardingService,
  ) {
    port.connect(this);
  }

  async importUnmanaged(
    tenantId: string,
    person: Person,
    status: 'active' | 'inactive',
    platformId: string,
    source: ChangeSource,
  ): Promise<Intake> {
    const account: Account = { person, status, platformId };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const found = await this.find(tenantId, account);
      if (found !== null) return found;
      const name = person.email ?? person.external_id;
      if (name === null) return leftOut('nameless', 'The account has neither an e-mail nor an external_id.');
      const draft = draftOf(documentOf({ ...person, active: status === 'active', userName: name }));
      // One statement while no other user has the name: a transaction costs three more round trips for each account.
      const plain = await this.create(this.db, tenantId, account, draft, source);
      if (plain !== null) return plain;
      try {
        const created = await this.db.transaction(tenantId, async (tx) => {
          const free = await this.withFreeName(tx, tenantId, draft, person, name);
          return this.create(tx, tenantId, account, free, source);
        });
        if (created !== null) return created;
      } catch (error) {
        if (!isLost(error)) throw error; // Another user got these names at the same moment: look again.
      }
    }
    return leftOut('contended', 'Other users with the same names came at the same moment, again and again.');
  }

  /** Creates the user of an account. Returns null when another user has one of its names, and nothing was written. */
  private async create(
    db: SqlRunner,
    tenantId: string,
    account: Account,
    draft: UserDraft,
    source: ChangeSource,
  ): Promise<Intake | null> {
    const tenant = await this.tenants.get(tenantId);
    const ctx: WriteContext = { tenantId, channel: 'api', directory: null, source, receivedAt: new Date() };
    const about: WriteCase = { ctx, tenant, row: null, draft, roleSet: null, fromRules: [], released: null };
    const stamp = newStamp();
    const plan = planWrite({ kind: 'import', about, account }, NO_CONFLICTS, stamp)!;
    return (await this.runner.run(db, plan, ctx)) ? { kind: 'created', userId: stamp.id } : null;
  }

  /** Returns the draft with a free `userName`: the e-mail, or a substitute where another user keeps the name. */
  private async withFreeName(
    tx: SqlRunner,
    tenantId: string,
    draft: UserDraft,
    person: Person,
    name: string,
  ): Promise<UserDraft> {
    const users = await this.users.conflicting(tenantId, draft, person.external_id, null, tx);
    const holder = users.find(({ same_name, gone }) => same_name && !gone);
    if (holder === undefined) return draft;
    if (!holder.yields) return draftOf(documentOf({ ...person, active: draft.active, userName: standIn(name) }));
    await this.users.giveNameAway(tx, tenantId, holder, draft);
    return draft;
  }

  /** Returns the user of the account, or why the account is left out; null when the user does not exist yet. */
  private async find(tenantId: string, { person, status }: Account): Promise<Intake | null> {
    if (person.external_id !== null) {
      const byKey = await this.known.byExternalId(tenantId, person.external_id);
      if (byKey) return { kind: 'known', userId: byKey.id };
    }
    if (person.email === null) return null;
    const [holder] = await this.users.byEmail(tenantId, emailKey(person.email));
    if (holder === undefined) return null;
    if (status === 'inactive') return leftOut('email_of_another_user', `The user ${holder.id} has this e-mail.`);
    if (holder.status === 'inactive') return null; // The e-mail belongs to a leaver: the account is that of a new user.
    const refusal = accountRefusal({ status, externalId: person.external_id }, holder.person_external_id);
    if (refusal === null) return { kind: 'known', userId: holder.id };
    const other = holder.person_external_id ?? 'none';
    return leftOut(refusal, `The user ${holder.id} has this e-mail and another external_id (${other}).`);
  }
}

interface Account {
  person: Person;
  status: 'active' | 'inactive';
  platformId: string;
}

function leftOut(reason: AccountLeftOutReason, detail: string): Intake {
  return { kind: 'left_out', reason, detail };
}
