import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { InboundEventBody, InboundEventRow, InboundState } from './inbound-event.js';

/** Which events a list shows. */
export interface InboundFilter {
  state?: InboundState | undefined;
  /** The id of the record in the ATS. */
  remoteId?: string | undefined;
}

const COLUMNS = 'id, at, name, occurred_at, kind, remote_id, state, reason, detail, tries, decided_at';
/** Failed events are put back so many at a time. */
const AT_ONCE = 1_000;

/** The statements that show inbound events, and settle what failed. */
@Injectable()
export class InboundEventsRepository {
  constructor(private readonly db: Database) {}

  /** Returns a page, newest first, with one row too many. */
  async list(
    tenantId: string,
    connectionId: string,
    { state, remoteId }: InboundFilter,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<InboundEventRow[]> {
    const values: unknown[] = [tenantId, connectionId];
    const conditions = ['tenant_id = $1', 'connection_id = $2'];
    const add = (condition: string, value: unknown) =>
      conditions.push(condition.replace('?', `$${values.push(value)}`));
    if (after !== null) add('id < ?', after);
    // The states with an index of their own are named in the text: a generic plan knows no parameter.
    if (state === 'waiting' || state === 'failed') conditions.push(`state = '${state}'`);
    else if (state !== undefined) add('state = ?', state);
    if (remoteId !== undefined) add('remote_id = ?', remoteId);
    const { rows } = await this.db.shaped<InboundEventRow>(
      `select ${COLUMNS} from ats_events where ${conditions.join(' and ')} order by id desc limit ${limit + 1}`,
      values,
    );
    return rows;
  }

  /** Returns one event with what came. */
  async one(tenantId: string, connectionId: string, id: string): Promise<InboundEventBody | undefined> {
    const { rows } = await this.db.query<InboundEventBody>(
      `select ${COLUMNS}, content_type, headers, body from ats_events
       where tenant_id = $1 and connection_id = $2 and id = $3`,
      [tenantId, connectionId, id],
    );
    return rows[0];
  }

  /** Lets an event be applied again. @returns the state that keeps it from that; null: it waits now */
  async retry(tx: SqlRunner, tenantId: string, connectionId: string, id: string): Promise<InboundState | null> {
    const { rows } = await tx.query<{ state: InboundState; erased: boolean }>(
      `select state, body is null as erased from ats_events
       where tenant_id = $1 and connection_id = $2 and id = $3 for update`,
      [tenantId, connectionId, id],
    );
    const [row] = rows;
    if (row === undefined || row.erased || row.state === 'applied' || row.state === 'waiting')
      return row?.state ?? 'applied';
    await tx.query(
      `update ats_events set state = 'waiting', reason = null, detail = null, tries = 0, decided_at = null
       where tenant_id = $1 and connection_id = $2 and id = $3`,
      [tenantId, connectionId, id],
    );
    return null;
  }

  /** Lets failed events be applied again, oldest first. @returns how many */
  async retryFailed(tx: SqlRunner, tenantId: string, connectionId: string): Promise<number> {
    const { rowCount } = await tx.query(
      `update ats_events set state = 'waiting', reason = null, detail = null, tries = 0, decided_at = null
       where tenant_id = $1 and connection_id = $2 and state = 'failed' and id = any(array(
         select e.id from ats_events e where e.tenant_id = $1 and e.connection_id = $2 and e.state = 'failed'
           and e.body is not null
         order by e.id limit ${AT_ONCE}))`,
      [tenantId, connectionId],
    );
    return rowCount ?? 0;
  }

  /** Notes that an event does not matter. @returns false where it is applied, or dismissed already */
  async dismiss(tx: SqlRunner, tenantId: string, connectionId: string, id: string, reason: string): Promise<boolean> {
    const { rowCount } = await tx.query(
      `update ats_events set state = 'dismissed', reason = 'by_hand', detail = $4, decided_at = now()
       where tenant_id = $1 and connection_id = $2 and id = $3 and state in ('waiting', 'failed')`,
      [tenantId, connectionId, id, reason],
    );
    return rowCount === 1;
  }
}
