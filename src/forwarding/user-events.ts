import { Injectable } from '@nestjs/common';
import { MAX_PAGE_BYTES } from '../base/database/byte-cut.js';
import { Database } from '../base/database/database.js';
import type { EventName } from '../engine/events/catalogue.js';
import { thinIfLarge } from '../engine/events/event-recorder.js';
import {
  type StoredEvent,
  columnsOf,
  EventSource,
  type EventPlace,
  type RecordRange,
  type Scanned,
  type ScanRange,
  LAST_SEQUENCE,
} from '../engine/events/event-source.js';
import type { ChangeKind, InForce, Person } from '../tenancy/identity/person.js';

export interface ChangeRecord {
  sequence: string;
  user_id: string;
  kind: ChangeKind;
  changed: string[];
  person: Person;
  /** Null when the change was written before statuses were kept. */
  status: InForce['status'] | null;
  linked: boolean;
  forwarded: boolean;
  ends_sessions: boolean;
  occurred_at: Date;
}

/** Returns a change of a user as an event. The order of the keys is fixed: repeated bodies are the same bytes. */
export function userEvent(change: ChangeRecord): StoredEvent {
  const { person, sequence, user_id: id } = change;
  const event: EventName = `user.${change.kind}`;
  const data = {
    email: person.email,
    first_name: person.first_name,
    last_name: person.last_name,
    role: person.role,
    external_id: person.external_id,
    id,
    status: change.status ?? formerStatus(change),
    changed: change.changed,
    ...(change.linked ? { linked: true } : {}),
    sequence: Number(sequence),
  };
  const ids = { id, external_id: person.external_id, sequence: data.sequence };
  return {
    sequence,
    event,
    at: change.occurred_at,
    record: id,
    data: thinIfLarge(event, JSON.stringify(data), ids),
  };
}

/** Returns the status after a change that did not keep it, as far as the change shows it. */
function formerStatus({ kind, forwarded, changed, ends_sessions }: ChangeRecord): InForce['status'] {
  switch (kind) {
    case 'deleted':
      return 'deleted';
    case 'deactivated':
      return 'inactive';
    case 'reactivated':
      return 'active';
    case 'created':
      return forwarded ? 'active' : 'inactive';
    case 'updated':
      // A change ends sessions when the user is inactive after it, or has another role.
      return ends_sessions && !changed.includes('role') ? 'inactive' : 'active';
  }
}

/** SQL: a change of the resource alone is no event. */
const IS_EVENT = `(kind <> 'updated' or linked or cardinality(changed) > 0)`;
const COLUMNS = `sequence, user_id, kind, changed, person, status, linked, forwarded, occurred_at,
  sessions_ended_at is not null as ends_sessions`;
const KINDS = ['created', 'updated', 'deactivated', 'reactivated', 'deleted'] as const;

type ScannedRow = Omit<ChangeRecord, 'person'> & {
  person: ChangeRecord['person'] | null;
  place: number;
  found: number;
};

const SHOWN = `case when ${IS_EVENT} and ($5::text[] is null or kind = any ($5)) then person end as person`;

/**
 * Returns the statement of a scan. Rows that the caller did not ask for stay in the database, but for the last one: it
 * shows how far the scan has come. The stored sizes are summed, so that no more than a page leaves.
 */
function scanSql(newestFirst: boolean): string {
  const order = `sequence ${newestFirst ? 'desc' : 'asc'}`;
  return `select * from (
      select s.*, (row_number() over up)::int as place, (count(*) over ())::int as found,
        sum(pg_column_size(s.person)) over up as bytes
      from (select ${COLUMNS.replace('person', SHOWN)} from changes
        where tenant_id = $1 and sequence > $2::bigint and sequence <= $3::bigint order by changes.${order} limit $4) s
      window up as (order by ${order} rows unbounded preceding)) w
    where (person is not null or place = found)
      and (bytes is null or bytes - coalesce(pg_column_size(person), 0) <= ${MAX_PAGE_BYTES}) order by ${order}`;
}

const SCANS = { oldest: scanSql(false), newest: scanSql(true) } as const;

/** The events about users, read from the rows of `changes`. */
@Injectable()
export class UserEventSource extends EventSource {
  readonly names = KINDS.map((kind) => `user.${kind}` as const);

  constructor(private readonly db: Database) {
    super();
  }

  override holds(record: string): boolean {
    return record.startsWith('usr_');
  }

  override async bySequences(tenantId: string, sequences: readonly string[]): Promise<StoredEvent[]> {
    const { rows } = await this.db.query<ChangeRecord>(
      `select ${COLUMNS} from changes where tenant_id = $1 and sequence = any ($2::bigint[]) and ${IS_EVENT}`,
      [tenantId, sequences],
    );
    return rows.map(userEvent);
  }

  override async nextOf(
    tenantId: string,
    asked: readonly RecordRange[],
    names: readonly EventName[] | null,
  ): Promise<StoredEvent[]> {
    const { rows } = await this.db.query<ChangeRecord>(
      `select c.* from unnest($2::text[], $3::bigint[], $4::bigint[]) as r(user_id, first, last)
       cross join lateral (
         select ${COLUMNS} from changes
         where tenant_id = $1 and user_id = r.user_id and sequence >= r.first and sequence <= r.last and ${IS_EVENT}
           and ($5::text[] is null or kind = any ($5))
         order by sequence limit 1) c`,
      [tenantId, ...columnsOf(asked), kindsOf(names)],
    );
    return rows.map(userEvent);
  }

  override async ofRecord(
    tenantId: string,
    record: string,
    limit: number,
    before: string | null,
  ): Promise<StoredEvent[]> {
    const { rows } = await this.db.query<ChangeRecord>(
      `select ${COLUMNS} from changes where tenant_id = $1 and user_id = $2 and sequence < $4 and ${IS_EVENT}
       order by sequence desc limit $3`,
      [tenantId, record, limit, before ?? LAST_SEQUENCE],
    );
    return rows.map(userEvent);
  }

  override async scan(
    tenantId: string,
    { after, through, names, rows: most, newestFirst }: ScanRange,
  ): Promise<Scanned> {
    const { rows } = await this.db.query<ScannedRow>(SCANS[newestFirst ? 'newest' : 'oldest'], [
      tenantId,
      after,
      through,
      most,
      kindsOf(names),
    ]);
    const last = rows.at(-1);
    const isEnd = last === undefined || (last.place === last.found && last.found < most);
    const events = rows.flatMap(({ person, ...row }) => (person === null ? [] : [userEvent({ ...row, person })]));
    return { events, through: isEnd ? null : last.sequence };
  }

  override async placeFrom(tenantId: string, sequence: string): Promise<EventPlace | null> {
    const { rows } = await this.db.query<EventPlace>(
      `select sequence, occurred_at as at from changes where tenant_id = $1 and sequence >= $2 order by sequence limit 1`,
      [tenantId, sequence],
    );
    return rows[0] ?? null;
  }
}

function kindsOf(names: readonly EventName[] | null): string[] | null {
  return names === null ? null : KINDS.filter((kind) => names.includes(`user.${kind}`));
}
