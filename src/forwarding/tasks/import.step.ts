import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { WorkSlots } from '../../base/loop.js';
import { DestinationsRepository } from '../../engine/delivery/destinations/destinations.repository.js';
import { importAccount } from '../../engine/delivery/lanes/enqueue.js';
import { TaskFailed, type Batch, type Task } from '../../engine/work/task.js';
import { TasksRepository } from '../../engine/work/tasks.repository.js';
import type { Person, ChangeSource } from '../../tenancy/identity/person.js';
import { boundAccountOf, boundAmong } from '../accounts.js';
import { platformOf } from '../connections.js';
import { ForwardingService, type Intake, type PeopleIntake } from '../forwarding.service.js';
import { personText } from '../platform-user.mapping.js';
import { isActive, PlatformList, shownOf, type ListedAccount } from './platform-list.js';

/** Items in work at once: half of the pool of a small installation, less one. */
const WIDTH = 4;

/**
 * Works on items at the same time. Those that share a name follow each other: the result of the second depends on the
 * first. Throws the first error of `work`, when all begun work has ended.
 */
export async function sideBySide<T>(
  items: readonly T[],
  namesOf: (item: T) => readonly string[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const uses = new Map<string, number>();
  for (const item of items) for (const name of new Set(namesOf(item))) uses.set(name, (uses.get(name) ?? 0) + 1);
  const isShared = (item: T): boolean => namesOf(item).some((name) => uses.get(name)! > 1);
  const chains = [items.filter(isShared), ...items.filter((item) => !isShared(item)).map((item) => [item])];
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let chain = chains.shift(); chain !== undefined && !failed; chain = chains.shift()) {
      for (const item of chain) if (!failed) await work(item);
    }
  };
  const workers = Array.from({ length: WIDTH }, () =>
    worker().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  const ended = await Promise.allSettled(workers);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

@Injectable()
export class ImportStep {
  constructor(
    private readonly db: Database,
    private readonly destinations: DestinationsRepository,
    private readonly list: PlatformList,
    private readonly forwarding: ForwardingService,
    private readonly tasks: TasksRepository,
    private readonly slots: WorkSlots,
  ) {}

  async run(task: Task): Promise<Batch> {
    const destination = await this.destinations.read(platformOf(task.tenantId));
    if (destination === null) throw new TaskFailed('There is no platform connection.');
    const intake = this.forwarding.connected;
    if (intake === null) throw new TaskFailed('This installation cannot take people in.');
    const cursor = typeof task.payload['cursor'] === 'string' ? task.payload['cursor'] : undefined;
    const before = Number(task.payload['read'] ?? 0);
    const { accounts, next, total } = await this.list.page(destination, cursor, before);
    const source: ChangeSource = {
      request_id: task.id,
      surface: 'system',
      directory_id: null,
      actor: task.createdBy,
    };
    const pass = task.payload['pass'] === 'others' ? 'others' : 'active';
    const counts = countsOf(task);
    const due = await this.dueIn(pass, task, accounts);
    const ids = due.flatMap(({ user }) => (user === null ? [] : [user.id]));
    const bound = await boundAmong(this.db, destination, destination.epoch, ids);
    const takeOne = async (account: ListedAccount): Promise<void> => {
      const outcome = await this.take(intake, task, destination.epoch, account, bound, source);
      counts[outcome.kind]++;
      if (outcome.kind !== 'left_out') return;
      const { reason, detail } = outcome;
      const { id, item } = shownOf(account);
      await this.tasks.addLeftOut(task.tenantId, task.id, { id, item, reason, detail });
    };
    await this.slots.run(() => sideBySide(due, namesOf, takeOne));
    // Noted after the batch: a batch that is repeated meets its accounts as known.
    if (pass === 'active') await this.list.noteSeen(task.tenantId, task.id, ids);
    const done = due.length;
    const last = next === null;
    const batch: Pick<Batch, 'done' | 'result' | 'total'> = { done, result: counts, ...(total !== null && { total }) };
    if (!last) return { ...batch, next: { ...counts, pass, cursor: next, read: before + accounts.length } };
    if (pass === 'active') return { ...batch, next: { ...counts, pass: 'others' } };
    await this.list.forgetSeen(task.tenantId, task.id);
    return { ...batch, next: null };
  }

  /**
   * The list is read twice: the active accounts, then the others. So of two accounts with one e-mail the active one is
   * taken, and an account whose state changes between the two passes is taken once.
   */
  private async dueIn(
    pass: 'active' | 'others',
    { tenantId, id }: Task,
    accounts: readonly ListedAccount[],
  ): Promise<ListedAccount[]> {
    if (pass === 'active') return accounts.filter(({ user }) => user !== null && isActive(user));
    const ids = accounts.flatMap(({ user }) => (user === null ? [] : [user.id]));
    const met = await this.list.seenAmong(tenantId, id, ids);
    return accounts.filter(({ user }) => user === null || !met.has(user.id));
  }

  private async take(
    intake: PeopleIntake,
    task: Task,
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
    const { tenantId } = task;
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
    const other =
      taken.kind === 'created' ? null : await boundAccountOf(this.db, platformOf(tenantId), epoch, taken.userId);
    if (other !== null) {
      const detail = `The user ${taken.userId} is bound to the account ${other}.`;
      return { kind: 'left_out', reason: 'user_has_another_account', detail };
    }
    const owned = {
      subject: taken.userId,
      epoch,
      accountId: user.id,
      state: status,
      body: personText(person),
    } as const;
    await importAccount(this.db, platformOf(tenantId), owned);
    bound.add(user.id); // a list may name an account twice
    return taken;
  }
}

function namesOf({ user, place }: ListedAccount): string[] {
  if (user === null) return [`place ${place}`];
  const names = [user.email, user.external_id].filter((name) => name !== null && name !== '');
  return [`id ${user.id}`, ...names.map((name) => `name ${String(name).toLowerCase()}`)];
}

type Counts = Record<'created' | 'known' | 'left_out', number>;

function countsOf({ payload }: Task): Counts {
  const count = (name: string): number => (typeof payload[name] === 'number' ? payload[name] : 0);
  return { created: count('created'), known: count('known'), left_out: count('left_out') };
}
