import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { DestinationsRepository } from '../../engine/delivery/destinations/destinations.repository.js';
import { taskBody, type TaskBody } from '../../engine/work/tasks.dto.js';
import { TasksRepository, type TaskRow } from '../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../engine/work/tasks.service.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { demandRoom } from '../../tenancy/tenants/caps.js';
import { platformOf } from '../platform-destination.js';
import { noPlatform } from './platform.service.js';

/** The tasks of forwarding. */
const KINDS = ['platform.reforward', 'platform.import', 'platform.drift', 'changes.resend'] as const;

/** Begins the tasks that read the platform's list of users. */
@Injectable()
export class PlatformTasks {
  constructor(
    private readonly db: Database,
    private readonly destinations: DestinationsRepository,
    private readonly tasks: TasksRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Begins to take in all users that the platform has. */
  import(caller: Caller): Promise<TaskRow> {
    return this.begin(caller, 'platform.import', 'platform.import_begun');
  }

  /** Begins to compare the platform's list with what the platform should know. Changes nothing. */
  drift(caller: Caller): Promise<TaskRow> {
    return this.begin(caller, 'platform.drift', 'platform.drift_begun');
  }

  /** Returns the newest tasks of forwarding. */
  async list(tenantId: string): Promise<{ data: TaskBody[] }> {
    const rows = await this.tasks.list(tenantId, { kinds: KINDS }, { limit: 50, after: null });
    const now = this.clock.now();
    return { data: rows.slice(0, 50).map((row) => taskBody(row, now)) };
  }

  private async begin(caller: Caller, kind: 'platform.import' | 'platform.drift', action: string): Promise<TaskRow> {
    const { tenantId, actor, requestId } = caller;
    return once(this.db, caller, async (tx) => {
      if ((await this.destinations.lock(tx, platformOf(tenantId))) === null) throw noPlatform();
      await demandRoom(tx, TASKS_CAP, tenantId);
      const task = await this.tasks.add(tx, tenantId, { kind, payload: {}, createdBy: actor });
      const line = { tenantId, actor, requestId, targetType: 'platform', targetId: tenantId };
      await this.audit.record(tx, { ...line, action, after: { task: task.id } });
      return task;
    });
  }
}
