import { Injectable } from '@nestjs/common';
import { MAX_PAGE_BYTES } from '../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { eraseAnswers } from '../delivery/attempts.js';
import { EVENT_NAMES, type EventName } from './catalogue.js';
import { eventId } from './event-recorder.js';
import {
  columnsOf,
  EventSource,
  type EventPlace,
  type RecordRange,
  type Scanned,
  type ScanRange,
  type StoredEvent,
  LAST_SEQUENCE,
} from './event-source.js';

const COLUMNS = `sequence, event, at, record, data::text as data`;

type ScannedRow = Omit<StoredEvent, 'data'> & { data: string | null; place: number; found: number };

/**
 * Returns the statement of a scan. Other names stay in the database, but for the last row, which shows how far the scan has
 * come. The sizes are summed, so that no more than a page of data leaves; the first row always does.
 */
function scanSql(newestFirst: boolean, filtered: boolean): string {
  const order = `sequence ${newestFirst ? 'desc' : 'asc'}`;
  const data = filtered ? 'case when event = any ($5) then data::text end as data' : 'data::text as data';
  return `select sequence, event, at, record, data, place, found from (
      select s.*, (row_number() over up)::int as place, (count(*) over ())::int as found,
        sum(octet_length(s.data)) over up as bytes
      from (select sequence, event, at, record, ${data}
        from events where tenant_id = $1 and sequence > $2::bigint and sequence <= $3::bigint
        order by ${order} limit $4) s
      window up as (order by ${order} rows unbounded preceding)) w
    where (data is not null or place = found)
      and (bytes is null or bytes - coalesce(octet_length(data), 0) <= ${MAX_PAGE_BYTES}) order by ${order}`;
}

const SCANS = {
  oldest: { all: scanSql(false, false), named: scanSql(false, true) },
  newest: { all: scanSql(true, false), named: scanSql(true, true) },
} as const;

/** The events of the table `events`: all but those about users. */
@Injectable()
export class StoredEvents extends EventSource {
  readonly names = EVENT_NAMES.filter((name) => !name.startsWith('user.'));

  constructor(private readonly db: Database) {
    super();
  }

  override holds(record: string): boolean {
    return !record.startsWith('usr_');
  }

  override async bySequences(tenantId: string, sequences: readonly string[]): Promise<StoredEvent[]> {
    const { rows } = await this.db.query<StoredEvent>(
      `select ${COLUMNS} from events where tenant_id = $1 and sequence = any ($2::bigint[])`,
      [tenantId, sequences],
    );
    return rows;
  }

  override async nextOf(
    tenantId: string,
    asked: readonly RecordRange[],
    names: readonly EventName[] | null,
  ): Promise<StoredEvent[]> {
    const { rows } = await this.db.query<StoredEvent>(
      `select e.* from unnest($2::text[], $3::bigint[], $4::bigint[]) as r(record, first, last)
       cross join lateral (
         select ${COLUMNS} from events
         where tenant_id = $1 and record = r.record and sequence >= r.first and sequence <= r.last
           and ($5::text[] is null or event = any ($5))
         order by sequence limit 1) e`,
      [tenantId, ...columnsOf(asked), names],
    );
    return rows;
  }

  override async ofRecord(
    tenantId: string,
    record: string,
    limit: number,
    before: string | null,
  ): Promise<StoredEvent[]> {
    const { rows } = await this.db.query<StoredEvent>(
      `select ${COLUMNS} from events where tenant_id = $1 and record = $2 and sequence < $4
       order by sequence desc limit $3`,
      [tenantId, record, limit, before ?? LAST_SEQUENCE],
    );
    return rows;
  }

  override async scan(
    tenantId: string,
    { after, through, names, rows: most, newestFirst }: ScanRange,
  ): Promise<Scanned> {
    const text = SCANS[newestFirst ? 'newest' : 'oldest'][names === null ? 'all' : 'named'];
    const values = [tenantId, after, through, most, ...(names === null ? [] : [names])];
    const { rows } = await this.db.query<ScannedRow>(text, values);
    const last = rows.at(-1);
    const isEnd = last === undefined || (last.place === last.found && last.found < most);
    const events = rows.flatMap(({ data, place: _place, found: _found, ...row }) =>
      data === null ? [] : [{ ...row, data }],
    );
    return { events, through: isEnd ? null : last.sequence };
  }

  override async placeFrom(tenantId: string, sequence: string): Promise<EventPlace | null> {
    const { rows } = await this.db.query<EventPlace>(
      `select sequence, at from events where tenant_id = $1 and sequence >= $2 order by sequence limit 1`,
      [tenantId, sequence],
    );
    return rows[0] ?? null;
  }
}

/**
 * Reduces the data of every event about a record to its ids and its sequence, in the transaction that erases the record.
 * Waiting and kept messages have no body of their own, so they carry the ids alone from then on. Answers of receivers, which
 * may repeat a message, are erased too.
 *
 * The sequence is the last member of the data of such events. It is cut from the text, because the JSON functions of PostgreSQL
 * refuse escapes that are valid in JSON (half a surrogate pair, U+0000).
 *
 * @param keep the ids that stay
 */
export async function eraseRecord(
  tx: SqlRunner,
  tenantId: string,
  record: string,
  keep: { id: string; external_id?: string },
): Promise<void> {
  const kept = JSON.stringify(keep).slice(0, -1);
  const { rows } = await tx.query<{ sequence: string }>(
    `update events set data = ($3 || coalesce(substring(data::text from ',"sequence":[0-9]+}$'), '}'))::json
     where tenant_id = $1 and record = $2 returning sequence`,
    [tenantId, record, kept],
  );
  await eraseAnswers(tx, tenantId, [record, ...rows.map(({ sequence }) => eventId(sequence))]);
}

/** Thresholds passed more than 400 days ago: the same fact today would be another one. */
export const EVENT_LEFTOVERS = [`delete from event_thresholds where passed_at < now() - interval '400 days'`] as const;
