import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { DestinationsRepository } from '../../delivery/destinations/destinations.repository.js';
import type { Person } from '../../identity/person.js';
import type { ChangeSource } from '../../identity/source.js';
import { LeftOutRepository } from '../../tasks/left-out.repository.js';
import { personText } from '../platform-user.mapping.js';
import { IntakeLocator, type Intake, type PeopleIntake } from '../people-intake.js';
import { JobFailed, type Batch, type Job } from './forwarding-job.js';
import { isActive, PlatformList, shownOf, type ListedAccount } from './platform-list.js';
import { sideBySide } from './side-by-side.js';

/** Takes in the people whom the platform already has, one page of its list after the other. Nothing is forwarded. */
@Injectable()
export class ImportStep {
  constructor(
    private readonly db: Database,
    private readonly destinations: DestinationsRepository,
    private readonly list: PlatformList,
    private readonly intake: IntakeLocator,
    private readonly leftOut: LeftOutRepository,
  ) {}

  async run(job: Job): Promise<Batch> {
    const destination = await this.destinations.read(job.tenantId);
    if (destination === null) throw new JobFailed('There is no platform connection.');
    const intake = this.intake.find();
    if (intake === null) throw new JobFailed('This installation cannot take people in.');
    const cursor = typeof job.payload['cursor'] === 'string' ? job.payload['cursor'] : undefined;
    const { accounts, next } = await this.list.page(destination, cursor);
    const source: ChangeSource = {
      request_id: job.id,
      surface: 'system',
      directory_id: null,
      actor: job.createdBy,
    };
    const pass = job.payload['pass'] === 'others' ? 'others' : 'active';
    const counts = countsOf(job);
    const due = accounts.filter((account) => passOf(account) === pass);
    const bound = await this.boundAmong(job.tenantId, destination.epoch, due);
    await sideBySide(due, namesOf, async (account) => {
      const outcome = await this.take(intake, job, destination.epoch, account, bound, source);
      counts[outcome.kind]++;
      if (outcome.kind !== 'left_out') return;
      const { reason, detail } = outcome;
      const { id, item } = shownOf(account);
      await this.leftOut.add(job.tenantId, job.id, { id, item, reason, detail });
    });
    const done = due.length;
    const last = next === null;
    const batch = { done, wake: false, result: counts };
    if (!last) return { ...batch, next: { ...counts, pass, cursor: next } };
    if (pass === 'active') return { ...batch, next: { ...counts, pass: 'others' } };
    return { ...batch, next: null, total: counts.created + counts.known + counts.left_out };
  }

  private async take(
    intake: PeopleIntake,
    job: Job,
    epoch: number,
    account: ListedAccount,
    bound: Set<string>,
    source: ChangeSource,
  ): Promise<Intake | { kind: 'known' }> {
    if (account.user === null) {
      const detail =
        'The entry of the list has no id that can be kept (text of 1 to 255 characters, or a whole number).';
      return { kind: 'left_out', reason: 'unreadable', detail };
    }
    const { tenantId } = job;
    const { user } = account;
    if (bound.has(user.id)) return { kind: 'known' };
    const person: Person = {
      email: user.email === '' ? null : user.email,
      first_name: user.first_name ?? '',
      last_name: user.last_name ?? '',
      role: user.role,
      external_id: user.external_id === '' ? null : user.external_id,
    };
    const status = isActive(user) ? 'active' : 'inactive';
    const taken = await intake.importUnmanaged(tenantId, person, status, user.id, source);
    if (taken.kind === 'left_out') return taken;
    // A user who has just been created has no account yet.
    const other = taken.kind === 'created' ? null : await this.accountOf(tenantId, taken.userId, epoch);
    if (other !== null) {
      const detail = `The user ${taken.userId} is bound to the account ${other}.`;
      return { kind: 'left_out', reason: 'user_has_another_account', detail };
    }
    await this.bind(tenantId, taken.userId, epoch, user.id, status, personText(person));
    bound.add(user.id); // a list may name an account twice
    return taken;
  }

  /** The account that a user is bound to at this destination, or null. */
  private async accountOf(tenantId: string, userId: string, epoch: number): Promise<string | null> {
    const { rows } = await this.db.query<{ platform_id: string | null }>(
      `select platform_id from lanes where tenant_id = $1 and user_id = $2 and epoch = $3`,
      [tenantId, userId, epoch],
    );
    return rows[0]?.platform_id ?? null;
  }

  /** The accounts that are bound to a user already, asked once for a whole page. */
  private async boundAmong(tenantId: string, epoch: number, accounts: ListedAccount[]): Promise<Set<string>> {
    const ids = accounts.flatMap(({ user }) => (user === null ? [] : [user.id]));
    const { rows } = await this.db.query<{ platform_id: string }>(
      `select platform_id from lanes where tenant_id = $1 and platform_id = any($2::text[]) and epoch = $3`,
      [tenantId, ids, epoch],
    );
    return new Set(rows.map((row) => row.platform_id));
  }

  /** The platform's id becomes the person's. A lane that is being worked on finds it by itself. */
  private async bind(
    tenantId: string,
    userId: string,
    epoch: number,
    platformId: string,
    status: string,
    person: string,
  ): Promise<void> {
    await this.db.query(
      `insert into lanes as l (tenant_id, user_id, target_state, target_person, rank, last_pending, epoch, platform_id,
                               confirmed_state, confirmed_person, confirmed_at)
       values ($1, $2, $5, $6, 1, 0, $3, $4, $5, $6, now())
       on conflict (tenant_id, user_id) do update set epoch = excluded.epoch, platform_id = excluded.platform_id,
         confirmed_state = excluded.confirmed_state, confirmed_person = excluded.confirmed_person
       where l.lease_token is null and not l.calling and (l.platform_id is null or l.epoch < excluded.epoch)`,
      [tenantId, userId, epoch, platformId, status, person],
    );
  }
}

/**
 * The list is read twice: first the active accounts, then the others. So of two accounts with one e-mail the active one
 * is taken, whichever comes first in the list.
 */
function passOf({ user }: ListedAccount): 'active' | 'others' {
  return user !== null && isActive(user) ? 'active' : 'others';
}

/** By what two accounts of a list may be one user, or be in each other's way. */
function namesOf({ user, place }: ListedAccount): string[] {
  if (user === null) return [`place ${place}`];
  const names = [user.email, user.external_id].filter((name) => name !== null && name !== '');
  return [`id ${user.id}`, ...names.map((name) => `name ${String(name).toLowerCase()}`)];
}

type Counts = Record<'created' | 'known' | 'left_out', number>;

function countsOf({ payload }: Job): Counts {
  const count = (name: string): number => (typeof payload[name] === 'number' ? payload[name] : 0);
  return { created: count('created'), known: count('known'), left_out: count('left_out') };
}
