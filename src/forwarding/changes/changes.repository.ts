import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import { CREATE_OUT, STATE_WITHOUT_ANSWER } from '../../delivery/call.sql.js';
import type { ChangeKind } from '../../identity/person.js';
import type { AttemptRow, ChangeRow, ChangeState } from './change.mapping.js';

export interface ChangeFilter {
  user_id?: string | undefined;
  state?: ChangeState | undefined;
  kind?: ChangeKind | undefined;
  since?: Date | undefined;
}

// A change has no state of its own: it is where its user's lane stands in relation to it.
const STATE = `case
  when not c.forwarded then 'recorded'
  when c.dismissed is not null then 'dismissed'
  when l.confirmed_through >= c.sequence then 'delivered'
  when l.parked is not null then 'parked'
  else 'pending' end`;

const IN_STATE: Record<ChangeState, string> = {
  recorded: 'not c.forwarded',
  dismissed: 'c.forwarded and c.dismissed is not null',
  delivered: 'c.forwarded and c.dismissed is null and l.confirmed_through >= c.sequence',
  parked: 'c.forwarded and c.dismissed is null and l.confirmed_through < c.sequence and l.parked is not null',
  pending: 'c.forwarded and c.dismissed is null and l.confirmed_through < c.sequence and l.parked is null',
};

// What waits is found from the lanes, which are few; everything else from the changes, of which there are many.
const FROM: Record<'lanes' | 'changes', string> = {
  changes: `changes c left join lanes l on l.tenant_id = c.tenant_id and l.user_id = c.user_id`,
  lanes: `lanes l join changes c on c.tenant_id = l.tenant_id and c.user_id = l.user_id
          and c.sequence > l.confirmed_through and l.first_pending is not null`,
};

const COLUMNS = `c.sequence, c.user_id, c.kind, c.forwarded, c.changed, c.person, c.source, c.received_at, c.occurred_at,
  c.sessions_ended_at, c.dismissed, c.state, c.parked, c.parked_detail, a.sent_at, a.confirmed_at`;

// The call that settled a change is the first one that reached it or went beyond.
const TIMES = `left join lateral (
    select min(x.sent_at) as sent_at, min(x.at) filter (where x.outcome in ('delivered', 'adopted', 'nothing_to_say')) as confirmed_at
    from attempts x
    where x.tenant_id = $1 and x.user_id = c.user_id and x.last_sequence >= c.sequence and x.first_sequence <= c.sequence
      and x.method <> 'GET'
  ) a on true`;

/** The changes of a tenant, and how far each has come. */
@Injectable()
export class ChangesRepository {
  constructor(private readonly db: Database) {}

  /** A page, newest first: one row more than asked for says that there is another. */
  async list(
    tenantId: string,
    filter: ChangeFilter,
    page: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<CutRows<ChangeRow>> {
    const waiting = filter.state === 'pending' || filter.state === 'parked';
    // Only a user's changes are few for certain; what else is asked for may be anywhere among all of them.
    const search =
      filter.user_id === undefined && [filter.kind, filter.since, filter.state].some((v) => v !== undefined);
    const found = await this.db[search ? 'search' : 'query']<ChangeRow>(
      cutAtBytes(`select ${COLUMNS} from (
         select c.*, ${STATE} as state, l.parked, l.parked_detail
         from ${FROM[waiting ? 'lanes' : 'changes']}
         where c.tenant_id = $1 ${waiting ? 'and l.tenant_id = $1' : ''}
           and ($2::bigint is null or c.sequence < $2) and ($3::text is null or c.user_id = $3)
           and ($4::text is null or c.kind = $4) and ($5::timestamptz is null or c.occurred_at >= $5)
           ${filter.state === undefined ? '' : `and ${IN_STATE[filter.state]}`}
         order by c.sequence desc limit $6
       ) c ${TIMES} order by c.sequence desc`),
      [tenantId, page.after, filter.user_id ?? null, filter.kind ?? null, filter.since ?? null, page.limit + 1],
    );
    return cutRowsOf(found);
  }

  async find(tenantId: string, sequence: string, db: SqlRunner = this.db): Promise<ChangeRow | null> {
    const { rows } = await db.query<ChangeRow>(
      `select ${COLUMNS} from (
         select c.*, ${STATE} as state, l.parked, l.parked_detail from ${FROM.changes}
         where c.tenant_id = $1 and c.sequence = $2
       ) c ${TIMES}`,
      [tenantId, sequence],
    );
    return rows[0] ?? null;
  }

  /** What was said because of a change, oldest first. */
  async attempts(tenantId: string, userId: string, sequence: string): Promise<AttemptRow[]> {
    const { rows } = await this.db.query<AttemptRow>(
      `select delivery_id, at, sent_at, method, path, status, outcome, detail, answer, duration_ms from attempts
       where tenant_id = $1 and user_id = $2 and last_sequence >= $3 and first_sequence <= $3 and method <> 'NONE'
       order by at, sent_at limit 200`,
      [tenantId, userId, sequence],
    );
    return rows;
  }

  /** Holds the user's lane until the end of the transaction. Out: whether it is parked; null: there is none. */
  async lockLane(
    tx: SqlRunner,
    tenantId: string,
    userId: string,
  ): Promise<{ parked: string | null; waits: boolean } | null> {
    const { rows } = await tx.query<{ parked: string | null; waits: boolean }>(
      `select parked, first_pending is not null as waits from lanes where tenant_id = $1 and user_id = $2 for update`,
      [tenantId, userId],
    );
    return rows[0] ?? null;
  }

  /** Tries again at once. A call whose outcome is unknown is repeated as it was. */
  async retry(tx: SqlRunner, tenantId: string, userId: string): Promise<void> {
    await tx.query(
      `update lanes set parked = null, parked_detail = null, parked_at = null, attempts = 0, tries = 0,
         failed_at = null, next_at = '-infinity'
       where tenant_id = $1 and user_id = $2`,
      [tenantId, userId],
    );
  }

  /**
   * Gives up what is parked: the changes are marked, and the lane waits for the next one. Of a call without a known
   * outcome it is remembered that it may have taken effect, and of a create that it has to be looked for.
   */
  async dismiss(tx: SqlRunner, tenantId: string, userId: string, by: object): Promise<void> {
    await tx.query(
      `update changes c set dismissed = $3::jsonb from lanes l
       where l.tenant_id = $1 and l.user_id = $2 and c.tenant_id = $1 and c.user_id = $2
         and c.sequence > l.confirmed_through and c.sequence <= l.last_pending and c.forwarded and c.dismissed is null`,
      [tenantId, userId, JSON.stringify(by)],
    );
    await tx.query(
      `update lanes l set parked = null, parked_detail = null, parked_at = null, attempts = 0, tries = 0, failed_at = null,
         next_at = '-infinity', first_pending = null, pending_since = null,
         lookup = case when ${CREATE_OUT} then '{"why":"lost"}'::jsonb else lookup end, confirmed_state = ${STATE_WITHOUT_ANSWER},
         calling = false, call = null
       where tenant_id = $1 and user_id = $2`,
      [tenantId, userId],
    );
  }
}
