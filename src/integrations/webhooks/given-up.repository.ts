import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';

/** A message that was given up after its tries. */
export interface GivenUpRow {
  sequence: string;
  event: string;
  record: string | null;
  at: Date;
  given_up_at: Date;
  reason: string;
}

/** Behind every sequence. */
const MOST_SEQUENCE = '9223372036854775807';
const COLUMNS = 'sequence, event, record, at, given_up_at, reason';

/** The statements of messages that were given up. */
@Injectable()
export class GivenUpRepository {
  constructor(private readonly db: Database) {}

  /** Returns a page, newest first, with one row too many. */
  async list(tenantId: string, endpointId: string, after: string | null, limit: number): Promise<GivenUpRow[]> {
    const { rows } = await this.db.query<GivenUpRow>(
      `select ${COLUMNS} from webhook_given_up
       where tenant_id = $1 and endpoint_id = $2 and sequence < $3
       order by sequence desc limit $4`,
      [tenantId, endpointId, after ?? MOST_SEQUENCE, limit + 1],
    );
    return rows;
  }

  /** Returns those of some sequences. */
  async bySequences(tenantId: string, endpointId: string, sequences: readonly string[]): Promise<GivenUpRow[]> {
    const { rows } = await this.db.query<GivenUpRow>(
      `select ${COLUMNS} from webhook_given_up
       where tenant_id = $1 and endpoint_id = $2 and sequence = any($3::bigint[])`,
      [tenantId, endpointId, sequences],
    );
    return rows;
  }

  /** Returns the oldest behind a sequence, oldest first. */
  async oldest(
    tx: SqlRunner,
    tenantId: string,
    endpointId: string,
    range: { after: string; through: string; limit: number },
  ): Promise<GivenUpRow[]> {
    const { rows } = await tx.query<GivenUpRow>(
      `select ${COLUMNS} from webhook_given_up
       where tenant_id = $1 and endpoint_id = $2 and sequence > $3 and sequence <= $4 order by sequence limit $5`,
      [tenantId, endpointId, range.after, range.through, range.limit],
    );
    return rows;
  }

  async count(tenantId: string, endpointId: string): Promise<number> {
    const { rows } = await this.db.query<{ n: number }>(
      `select count(*)::int as n from webhook_given_up where tenant_id = $1 and endpoint_id = $2`,
      [tenantId, endpointId],
    );
    return rows[0]!.n;
  }

  async remove(tx: SqlRunner, tenantId: string, endpointId: string, sequences: readonly string[]): Promise<void> {
    await tx.query(
      `delete from webhook_given_up where tenant_id = $1 and endpoint_id = $2 and sequence = any($3::bigint[])`,
      [tenantId, endpointId, sequences],
    );
  }
}

/** What belongs to endpoints that are gone. */
export const GIVEN_UP_LEFTOVERS = [
  `delete from webhook_given_up g where not exists (
     select 1 from webhook_endpoints e where e.tenant_id = g.tenant_id and e.id = g.endpoint_id)`,
] as const;

/** What is older than the events that are kept, which are dropped in whole months: `$1` is their days. */
export const OLD_GIVEN_UP = `delete from webhook_given_up
  where at < date_trunc('month', now() at time zone 'UTC' - $1 * interval '1 day') at time zone 'UTC'`;
