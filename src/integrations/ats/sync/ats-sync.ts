import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { TaskHandlers, type Batch, type Task } from '../../../engine/work/task.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { WorkEntries } from '../../../engine/work/work-entries.repository.js';
import { SyncedCandidates } from '../../../hiring/candidates/synced-candidates.js';
import { JobsRepository } from '../../../hiring/jobs/jobs.repository.js';
import { systemActor } from '../../../tenancy/identity/person.js';
import { AtsConnectionReady } from '../connections/ats.errors.js';
import type { AtsConnection } from '../connections/connection.js';
import type { PassReason } from './pass.js';
import { SYNC_WORK } from './syncs.repository.js';

type Key = Pick<AtsConnection, 'tenantId' | 'id'>;

interface ReleasePayload {
  connectionId: string;
  after?: string;
}

const RELEASED_AT_ONCE = 1_000;

/** Decides when the records of a connection are read from its ATS. */
@Injectable()
export class AtsSync {
  constructor(
    private readonly db: Database,
    private readonly tasks: TasksRepository,
    private readonly entries: WorkEntries,
    private readonly candidates: SyncedCandidates,
    private readonly jobs: JobsRepository,
    handlers: TaskHandlers,
    events: DomainEvents,
  ) {
    events.on(AtsConnectionReady, ({ connection }) => this.resume(connection));
    handlers.add<ReleasePayload>(['ats.release'], { run: (task) => this.release(task), cancellable: false });
  }

  /**
   * Adds the polls of a connection that can read: the first import begins with the commit. A turn under way is lost,
   * since it calls with the former credential, and its failure would delay the next one.
   */
  async begin(tx: SqlRunner, { tenantId, id }: Key): Promise<void> {
    await this.entries.rouse(tx, { tenantId, kind: SYNC_WORK, id }, 'all');
    await tx.query(
      `insert into ats_syncs (tenant_id, connection_id, next_at, full_at, reason) values ($1, $2, now(), now(), 'first')
       on conflict (tenant_id, connection_id) do update set next_at = now()`,
      [tenantId, id],
    );
  }

  /**
   * Lets the next pass begin now. A pass under way continues, and the next one follows it.
   *
   * @param full reads everything, and finds records that the ATS no longer has
   * @returns false where the connection has no polls
   */
  async now({ tenantId, id }: Key, reason: PassReason, { full }: { full: boolean }): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `update ats_syncs set next_at = now(), reason = case when reason = 'scheduled' then $4 else reason end,
         full_at = case when $3 then now() else full_at end
       where tenant_id = $1 and connection_id = $2`,
      [tenantId, id, full, reason],
    );
    await this.entries.rouse(this.db, { tenantId, kind: SYNC_WORK, id }, 'resting');
    if (rowCount === 1) this.wake();
    return rowCount === 1;
  }

  private async resume({ tenantId, id }: Key): Promise<void> {
    await this.entries.rouse(this.db, { tenantId, kind: SYNC_WORK, id }, 'failing');
    this.wake();
  }

  /** Wakes the work, after the commit of `begin`. */
  wake(): void {
    this.db.feed.wakeups.tell('work');
  }

  /**
   * Ends the polls of a connection and its waiting webhooks. Its records stay, and belong to the API from then on.
   *
   * @returns how many events were waiting
   */
  async remove(tx: SqlRunner, { tenantId, id }: Key): Promise<number> {
    await tx.query(`delete from ats_syncs where tenant_id = $1 and connection_id = $2`, [tenantId, id]);
    await tx.query(`delete from ats_polls where tenant_id = $1 and connection_id = $2`, [tenantId, id]);
    const payload: ReleasePayload = { connectionId: id };
    await this.tasks.add(tx, tenantId, { kind: 'ats.release', payload, createdBy: systemActor('ats') });
    const { rowCount } = await tx.query(
      `with ended as (
         delete from ats_open_events o where o.tenant_id = $1 and o.connection_id = $2 and not o.failed
         returning o.id, o.at)
       update ats_events e set state = 'dismissed', reason = 'disconnected', decided_at = now() from ended o
       where e.tenant_id = $1 and e.connection_id = $2 and e.id = o.id and e.at = o.at and e.state = 'waiting'`,
      [tenantId, id],
    );
    return rowCount ?? 0;
  }

  private release({ tenantId, payload }: Task<ReleasePayload>): Promise<Batch> {
    const { connectionId, after = '' } = payload;
    return this.db.transaction(tenantId, async (tx) => {
      if (await this.isConnected(tx, tenantId, connectionId)) return { done: 0, next: null };
      const jobs = await this.jobs.release(tenantId, connectionId, tx);
      const batch = { after, limit: RELEASED_AT_ONCE };
      const { released, last } = await this.candidates.release(tx, tenantId, connectionId, batch);
      return { done: released + jobs, next: last === null ? null : { connectionId, after: last } };
    });
  }

  /** Returns whether a connection was connected again since. Its lock lets a connecting wait for the end of the batch. */
  private async isConnected(tx: SqlRunner, tenantId: string, id: string): Promise<boolean> {
    const { rows } = await tx.query<{ state: string }>(
      `select state from ats_connections where tenant_id = $1 and id = $2 for share`,
      [tenantId, id],
    );
    return rows[0] !== undefined && rows[0].state !== 'disconnected';
  }
}
