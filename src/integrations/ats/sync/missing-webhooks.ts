import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import { AtsStates } from '../connections/ats-states.js';
import type { AtsConnection } from '../connections/connection.js';

/** A webhook that comes so late is missing. */
const LATE = `interval '1 hour'`;
const LOOKED_BACK = `interval '7 hours'`;
/** The clock of the ATS may be ahead of ours. */
const SKEW = `interval '10 minutes'`;
const MOST = 1_000;

/** Notices webhooks that do not come: what a poll has found, and no webhook has brought within an hour. */
@Injectable()
export class MissingWebhooks {
  constructor(
    private readonly db: Database,
    private readonly states: AtsStates,
    private readonly events: EventRecorder,
  ) {}

  /** Looks at what the polls of the last hours found. A connection that never had a webhook misses none. */
  async look(connection: AtsConnection): Promise<void> {
    const { tenantId, id, provider } = connection;
    const { rows } = await this.db.query<{ found: number }>(
      `select count(*)::int as found from (
         select 1 from ats_records r
         where r.tenant_id = $1 and r.connection_id = $2 and r.brought_by = 'poll' and r.kind = 'candidate'
           and r.changed_at > now() - ${LOOKED_BACK} and r.changed_at <= now() - ${LATE}
           and exists (select 1 from ats_events o where o.tenant_id = $1 and o.connection_id = $2)
           and not exists (
             select 1 from ats_events e where e.tenant_id = $1 and e.connection_id = $2 and e.kind = 'candidate'
               and e.remote_id = r.remote_id and e.at >= r.changed_at - ${SKEW})
         limit ${MOST}) m`,
      [tenantId, id],
    );
    const { found } = rows[0]!;
    if (found === 0) {
      if (connection.state !== 'ok') await this.states.solved(connection, 'webhooks');
      return;
    }
    await this.states.problem(connection, 'webhooks', 'webhook_missing');
    await this.db.transaction(tenantId, async (tx) => {
      const { rowCount } = await tx.query(
        `update ats_syncs set missing_told_at = now() where tenant_id = $1 and connection_id = $2
           and (missing_told_at is null or missing_told_at < now() - interval '1 day')`,
        [tenantId, id],
      );
      if (rowCount !== 1) return;
      const data = JSON.stringify({ ats_connection_id: id, provider, found });
      await this.events.record(tx, tenantId, [{ event: 'ats.webhook_missing', record: null, data }]);
    });
    this.events.wake(tenantId, 'ats.webhook_missing');
  }
}
