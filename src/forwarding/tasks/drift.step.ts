import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { DestinationsRepository } from '../../engine/delivery/destinations/destinations.repository.js';
import { EventsRepository } from '../../engine/events/events.service.js';
import { TaskFailed, type Batch, type Task } from '../../engine/work/task.js';
import { TasksRepository } from '../../engine/work/tasks.repository.js';
import type { Person } from '../../tenancy/identity/person.js';
import { NamedUsers, platformOf } from '../connections.js';
import type { PlatformUser } from '../platform-client/platform.client.js';
import {
  expectedAfter,
  expectedUnbound,
  type Expected,
  PlatformList,
  expectedByAccount,
  isActive,
  shownOf,
} from './platform-list.js';

const FIELDS = ['email', 'first_name', 'last_name', 'role', 'external_id'] as const satisfies readonly (keyof Person)[];

export function differenceOf(expected: Expected, account: PlatformUser, accountIsActive: boolean): string | null {
  const shouldBeActive = expected.state === 'active';
  if (shouldBeActive !== accountIsActive) {
    return shouldBeActive ? 'Active here and inactive on the platform.' : 'Active on the platform and not here.';
  }
  // An inactive account keeps the values that it had.
  if (!shouldBeActive) return null;
  const person = JSON.parse(expected.body) as Person;
  // A field that the platform does not show cannot be compared. A user without an e-mail keeps that of the account.
  const shown = FIELDS.filter((name) => account[name] !== null && !(name === 'email' && person.email === null));
  const fields = shown.filter((name) => account[name] !== (person[name] ?? ''));
  return fields.length === 0 ? null : `Another value on the platform: ${fields.join(', ')}.`;
}

type Counts = Record<'same' | 'different' | 'missing' | 'extra', number>;

/** Lists how the platform's accounts differ from the expected ones, then who is missing. Changes nothing. */
@Injectable()
export class DriftStep {
  constructor(
    private readonly db: Database,
    private readonly destinations: DestinationsRepository,
    private readonly list: PlatformList,
    private readonly tasks: TasksRepository,
    private readonly events: EventsRepository,
    private readonly users: NamedUsers,
  ) {}

  async run(task: Task): Promise<Batch> {
    const counts = countsOf(task);
    const { payload } = task;
    return payload['part'] === 'ours' ? this.ours(task, counts) : this.theirs(task, counts);
  }

  private async theirs(task: Task, counts: Counts): Promise<Batch> {
    const { tenantId, id: taskId, payload } = task;
    const destination = await this.destinations.read(platformOf(tenantId));
    if (destination === null) throw new TaskFailed('There is no platform connection.');
    const cursor = typeof payload['cursor'] === 'string' ? payload['cursor'] : undefined;
    const read = Number(payload['read'] ?? 0);
    const { accounts, next, total } = await this.list.page(destination, cursor, read);
    const users = accounts.flatMap(({ user }) => (user === null ? [] : [user]));
    const found = await this.usersOf(tenantId, destination.epoch, users);
    for (const account of users) {
      const kind = await this.judge(task, found.get(account.id), account);
      if (kind !== null) counts[kind]++;
    }
    const seen = [...found.values()].map(({ subject }) => subject);
    await this.list.noteSeen(tenantId, taskId, seen);
    const following = next === null ? { part: 'ours' } : { cursor: next, read: read + accounts.length };
    const batch = { done: accounts.length, result: counts, next: { ...counts, ...following } };
    return total === null ? batch : { ...batch, total };
  }

  private async usersOf(tenantId: string, epoch: number, accounts: PlatformUser[]): Promise<Map<string, Expected>> {
    const found = await expectedByAccount(
      this.db,
      platformOf(tenantId),
      epoch,
      accounts.map(({ id }) => id),
    );
    const others = accounts.filter(({ id, external_id }) => !found.has(id) && external_id !== null);
    if (others.length === 0) return found;
    const byKey = await this.unboundByKey(
      tenantId,
      epoch,
      others.map(({ external_id }) => external_id!),
    );
    for (const { id, external_id } of others) {
      const expected = byKey.get(external_id!);
      if (expected !== undefined) found.set(id, expected);
    }
    return found;
  }

  /** Returns the verdict on an account; null for an inactive account without a user. */
  private async judge(task: Task, expected: Expected | undefined, account: PlatformUser): Promise<keyof Counts | null> {
    const active = isActive(account);
    if (expected === undefined) {
      if (!active) return null;
      await this.note(task, account, null, 'extra', 'Active on the platform and unknown here.');
      return 'extra';
    }
    const difference = differenceOf(expected, account, active);
    if (difference === null) return 'same';
    await this.note(task, account, expected.subject, 'different', difference);
    return 'different';
  }

  private async ours(task: Task, counts: Counts): Promise<Batch> {
    const { tenantId, id: taskId, payload } = task;
    const { users, next } = await this.unseen(
      tenantId,
      taskId,
      typeof payload['after'] === 'string' ? payload['after'] : '',
    );
    for (const userId of users) {
      const detail = 'Active here, and not in the list of the platform.';
      await this.tasks.addLeftOut(tenantId, taskId, {
        id: userId,
        item: { user_id: userId },
        reason: 'missing',
        detail,
      });
      counts.missing++;
    }
    const batch = { done: users.length, result: counts };
    if (next !== null) return { ...batch, next: { ...counts, part: 'ours', after: next } };
    await this.list.forgetSeen(tenantId, taskId);
    await this.tell(tenantId, taskId, counts);
    return { ...batch, next: null };
  }

  private async tell(tenantId: string, taskId: string, { missing, different, extra }: Counts): Promise<void> {
    if (missing + different + extra === 0) return;
    const data = { task_id: taskId, missing, different, extra };
    await this.events.record(tenantId, [{ event: 'drift.found', data, threshold: taskId }]);
  }

  private async note(
    { tenantId, id: taskId }: Task,
    account: PlatformUser,
    userId: string | null,
    reason: string,
    detail: string,
  ): Promise<void> {
    const { id, item } = shownOf({ user: account, place: '' });
    await this.tasks.addLeftOut(tenantId, taskId, { id, item: { ...item, user_id: userId }, reason, detail });
  }

  private async unboundByKey(tenantId: string, epoch: number, externalIds: string[]): Promise<Map<string, Expected>> {
    const ids = await this.users.byExternalId(tenantId, externalIds);
    const unbound = await expectedUnbound(this.db, platformOf(tenantId), epoch, [...ids.values()]);
    const byId = new Map(unbound.map((expected) => [expected.subject, expected]));
    return new Map([...ids].flatMap(([key, id]) => (byId.has(id) ? [[key, byId.get(id)!] as const] : [])));
  }

  /** Looks through the next users. Returns those that should be active on the platform and are not in its list. */
  private async unseen(
    tenantId: string,
    taskId: string,
    after: string,
  ): Promise<{ users: string[]; next: string | null }> {
    const { subjects, next } = await expectedAfter(this.db, platformOf(tenantId), after);
    const active = subjects.filter(({ state }) => state === 'active').map(({ subject }) => subject);
    const seen = await this.list.seenAmong(tenantId, taskId, active);
    return { users: active.filter((id) => !seen.has(id)).sort(), next };
  }
}

function countsOf({ payload }: Task): Counts {
  const count = (name: string): number => (typeof payload[name] === 'number' ? payload[name] : 0);
  return { same: count('same'), different: count('different'), missing: count('missing'), extra: count('extra') };
}
