import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import type { CutRows } from '../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { Conflict, NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { dismiss, resend, retry } from '../../engine/delivery/lanes/admin.js';
import { TasksRepository, type TaskRow } from '../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../engine/work/tasks.service.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import type { Caller, RequestedBy } from '../../tenancy/tenants/caller.js';
import { demandRoom } from '../../tenancy/tenants/caps.js';
import { ForwardingService } from '../forwarding.service.js';
import { platformOf } from '../platform-destination.js';
import {
  attemptBody,
  changeBody,
  sequenceOf,
  type AttemptBody,
  type ChangeBody,
  type ChangeRow,
} from './change.mapping.js';
import { ChangesRepository, type ChangeFilter } from './changes.repository.js';

/** What happened to people, whether the platform has it, and what an administrator can do where it does not. */
@Injectable()
export class ChangesService {
  constructor(
    private readonly db: Database,
    private readonly repository: ChangesRepository,
    private readonly tasks: TasksRepository,
    private readonly audit: AuditService,
    private readonly forwarding: ForwardingService,
    private readonly clock: Clock,
  ) {}

  list(
    tenantId: string,
    filter: ChangeFilter,
    page: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<CutRows<ChangeRow>> {
    return this.repository.list(tenantId, filter, page);
  }

  /**
   * Returns a change with its requests.
   *
   * @throws {NotFound} when the tenant has no such change
   */
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
   * Gives up a parked change, and what of the same user is parked with it.
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

  /** Begins to send all users who changed since then again, as they are now. */
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

  /**
   * Sends one user again, in the effective state.
   *
   * @throws {NotFound} when no change of such a user was ever to be sent
   */
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
}
