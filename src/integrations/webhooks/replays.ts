import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { EventReader } from '../../engine/events/event-reader.js';
import { TasksRepository, type TaskRow } from '../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../engine/work/tasks.service.js';
import { demandRoom } from '../../tenancy/tenants/caps.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { EndpointAccess } from './endpoint-access.js';
import { GivenUpRepository } from './given-up.repository.js';
import type { ReplayCountBody, ReplayWebhook } from './message-bodies.dto.js';
import type { ReplayPayload } from './replay-run.js';
import { WebhooksService } from './webhooks.service.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';

const DEFAULT_RATE = 50;
/** More are not counted before a replay begins. */
const MOST_COUNTED = 10_000;
const COUNT_STEP = 1_000;
/** Counts and begins replays: messages are sent again, in the background and at a rate, oldest first. */
@Injectable()
export class Replays {
  constructor(
    private readonly db: Database,
    private readonly access: EndpointAccess,
    private readonly webhooks: WebhooksService,
    private readonly givenUp: GivenUpRepository,
    private readonly reader: EventReader,
    private readonly tasks: TasksRepository,
  ) {}

  /** Counts what a replay would send. */
  async count(caller: Caller, id: string, input: ReplayWebhook): Promise<ReplayCountBody> {
    const endpoint = await this.access.one(caller, id);
    demandOne(input);
    if (input.since === undefined) {
      return { count: await this.givenUp.count(endpoint.tenantId, id), more: false };
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

  /** Begins a replay of everything until now. */
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
      await this.access.locked(tx, caller, id);
      await demandRoom(tx, TASKS_CAP, tenantId);
      const { since, rate } = payload;
      await this.webhooks.note(tx, caller, 'webhook.replayed', id, { after: { since, rate } });
      const total = more ? null : count;
      return this.tasks.add(tx, tenantId, { kind: 'webhooks.replay', payload, total, createdBy: caller.actor });
    });
    this.tasks.wake();
    return task;
  }
}

function demandOne({ since, given_up: givenUp }: ReplayWebhook): void {
  if ((since === undefined) === (givenUp === true)) return;
  throw new InvalidFields([{ field: 'since', message: 'must be given, or `given_up: true`, and not both' }]);
}
