import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { TaskHandlers, type Batch, type Task } from '../../../engine/work/task.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { systemActor } from '../../../tenancy/identity/person.js';
import type { AtsConnection } from '../connections/connection.js';

interface RemovalPayload {
  connectionId: string;
}

/** Rows of one batch: none holds its locks for long. */
const BATCH = 5_000;

/**
 * What is left of a removed connection, table by table. Events go before records, because an erased candidate finds its
 * events by them.
 */
const LEFT = [
  `delete from ats_events where tenant_id = $1 and connection_id = $2 and id = any(array(
     select e.id from ats_events e where e.tenant_id = $1 and e.connection_id = $2 order by e.id limit ${BATCH}))`,
  `delete from ats_event_keys where tenant_id = $1 and connection_id = $2 and key = any(array(
     select k.key from ats_event_keys k where k.tenant_id = $1 and k.connection_id = $2 order by k.key limit ${BATCH}))`,
  ...['candidate', 'job'].map(
    (kind) => `delete from ats_records where tenant_id = $1 and connection_id = $2 and kind = '${kind}'
     and remote_id = any(array(
       select r.remote_id from ats_records r where r.tenant_id = $1 and r.connection_id = $2 and r.kind = '${kind}'
       order by r.remote_id limit ${BATCH}))`,
  ),
  `delete from ats_writes where tenant_id = $1 and id = any(array(
     select w.id from ats_writes w where w.tenant_id = $1 and w.connection_id = $2 order by w.id limit ${BATCH}))`,
  `delete from ats_runs where tenant_id = $1 and connection_id = $2`,
  `delete from ats_paces where tenant_id = $1 and connection_id = $2`,
] as const;

/** Removes what connections leave that are removed: a task, since there can be millions of rows. */
@Injectable()
export class AtsRemoval {
  constructor(
    private readonly db: Database,
    private readonly tasks: TasksRepository,
    handlers: TaskHandlers,
  ) {
    handlers.add<RemovalPayload>(['ats.remove'], { run: (task) => this.run(task), cancellable: false });
  }

  /** Puts down the work, in the transaction that removes the connection. */
  async begin(tx: SqlRunner, { tenantId, id }: Pick<AtsConnection, 'tenantId' | 'id'>): Promise<void> {
    const payload: RemovalPayload = { connectionId: id };
    await this.tasks.add(tx, tenantId, { kind: 'ats.remove', payload, createdBy: systemActor('ats') });
  }

  /** After the commit of `begin`: wakes the work. */
  wake(): void {
    this.tasks.wake();
  }

  private async run({ tenantId, payload }: Task<RemovalPayload>): Promise<Batch> {
    for (const sql of LEFT) {
      const { rowCount } = await this.db.query(sql, [tenantId, payload.connectionId]);
      if (rowCount !== null && rowCount > 0) return { done: rowCount, next: payload };
    }
    return { done: 0, next: null };
  }
}
