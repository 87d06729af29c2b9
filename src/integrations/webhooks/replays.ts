import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { LaneWakeups } from '../../engine/delivery/lane-state.js';
import { replay } from '../../engine/delivery/lanes/admin.js';
import { EventReader } from '../../engine/events/event-reader.js';
import { eventId } from '../../engine/events/event-recorder.js';
import { TaskHandlers, TaskFailed, TaskInterrupted, type Batch, type Task } from '../../engine/work/task.js';
import { TasksRepository, type TaskRow } from '../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../engine/work/tasks.service.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { demandRoom } from '../../tenancy/tenants/caps.js';
import { type Endpoint, EndpointStore } from './endpoint.store.js';
import { EndpointsRepository } from './endpoints.repository.js';
import type { ReplayCountBody, ReplayWebhook } from './message-bodies.dto.js';
import { endpointKeyOf, WebhooksService } from './webhooks.service.js';

interface ReplayPayload {
  endpoint_id: string;
  since: string | null;
  rate: number;
  after: string;
  through: string;
}

interface Replayed {
  sequence: string;
  record: string | null;
}

const MOST_OF_BATCH = 500;
/** The interval of the look-ups while a lane is being sent, in milliseconds. */
const BUSY_MS = 200;
const BUSY_TURNS = 100;

const DEFAULT_RATE = 50;
const MOST_COUNTED = 10_000;
const COUNT_STEP = 1_000;
/** Counts replays, and runs them as tasks: messages are sent again in batches, at a rate, oldest first. */
@Injectable()
export class Replays {
  constructor(
    private readonly db: Database,
    private readonly endpoints: EndpointsRepository,
    private readonly webhooks: WebhooksService,
    private readonly reader: EventReader,
    private readonly tasks: TasksRepository,
    private readonly store: EndpointStore,
    private readonly wakeups: LaneWakeups,
    handlers: TaskHandlers,
  ) {
    // The task rests between its batches, so it must not take a slot for work.
    handlers.add<ReplayPayload & Record<string, unknown>>(['webhooks.replay'], {
      run: (task) => this.run(task),
      callsOut: true,
    });
  }

  async count(caller: Caller, id: string, input: ReplayWebhook): Promise<ReplayCountBody> {
    const endpoint = await this.endpoints.demandOne(caller, id);
    demandOne(input);
    if (input.since === undefined) {
      return { count: await this.endpoints.countGivenUp(endpoint.tenantId, id), more: false };
    }
    let count = 0;
    let after = '0';
    while (count < MOST_COUNTED) {
      const range = { after, since: input.since, names: endpoint.events ?? undefined };
      const found = await this.reader.page(endpoint.tenantId, { ...range, limit: COUNT_STEP, newestFirst: false });
      count += found.length;
      if (found.length < COUNT_STEP) return { count, more: false };
      after = found.at(-1)!.sequence;
    }
    return { count, more: true };
  }

  async begin(caller: Caller, id: string, input: ReplayWebhook): Promise<TaskRow> {
    const { count, more } = await this.count(caller, id, input);
    const { tenantId } = caller;
    const [newest] = await this.reader.page(tenantId, { limit: 1, newestFirst: true });
    const payload: ReplayPayload = {
      endpoint_id: id,
      since: input.since?.toISOString() ?? null,
      rate: input.rate ?? DEFAULT_RATE,
      after: '0',
      through: newest?.sequence ?? '0',
    };
    const task = await once(this.db, caller, async (tx) => {
      await this.endpoints.lockedOne(tx, caller, id);
      await demandRoom(tx, TASKS_CAP, tenantId);
      const { since, rate } = payload;
      await this.webhooks.note(tx, caller, 'webhook.replayed', id, { after: { since, rate } });
      const total = more ? null : count;
      return this.tasks.add(tx, tenantId, { kind: 'webhooks.replay', payload, total, createdBy: caller.actor });
    });
    this.tasks.wake();
    return task;
  }

  private async run({ tenantId, payload }: Task<ReplayPayload & Record<string, unknown>>): Promise<Batch> {
    const began = performance.now();
    const endpoint = await this.store.get(tenantId, payload.endpoint_id);
    if (endpoint === undefined) throw new TaskFailed('The endpoint has been removed.');
    const limit = Math.min(payload.rate, MOST_OF_BATCH);
    const batch = await this.batchOf(endpoint, payload, limit);
    await this.enqueue(endpoint, batch, payload.since === null);
    if (batch.length > 0) this.wakeups.wake(endpointKeyOf(endpoint));
    if (batch.length < limit) return { done: batch.length, next: null };
    await sleep(Math.max(0, (batch.length / payload.rate) * 1_000 - (performance.now() - began)));
    return { done: batch.length, next: { ...payload, after: batch.at(-1)!.sequence } };
  }

  private async batchOf(
    { tenantId, id, events }: Endpoint,
    { since, after, through }: ReplayPayload,
    limit: number,
  ): Promise<Replayed[]> {
    if (since === null) return this.endpoints.oldestGivenUp(this.db, tenantId, id, { after, through, limit });
    const range = { after, through, since: new Date(since), names: events ?? undefined, limit, newestFirst: false };
    return this.reader.page(tenantId, range);
  }

  /** A lane that is being sent is tried again: its outcome would move it past the messages. */
  private async enqueue(endpoint: Endpoint, batch: readonly Replayed[], givenUp: boolean): Promise<void> {
    let rest = batch;
    for (let turn = 0; rest.length > 0; turn++) {
      if (turn === BUSY_TURNS) throw new TaskInterrupted('A delivery to the endpoint takes too long.');
      if (turn > 0) await sleep(BUSY_MS);
      rest = await this.db.transaction(endpoint.tenantId, (tx) => this.enqueueFree(tx, endpoint, rest, givenUp));
    }
  }

  private async enqueueFree(
    tx: SqlRunner,
    endpoint: Endpoint,
    batch: readonly Replayed[],
    givenUp: boolean,
  ): Promise<Replayed[]> {
    const subjectOf = ({ sequence, record }: Replayed): string =>
      endpoint.ordered && record !== null ? record : eventId(sequence);
    const messages = batch.map((one) => ({ subject: subjectOf(one), sequence: one.sequence }));
    const busy = new Set(await replay(tx, endpointKeyOf(endpoint), messages));
    const done = batch.filter((one) => !busy.has(subjectOf(one)));
    if (givenUp) {
      const sequences = done.map(({ sequence }) => sequence);
      await this.endpoints.removeGivenUpRows(tx, endpoint.tenantId, endpoint.id, sequences);
    }
    // A message that is being sent needs no lane of its own; a record that is being sent has more than that message.
    return batch.filter((one) => busy.has(subjectOf(one)) && subjectOf(one) === one.record);
  }
}

function demandOne({ since, given_up: givenUp }: ReplayWebhook): void {
  if ((since === undefined) === (givenUp === true)) return;
  throw new InvalidFields([{ field: 'since', message: 'must be given, or `given_up: true`, and not both' }]);
}
