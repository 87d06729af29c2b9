import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { HOURS_OF, type DeliveryHour } from '../../engine/delivery/delivery-hours.js';
import { PLATFORM, platformOf } from '../platform-destination.js';

/** Reads the totals by hour. */
@Injectable()
export class StatisticsRepository {
  constructor(private readonly db: Database) {}

  /**
   * Returns the hours of a range in which something happened. Changes that are not in the totals yet are counted here: in one
   * statement with the totals, so that each change counts once.
   */
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
