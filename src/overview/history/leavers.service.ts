import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../../base/database/byte-cut.js';
import { Database } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import { attemptsOf } from '../../engine/delivery/attempts.js';
import { CHANGE_PROGRESS } from '../../forwarding/changes/changes.repository.js';
import { PLATFORM } from '../../forwarding/connections.js';
import type { LeaverState } from './leaver.dto.js';
import type { LeaverRow } from './leaver.mapping.js';

export interface LeaverFilter {
  user_id?: string | undefined;
  state?: LeaverState | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

// The same states as those of a change (forwarding/changes), from the position of the user's lane.
const STATE = `case
  when not c.forwarded then 'not_forwarded'
  when c.dismissed is not null then 'dismissed'
  when ${CHANGE_PROGRESS.delivered} then 'confirmed'
  when ${CHANGE_PROGRESS.parked} then 'parked'
  else 'waiting' end`;

// Unfinished and parked departures are found from the lanes, which are few; others from the changes.
const FROM_CHANGES = `changes c ${CHANGE_PROGRESS.joinLane}`;
const FROM: Partial<Record<LeaverState, string>> = {
  waiting: `${CHANGE_PROGRESS.fromPending} and not (${CHANGE_PROGRESS.parked})`,
  parked: `${CHANGE_PROGRESS.fromPending} and ${CHANGE_PROGRESS.parked}`,
};

const AFTER_ALL = '9223372036854775807';

// A GET sends no change, and NONE was never sent. A question that only found the account (adopted) confirms nothing. A
// later call that included the departure is found by its range of sequences. Attempts are deleted by month; after that
// the lane still has a departure that was confirmed last.
const TOLD = `left join lateral (
    select min(x.sent_at) filter (where x.method not in ('GET', 'NONE')) as forwarded_at,
      min(x.sent_at + x.duration_ms * interval '1 millisecond')
        filter (where x.outcome in ('delivered', 'nothing_to_say')) as confirmed_at
    ${attemptsOf(PLATFORM, 'c.user_id', 'c.sequence')}
  ) a on true`;

// The sessions that this departure ended, not an earlier one of the same user: they ended between the previous and the
// next change. Expired sessions are not counted.
const SESSIONS = `left join lateral (
    select count(*)::int as ended from sessions s
    where s.tenant_id = $1 and s.user_id = c.user_id and s.end_reason = c.kind and s.expires_at > s.ended_at
      and s.seen_at + make_interval(secs => s.idle_seconds) > s.ended_at
      and s.ended_at > coalesce((select b.occurred_at from changes b where b.tenant_id = $1 and b.user_id = c.user_id
        and b.sequence < c.sequence order by b.sequence desc limit 1), '-infinity')
      and s.ended_at < coalesce((select f.occurred_at from changes f where f.tenant_id = $1 and f.user_id = c.user_id
        and f.sequence > c.sequence order by f.sequence limit 1), 'infinity')
  ) s on true`;

// The release of a held departure is noted by the same request.
const HELD = `left join lateral (
    select (n.detail ->> 'held_at')::timestamptz as held_at, n.at as released_at from user_notes n
    where n.tenant_id = $1 and n.user_id = c.user_id and n.kind = 'held' and n.detail ->> 'event' = 'released'
      and n.source ->> 'request_id' = c.source ->> 'request_id' order by n.at desc limit 1
  ) h on true`;

const BATCH = 500;

@Injectable()
export class LeaversService {
  constructor(private readonly db: Database) {}

  async *all(tenantId: string, filter: LeaverFilter): AsyncGenerator<LeaverRow[]> {
    let after: string | null = null;
    for (;;) {
      const { rows, cut }: CutRows<LeaverRow> = await this.list(tenantId, filter, {
        limit: BATCH - 1,
        after,
      });
      if (rows.length > 0) yield rows;
      if (!cut && rows.length < BATCH) return;
      after = rows.at(-1)!.sequence;
    }
  }

  async list(
    tenantId: string,
    filter: LeaverFilter,
    page: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<CutRows<LeaverRow>> {
    const { user_id: userId, state } = filter;
    // Departures of a state or time can be anywhere among all changes: a search.
    const search = userId === undefined && [state, filter.since, filter.until].some((value) => value !== undefined);
    const found = await this.db[search ? 'search' : 'query']<LeaverRow>(
      cutAtBytes(`select c.sequence, c.user_id, c.kind, c.person, c.source, c.cause, c.received_at as requested_at,
         c.occurred_at as committed_at, c.sessions_ended_at, s.ended as sessions_ended, c.state, c.parked,
         c.parked_detail, a.forwarded_at, h.held_at, h.released_at,
         coalesce(a.confirmed_at, case when c.confirmed_through = c.sequence then c.lane_confirmed_at end) as confirmed_at
       from (
         select c.*, ${STATE} as state, ${CHANGE_PROGRESS.columns}
         from ${(state && FROM[state]) ?? FROM_CHANGES}
         where c.tenant_id = $1 and c.kind in ('deactivated', 'deleted')
           and c.sequence < $2 and c.occurred_at >= $3::timestamptz and c.occurred_at < $4::timestamptz
           ${userId === undefined ? 'and $5::text is null' : 'and c.user_id = $5'}
           ${state === undefined ? 'and $6::text is null' : `and ${STATE} = $6`}
         order by c.sequence desc limit $7
       ) c ${TOLD} ${SESSIONS} ${HELD} order by c.sequence desc`),
      [
        tenantId,
        page.after ?? AFTER_ALL,
        filter.since?.toISOString() ?? '-infinity',
        filter.until?.toISOString() ?? 'infinity',
        userId ?? null,
        state ?? null,
        page.limit + 1,
      ],
    );
    return cutRowsOf(found);
  }
}
