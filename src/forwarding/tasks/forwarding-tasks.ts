import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { rebind, resend } from '../../engine/delivery/lanes/admin.js';
import { type Batch, type Task, TaskHandlers, type TaskHandler } from '../../engine/work/task.js';
import { platformOf } from '../connections.js';
import { ForwardingService } from '../forwarding.service.js';
import { DriftStep } from './drift.step.js';
import { ImportStep } from './import.step.js';

const BATCH = 500;

/** Runs the tasks of forwarding that send users again, after everything that is new. */
@Injectable()
export class ForwardingTasks {
  constructor(
    handlers: TaskHandlers,
    forwarding: ForwardingService,
    importing: ImportStep,
    drift: DriftStep,
    private readonly db: Database,
  ) {
    const sending = (step: TaskHandler['run']): TaskHandler => ({
      run: async (task: Task) => {
        const batch = await step(task);
        if (batch.done > 0) forwarding.wake(task.tenantId);
        return batch;
      },
    });
    handlers.add(
      ['platform.reforward'],
      sending((task) => this.reforward(task)),
    );
    handlers.add(
      ['changes.resend'],
      sending((task) => this.resend(task)),
    );
    handlers.add(['platform.import'], { run: (task) => importing.run(task), callsOut: true });
    handlers.add(['platform.drift'], { run: (task) => drift.run(task), callsOut: true });
  }

  /** Sends every active user to a changed address. */
  private async reforward({ tenantId, payload }: Task): Promise<Batch> {
    const epoch = Number(payload['epoch']);
    const after = typeof payload['after'] === 'string' ? payload['after'] : '';
    const { moved, next } = await this.db.transaction(tenantId, (tx) => rebind(tx, platformOf(tenantId), epoch, after));
    return { done: moved, next: next === null ? null : { ...payload, after: next } };
  }

  /** Sends every user who changed since then, in the present state; a user with several changes once. */
  private async resend({ tenantId, payload }: Task): Promise<Batch> {
    return this.db.transaction(tenantId, async (tx) => {
      const { rows } = await tx.query<{ sequence: string; user_id: string; newest: boolean }>(
        `select c.sequence, c.user_id, not exists (
           select 1 from changes n where n.tenant_id = $1 and n.user_id = c.user_id and n.sequence > c.sequence
             and n.forwarded) as newest
         from changes c where c.tenant_id = $1 and c.sequence > $2 and c.occurred_at >= $3 and c.forwarded
         order by c.sequence limit ${BATCH}`,
        [tenantId, payload['after'] ?? '0', payload['since']],
      );
      const users = rows.filter(({ newest }) => newest).map(({ user_id }) => user_id);
      const marked = await resend(tx, platformOf(tenantId), users);
      return { done: marked, next: rows.length < BATCH ? null : { ...payload, after: rows.at(-1)!.sequence } };
    });
  }
}
