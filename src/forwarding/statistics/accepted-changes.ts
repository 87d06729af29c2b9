import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { IntervalWork } from '../../base/work/work.js';
import { addAccepted, HOURS_OF, type DeliveryHour } from '../../engine/delivery/delivery-hours.js';
import { EventsService } from '../../engine/events/events.service.js';
import { platformOf, PLATFORM } from '../connections.js';

/** Changes per transaction. */
const BATCH = 20_000;

interface CountedHour {
  hour: Date;
  accepted: number;
  last: string;
  all: number;
}

/** The request that accepts a change adds no total: one row an hour would let the writes of a tenant wait in line. */
@Injectable()
export class AcceptedChanges extends IntervalWork {
  override readonly kind = 'changes.counting';
  override readonly everyMs = 60_000;

  constructor(
    private readonly db: Database,
    private readonly events: EventsService,
  ) {
    super();
  }

  /** Counts the changes of all tenants up to the horizon: no change with a lower sequence is still to come. */
  override async run(): Promise<void> {
    const through = await this.events.newest();
    for (const tenantId of await this.tenantsWithChanges(through)) {
      let isFull = true;
      while (isFull) isFull = await this.count(tenantId, through);
    }
  }

  /** One step of the index for each tenant, not one for each change. */
  private async tenantsWithChanges(through: string): Promise<string[]> {
    const { rows } = await this.db.query<{ tenant_id: string }>(
      `with recursive found as (
         (select tenant_id from changes order by tenant_id limit 1)
         union all
         select (select c.tenant_id from changes c where c.tenant_id > f.tenant_id order by c.tenant_id limit 1)
         from found f where f.tenant_id is not null)
       select f.tenant_id from found f left join counted_changes d on d.tenant_id = f.tenant_id
       where f.tenant_id is not null and exists (
         select 1 from changes c where c.tenant_id = f.tenant_id and c.sequence > coalesce(d.sequence, 0)
           and c.sequence <= $1)`,
      [through],
    );
    return rows.map((row) => row.tenant_id);
  }

  /** Counts a batch; returns whether there may be more. */
  private count(tenantId: string, through: string): Promise<boolean> {
    return this.db.transaction(tenantId, async (tx) => {
      await tx.query(`insert into counted_changes (tenant_id) values ($1) on conflict do nothing`, [tenantId]);
      const { rows: marks } = await tx.query<{ sequence: string }>(
        `select sequence from counted_changes where tenant_id = $1 for update`,
        [tenantId],
      );
      const { rows } = await tx.query<CountedHour>(
        `select date_trunc('hour', c.occurred_at) as hour, count(*)::int as accepted,
           max(max(c.sequence)) over () as last, (sum(count(*)) over ())::int as all
         from (select sequence, occurred_at from changes where tenant_id = $1 and sequence > $2 and sequence <= $3
               order by sequence limit ${BATCH}) c
         group by 1`,
        [tenantId, marks[0]!.sequence, through],
      );
      if (rows.length === 0) return false;
      await addAccepted(tx, platformOf(tenantId), rows);
      await tx.query(`update counted_changes set sequence = $2 where tenant_id = $1`, [tenantId, rows[0]!.last]);
      return rows[0]!.all === BATCH;
    });
  }

  /** Changes that are not in the totals yet are counted in the same statement, so that each change counts once. */
  async hours(tenantId: string, from: Date, to: Date): Promise<DeliveryHour[]> {
    const { rows } = await this.db.query<DeliveryHour>(
      `select * from (${HOURS_OF}) t
       union all
       select date_trunc('hour', c.occurred_at), count(*)::int, 0, 0, 0, '{}'
       from changes c
       where c.tenant_id = $1 and c.occurred_at >= $4 and c.occurred_at < $5
         and c.sequence > coalesce((select sequence from counted_changes where tenant_id = $1), 0)
       group by 1`,
      [tenantId, PLATFORM, platformOf(tenantId).id, from, to],
    );
    return rows;
  }
}
