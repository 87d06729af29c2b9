import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../base/database/byte-cut.js';
import { Database } from '../base/database/database.js';
import { UTC } from '../tenancy/ledger/heads.repository.js';
import { SeatHolders } from './ledger/seat-holders.js';
import type { UsageRow } from './usage.rules.js';

export interface ReportMoment {
  as_of: string;
  sealed_through: string | null;
  /** The figure cannot change any more. */
  final: boolean;
}

interface Today {
  /** As `2026-10-31`. */
  readonly day: string;
  readonly end: string;
}

/** Values of today are null for a deleted user. */
export interface Holder {
  user_id: string;
  name: string | null;
  email: string | null;
  external_id: string | null;
  since: string;
  role: string | null;
  directory_id: string | null;
  directory: string | null;
  cost_center: string | null;
  reason: string;
}

export interface LedgerStep extends UsageRow {
  sequence: number;
  entry_id: number;
  /** Of an entry that sets the limit. */
  details: { limit: number | null } | null;
}

/**
 * Returns SQL for the newest line of user `h` up to the moment `$2`. The fence keeps the index of users: without it the
 * lines of all users would be read backwards.
 */
function newestLine(columns: string, condition = ''): string {
  return `select l.* from (select entry_id, ${columns} from seat_entries
      where tenant_id = $1 and user_id = h.user_id and effective_at <= $2::timestamptz ${condition} offset 0) l
    order by l.entry_id desc limit 1`;
}

const STEPS = 2000;

/** Reads the sealed ledger at any past moment. All times are RFC 3339 with microseconds, UTC. */
@Injectable()
export class SeatReportsRepository {
  constructor(
    private readonly db: Database,
    private readonly holders: SeatHolders,
  ) {}

  /** Returns the moment of a time, of the end of a date in the tenant's time zone, or of now for undefined. */
  async moment(tenantId: string, text: string | undefined): Promise<ReportMoment> {
    const { rows } = await this.db.query<ReportMoment>(
      `select ${UTC('m.t')} as as_of, ${UTC('h.sealed_through')} as sealed_through,
         coalesce(m.t <= h.sealed_through, false) as final
       from tenants t left join chain_heads h on h.tenant_id = t.id and h.chain = 'seats'
       cross join lateral (select case
         when $2::text is null then clock_timestamp()
         when $3::boolean then (($2::text)::date + 1)::timestamp at time zone t.time_zone - interval '1 microsecond'
         else ($2::text)::timestamptz end as t) m
       where t.id = $1`,
      [tenantId, text ?? null, text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text)],
    );
    return rows[0]!;
  }

  async today(tenantId: string): Promise<Today> {
    const { rows } = await this.db.query<Today>(
      `select d.day::text as day,
         ${UTC(`((d.day + 1)::timestamp at time zone t.time_zone - interval '1 microsecond')`)} as end
       from tenants t cross join lateral (select (now() at time zone t.time_zone)::date as day) d where t.id = $1`,
      [tenantId],
    );
    return rows[0]!;
  }

  async startOfDay(tenantId: string, day: string): Promise<string> {
    const { rows } = await this.db.query<{ start: string }>(
      `select ${UTC('($2::date::timestamp at time zone t.time_zone)')} as start from tenants t where t.id = $1`,
      [tenantId, day],
    );
    return rows[0]!.start;
  }

  /** The time since when lines of 0 record a holder's new role, directory or cost centre. */
  async holderFactsSince(tenantId: string): Promise<string> {
    const { rows } = await this.db.query<{ since: string }>(
      `select ${UTC('t.holder_facts_since')} as since from tenants t where t.id = $1`,
      [tenantId],
    );
    return rows[0]!.since;
  }

  /** Returns the used seats at a past moment; null before the first entry. */
  async usedAt(tenantId: string, asOf: string): Promise<number | null> {
    const { rows } = await this.db.query<{ count_after: number }>(
      `select count_after from seat_entries where tenant_id = $1 and effective_at <= $2::timestamptz
       order by effective_at desc, sequence desc limit 1`,
      [tenantId, asOf],
    );
    return rows[0]?.count_after ?? null;
  }

  /** Returns limit and policies at a past moment, with the entry that set them; undefined before the first one. */
  async limitAt(
    tenantId: string,
    asOf: string,
  ): Promise<{ limit: number | null; policy: unknown; entry_id: number } | undefined> {
    const { rows } = await this.db.query<{
      details: { limit: number | null; policy: unknown };
      entry_id: number;
    }>(
      // Lines without a user are few, and an index finds them: without the fence all lines would be read backwards.
      `select l.details, l.entry_id::float8 as entry_id from (
         select details, entry_id from seat_entries where tenant_id = $1 and user_id is null
           and kind in ('limit', 'policy') and effective_at <= $2::timestamptz offset 0) l
       order by l.entry_id desc limit 1`,
      [tenantId, asOf],
    );
    const [found] = rows;
    return found && { ...found.details, entry_id: found.entry_id };
  }

  async holdersAt(tenantId: string, asOf: string, after: string | null, limit: number): Promise<CutRows<Holder>> {
    const found = await this.db.query<Holder>(
      // One step of the index for each user up to the end of the page: "distinct on" would sort all lines.
      cutAtBytes(`with recursive people as (
         (select user_id from seat_entries where tenant_id = $1 and user_id > coalesce($3::text, '')
          order by user_id limit 1)
         union all
         select (select e.user_id from seat_entries e where e.tenant_id = $1 and e.user_id > p.user_id
                 order by e.user_id limit 1) from people p where p.user_id is not null)
       select h.user_id, u.name, u.email, u.external_id, x.since, f.role, f.directory_id, d.name as directory, f.cost_center, x.reason
       -- The sum of a user's lines does not depend on their order, which earlier versions did not always keep.
       from (select p.user_id from people p cross join lateral (
         select sum(delta) as net from seat_entries
         where tenant_id = $1 and user_id = p.user_id and effective_at <= $2::timestamptz offset 0) n
       where n.net > 0 limit $4) h
       cross join lateral (${newestLine(`${UTC('effective_at')} as since, reason`, 'and delta > 0')}) x
       -- The line that was written last says what holds since, be it one of 0.
       cross join lateral (${newestLine('role, directory_id, cost_center')}) f
       left join lateral (${this.holders.shownQuery('$1', 'h.user_id')}) u on true
       left join lateral (${this.holders.directoryQuery('$1', 'f.directory_id')}) d on true
       order by h.user_id`),
      [tenantId, asOf, after, limit],
    );
    return cutRowsOf(found);
  }

  async lastBefore(tenantId: string, moment: string): Promise<{ sequence: number; count_after: number } | undefined> {
    const { rows } = await this.db.query<{ sequence: number; count_after: number }>(
      `select sequence::int as sequence, count_after from seat_entries where tenant_id = $1 and effective_at < $2::timestamptz
       order by effective_at desc, seat_entries.sequence desc limit 1`,
      [tenantId, moment],
    );
    return rows[0];
  }

  /** Returns entries after a place in the chain, some thousand at a time. */
  async stepsAfter(tenantId: string, sequence: number): Promise<LedgerStep[]> {
    const { rows } = await this.db.query<LedgerStep>(
      `select sequence::int as sequence, entry_id::float8 as entry_id, ${UTC('effective_at')} as effective_at, count_after,
         delta, user_id,
         case when kind in ('limit', 'policy') then details end as details
       from seat_entries where tenant_id = $1 and sequence > $2 order by seat_entries.sequence limit ${STEPS}`,
      [tenantId, sequence],
    );
    return rows;
  }

  /** Returns the days of a range in the tenant's time zone, each with its half-open bounds. */
  async days(tenantId: string, from: string, to: string): Promise<{ day: string; from: string; to: string }[]> {
    const { rows } = await this.db.query<{ day: string; from: string; to: string }>(
      `select to_char(d, 'YYYY-MM-DD') as day, ${UTC('(d::timestamp at time zone t.time_zone)')} as from,
         ${UTC(`((d + interval '1 day')::timestamp at time zone t.time_zone)`)} as to
       from tenants t cross join lateral generate_series($2::date, $3::date - 1, interval '1 day') d
       where t.id = $1 order by d`,
      [tenantId, from, to],
    );
    return rows;
  }
}
