import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import { attemptsOf, readAttempts, type AttemptRow } from '../../engine/delivery/attempts.js';
import { progressSql } from '../../engine/delivery/lanes/read.js';
import type { ChangeKind } from '../../tenancy/identity/person.js';
import { PLATFORM, platformOf } from '../connections.js';
import type { ChangeRow, ChangeState } from './changes.dto.js';

export interface ChangeFilter {
  user_id?: string | undefined;
  state?: ChangeState | undefined;
  kind?: ChangeKind | undefined;
  since?: Date | undefined;
  directory?: string | undefined;
  actor?: string | undefined;
  request_id?: string | undefined;
}

/** SQL: how far the platform has each change of a user. */
export const CHANGE_PROGRESS = progressSql(platformOf(''), {
  table: 'changes c',
  tenant: 'c.tenant_id',
  subject: 'c.user_id',
  sequence: 'c.sequence',
});

// A change has no state of its own: it follows from the state of its user's lane.
const STATE = `case
  when not c.forwarded then 'recorded'
  when c.dismissed is not null then 'dismissed'
  when ${CHANGE_PROGRESS.delivered} then 'delivered'
  when ${CHANGE_PROGRESS.parked} then 'parked'
  else 'pending' end`;

const SENT = 'c.forwarded and c.dismissed is null';
const IN_STATE: Record<ChangeState, string> = {
  recorded: 'not c.forwarded',
  dismissed: 'c.forwarded and c.dismissed is not null',
  delivered: `${SENT} and ${CHANGE_PROGRESS.delivered}`,
  parked: `${SENT} and not (${CHANGE_PROGRESS.delivered}) and ${CHANGE_PROGRESS.parked}`,
  pending: `${SENT} and not (${CHANGE_PROGRESS.delivered}) and not (${CHANGE_PROGRESS.parked})`,
};

// What waits is found from the lanes, which are few; everything else from the changes, of which there are many.
const FROM: Record<'lanes' | 'changes', string> = {
  changes: `changes c ${CHANGE_PROGRESS.joinLane}`,
  lanes: CHANGE_PROGRESS.fromPending,
};

const COLUMNS = `c.sequence, c.user_id, c.kind, c.forwarded, c.changed, c.person, c.source, c.received_at, c.occurred_at,
  c.sessions_ended_at, c.dismissed, c.state, c.parked, c.parked_detail, a.sent_at, a.confirmed_at`;

const TIMES = `left join lateral (
    select min(x.sent_at) as sent_at, min(x.at) filter (where x.outcome in ('delivered', 'nothing_to_say')) as confirmed_at
    ${attemptsOf(PLATFORM, 'c.user_id', 'c.sequence')} and x.method <> 'GET'
  ) a on true`;

export interface ParkedChoice {
  user_ids?: string[];
  error?: string;
  directory?: string;
}

export interface ParkedUser {
  user_id: string;
  sequence: string;
}

// `lanes_parked` finds the parked lanes of a tenant.
const PARKED_FROM = `from lanes l join changes c on c.tenant_id = $1 and c.sequence = l.last_pending
  where l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and l.parked_reason is not null
    and ($4::text is null or l.parked_reason = $4) and ($5::text is null or c.source ->> 'directory_id' = $5)
    and ($6::text[] is null or l.subject = any($6))`;

@Injectable()
export class ChangesRepository {
  constructor(private readonly db: Database) {}

  /** Returns a page, newest first. One row more than asked for means that there is another page. */
  async list(
    tenantId: string,
    filter: ChangeFilter,
    page: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<CutRows<ChangeRow>> {
    const waiting = filter.state === 'pending' || filter.state === 'parked';
    // Only the changes of a user are certainly few; those of any other filter may be anywhere among all.
    const search = filter.user_id === undefined && Object.values(filter).some((value) => value !== undefined);
    const found = await this.db[search ? 'search' : 'query']<ChangeRow>(
      cutAtBytes(`select ${COLUMNS} from (
         select c.*, ${STATE} as state, ${CHANGE_PROGRESS.columns}
         from ${FROM[waiting ? 'lanes' : 'changes']}
         where c.tenant_id = $1
           and ($2::bigint is null or c.sequence < $2)
           and ${filter.user_id === undefined ? '$3::text is null' : 'c.user_id = $3'}
           and ($4::text is null or c.kind = $4) and ($5::timestamptz is null or c.occurred_at >= $5)
           and ($7::text is null or c.source ->> 'directory_id' = $7)
           and ($8::text is null or c.source -> 'actor' ->> 'id' = $8)
           and ($9::text is null or c.source ->> 'request_id' = $9)
           ${filter.state === undefined ? '' : `and ${IN_STATE[filter.state]}`}
         order by c.sequence desc limit $6
       ) c ${TIMES} order by c.sequence desc`),
      [
        tenantId,
        page.after,
        filter.user_id ?? null,
        filter.kind ?? null,
        filter.since ?? null,
        page.limit + 1,
        filter.directory ?? null,
        filter.actor ?? null,
        filter.request_id ?? null,
      ],
    );
    return cutRowsOf(found);
  }

  async find(tenantId: string, sequence: string, db: SqlRunner = this.db): Promise<ChangeRow | null> {
    const { rows } = await db.query<ChangeRow>(
      `select ${COLUMNS} from (
         select c.*, ${STATE} as state, ${CHANGE_PROGRESS.columns} from ${FROM.changes}
         where c.tenant_id = $1 and c.sequence = $2
       ) c ${TIMES}`,
      [tenantId, sequence],
    );
    return rows[0] ?? null;
  }

  attempts(tenantId: string, userId: string, sequence: string): Promise<AttemptRow[]> {
    return readAttempts(this.db, platformOf(tenantId), userId, sequence);
  }

  async markDismissed(
    tx: SqlRunner,
    tenantId: string,
    userId: string,
    { after, through }: { after: number; through: number },
    by: object,
  ): Promise<void> {
    await tx.query(
      `update changes set dismissed = $5::jsonb
       where tenant_id = $1 and user_id = $2 and sequence > $3 and sequence <= $4 and forwarded and dismissed is null`,
      [tenantId, userId, after, through, JSON.stringify(by)],
    );
  }

  async countParked(tenantId: string, choice: ParkedChoice): Promise<number> {
    const { rows } = await this.db.query<{ n: number }>(
      `select count(*)::int as n ${PARKED_FROM}`,
      matching(tenantId, choice),
    );
    return rows[0]!.n;
  }

  async parkedAfter(tenantId: string, choice: ParkedChoice, userId: string, limit: number): Promise<ParkedUser[]> {
    const { rows } = await this.db.query<ParkedUser>(
      `select l.subject as user_id, l.last_pending::text as sequence ${PARKED_FROM} and l.subject > $7
       order by (l.subject || '') limit $8`,
      [...matching(tenantId, choice), userId, limit],
    );
    return rows;
  }
}

function matching(tenantId: string, { user_ids, error, directory }: ParkedChoice): unknown[] {
  const { channel, id } = platformOf(tenantId);
  return [tenantId, channel, id, error ?? null, directory ?? null, user_ids ?? null];
}
