import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import type { CutRows } from '../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { Conflict, NotFound, InvalidFields } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { ChangeParked, DestinationBack, DestinationPaused } from '../../engine/delivery/delivery.events.js';
import type { DestinationKey } from '../../engine/delivery/destination.js';
import { dismiss, resend, retry } from '../../engine/delivery/lanes/admin.js';
import { EventsRepository, type NewEvent } from '../../engine/events/events.service.js';
import { TaskHandlers, type Batch, type Task } from '../../engine/work/task.js';
import { TasksRepository, type TaskRow } from '../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../engine/work/tasks.service.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import type { Caller, RequestedBy } from '../../tenancy/tenants/caller.js';
import { demandRoom } from '../../tenancy/tenants/caps.js';
import { platformOf, PLATFORM } from '../connections.js';
import { ForwardingService } from '../forwarding.service.js';
import {
  attemptBody,
  changeBody,
  sequenceOf,
  type AttemptBody,
  type ChangeBody,
  type ChangeRow,
  changeId,
} from './changes.dto.js';
import { ChangesRepository, type ChangeFilter, type ParkedChoice, type ParkedUser } from './changes.repository.js';

export type ChangeAct = 'retry' | 'dismiss';

/** `after`: the user after whom the next batch begins. `reason`: why the changes are dismissed. */
type ChangePayload = ParkedChoice & { after?: string; reason?: string };

const BATCH = 100;
const DONE = { retry: 'retried', dismiss: 'dismissed' } as const satisfies Record<ChangeAct, string>;

/**
 * Shows the changes of users and their state at the platform, and sends or dismisses parked ones. Deliveries become
 * events of the tenant in the transaction of the fact. Tasks work in small steps that each keep their progress.
 */
@Injectable()
export class ChangesService {
  constructor(
    private readonly db: Database,
    private readonly repository: ChangesRepository,
    private readonly tasks: TasksRepository,
    private readonly audit: AuditService,
    private readonly forwarding: ForwardingService,
    private readonly clock: Clock,
    private readonly records: EventsRepository,
    events: DomainEvents,
    handlers: TaskHandlers,
  ) {
    events.on(DestinationPaused, ({ tx, destination, reason, detail }) =>
      this.record(tx, destination, { event: 'destination.paused', data: { reason, detail } }),
    );
    events.on(DestinationBack, ({ tx, destination, probes }) =>
      this.record(tx, destination, { event: 'destination.back', data: { probes } }),
    );
    events.on(ChangeParked, ({ tx, destination, subject, through, reason }) => {
      const data = { user_id: subject, change_id: changeId(through), reason };
      return this.record(tx, destination, { event: 'change.parked', data });
    });

    for (const act of ['retry', 'dismiss'] as const) {
      handlers.add<ChangePayload>([`changes.${act}`], { run: (task) => this.batch(act, task) });
    }
  }

  list(
    tenantId: string,
    filter: ChangeFilter,
    page: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<CutRows<ChangeRow>> {
    return this.repository.list(tenantId, filter, page);
  }

  async get(tenantId: string, id: string): Promise<ChangeBody & { attempts: AttemptBody[] }> {
    const row = await this.find(tenantId, id);
    const attempts = await this.repository.attempts(tenantId, row.user_id, row.sequence);
    return { ...changeBody(row), attempts: attempts.map(attemptBody) };
  }

  /**
   * Sends a parked or waiting change at once.
   *
   * @throws {NotFound} when the tenant has no such change
   * @throws {Conflict} `not_waiting` when nothing is pending for its user
   */
  async retry(caller: RequestedBy, id: string): Promise<ChangeBody> {
    await this.db.transaction(caller.tenantId, async (tx) => {
      const row = await this.find(caller.tenantId, id, tx);
      const retried = await retry(tx, platformOf(caller.tenantId), row.user_id);
      if (retried === undefined || (row.state !== 'parked' && row.state !== 'pending')) {
        throw new Conflict('not_waiting', `This change is ${row.state}: there is nothing to try again.`);
      }
      await this.note(tx, caller, 'change.retried', row, { reason: retried.parkedReason });
    });
    this.forwarding.wake(caller.tenantId);
    return changeBody(await this.find(caller.tenantId, id));
  }

  /**
   * Dismisses a parked change, and the changes of the same user that are parked with it.
   *
   * @throws {NotFound} when the tenant has no such change
   * @throws {Conflict} `not_parked` when it is not parked
   */
  async dismiss(caller: RequestedBy, id: string, reason: string | null): Promise<ChangeBody> {
    await this.db.transaction(caller.tenantId, async (tx) => {
      const row = await this.find(caller.tenantId, id, tx);
      const dismissed = await dismiss(tx, platformOf(caller.tenantId), row.user_id);
      if (dismissed === null || row.state !== 'parked') {
        throw new Conflict('not_parked', `This change is ${row.state}: only a parked one can be dismissed.`);
      }
      const by = { reason, at: this.clock.now().toISOString(), actor: caller.actor };
      await this.repository.markDismissed(tx, caller.tenantId, row.user_id, dismissed, by);
      await this.note(tx, caller, 'change.dismissed', row, { parked: dismissed.parkedReason, reason });
    });
    return changeBody(await this.find(caller.tenantId, id));
  }

  async resend(caller: Caller, since: Date): Promise<TaskRow> {
    return once(this.db, caller, async (tx) => {
      const payload = { since: since.toISOString(), after: '0' };
      await demandRoom(tx, TASKS_CAP, caller.tenantId);
      const task = await this.tasks.add(tx, caller.tenantId, {
        kind: 'changes.resend',
        payload,
        createdBy: caller.actor,
      });
      await this.audit.record(tx, {
        tenantId: caller.tenantId,
        actor: caller.actor,
        requestId: caller.requestId,
        action: 'changes.resend_begun',
        targetType: 'task',
        targetId: task.id,
        after: { since: payload.since },
      });
      return task;
    });
  }

  /** @throws {NotFound} when no change of such a user was ever to be sent */
  async resendUser({ tenantId, actor, requestId }: RequestedBy, userId: string): Promise<void> {
    await this.db.transaction(tenantId, async (tx) => {
      const marked = await resend(tx, platformOf(tenantId), [userId]);
      if (marked === 0) throw new NotFound('user that was to be sent');
      const act = { tenantId, actor, requestId, action: 'user.resent', targetType: 'user', targetId: userId };
      await this.audit.record(tx, act);
    });
    this.forwarding.wake(tenantId);
  }

  private async find(tenantId: string, id: string, db?: SqlRunner): Promise<ChangeRow> {
    const sequence = sequenceOf(id);
    const row = sequence === null ? null : await this.repository.find(tenantId, sequence, db);
    if (row === null) throw new NotFound('change');
    return row;
  }

  private note(tx: SqlRunner, caller: RequestedBy, action: string, row: ChangeRow, after: object): Promise<void> {
    return this.audit.record(tx, {
      tenantId: caller.tenantId,
      actor: caller.actor,
      requestId: caller.requestId,
      action,
      targetType: 'change',
      targetId: `chg_${row.sequence}`,
      before: { state: row.state, user_id: row.user_id },
      after,
    });
  }

  private async record(tx: SqlRunner, { tenantId, channel }: DestinationKey, event: NewEvent): Promise<void> {
    if (channel === PLATFORM) await this.records.record(tenantId, [event], tx);
  }

  countTask(caller: Caller, choice: ParkedChoice): Promise<number> {
    demandChoice(choice);
    return this.repository.countParked(caller.tenantId, choice);
  }

  /** @throws {TooMany} `too_many_tasks` */
  async beginTask(caller: Caller, act: ChangeAct, payload: ChangePayload): Promise<TaskRow> {
    const { tenantId, actor, requestId } = caller;
    const total = await this.countTask(caller, payload);
    const task = await once(this.db, caller, async (tx) => {
      await demandRoom(tx, TASKS_CAP, tenantId);
      const kind = `changes.${act}` as const;
      const made = await this.tasks.add(tx, tenantId, { kind, payload, total, createdBy: actor });
      const line = { tenantId, actor, requestId, targetType: 'task', targetId: made.id };
      await this.audit.record(tx, { ...line, action: `changes.${act}_begun`, after: { ...payload, total } });
      return made;
    });
    this.tasks.wake();
    return task;
  }

  private async batch(act: ChangeAct, task: Task<ChangePayload>): Promise<Batch> {
    const { after = '', ...choice } = task.payload;
    const users = await this.repository.parkedAfter(task.tenantId, choice, after, BATCH);
    const result: Record<string, number> = { [DONE[act]]: 0, left_out: 0, ...task.result };
    for (const user of users) result[(await this.one(task, act, user)) ? DONE[act] : 'left_out']!++;
    const next = users.length < BATCH ? null : { ...task.payload, after: users.at(-1)!.user_id };
    return { done: users.length, next, result };
  }

  private async one(task: Task<ChangePayload>, act: ChangeAct, { user_id, sequence }: ParkedUser): Promise<boolean> {
    const by = { tenantId: task.tenantId, actor: task.createdBy, requestId: task.id };
    const id = changeId(sequence);
    try {
      await (act === 'retry' ? this.retry(by, id) : this.dismiss(by, id, task.payload.reason ?? null));
      return true;
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
      const reason = error instanceof Conflict ? error.code : 'not_found';
      const item = { user_id, change_id: id };
      await this.tasks.addLeftOut(task.tenantId, task.id, { id: user_id, item, reason, detail: error.message });
      return false;
    }
  }
}

function demandChoice({ user_ids, error, directory }: ParkedChoice): void {
  const isFiltered = error !== undefined || directory !== undefined;
  if ((user_ids === undefined) === isFiltered) return;
  const message = 'send either user_ids or a filter (error, directory), and not both';
  throw new InvalidFields([{ field: 'user_ids', message }]);
}
