import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { codeOf } from '../../../base/database/database.errors.js';
import { textArray } from '../../../base/database/params.js';
import type { AtsConnection } from '../connections/connection.js';
import type { AtsRecordKind } from '../connectors/connector.js';
import type { AtsRecordRow } from './record.js';

type Key = Pick<AtsConnection, 'tenantId' | 'id'>;

const COLUMNS = 'remote_id, record_id, state, survivor_id, changed_at, person_at, brought_by, seen_in';

const READ = `
  select r.* from unnest($4::text[]) as u(id) cross join lateral (
    select ${COLUMNS} from ats_records
    where tenant_id = $1 and connection_id = $2 and kind = $3 and remote_id = u.id limit 1) r`;
const LOCKED = `
  select r.* from unnest($4::text[]) as u(id) cross join lateral (
    select ${COLUMNS} from ats_records
    where tenant_id = $1 and connection_id = $2 and kind = $3 and remote_id = u.id for update) r`;

const ADD = `
  insert into ats_records as r (tenant_id, connection_id, kind, remote_id, record_id, changed_at, person_at, state,
    survivor_id, brought_by, seen_in)
  select $1, $2, $3, u.remote_id, u.record_id, u.changed_at, u.person_at, $7, $8, $9, $10
  from (select unnest($4::text[]) as remote_id, unnest($5::text[]) as record_id, unnest($6::timestamptz[]) as changed_at,
    unnest($11::timestamptz[]) as person_at) u`;
const PUT = `${ADD}
  on conflict (tenant_id, connection_id, kind, remote_id) do update set record_id = excluded.record_id,
    state = excluded.state, survivor_id = excluded.survivor_id, changed_at = excluded.changed_at,
    person_at = excluded.person_at,
    brought_by = excluded.brought_by, seen_in = coalesce(excluded.seen_in, r.seen_in)`;

const MOST_MERGES = 32;

/** Another transaction added a record at this moment: the transaction is repeated, and finds it. */
class RecordRaced extends Error {
  /** `serialization_failure`: `Database.transaction` repeats the work. */
  readonly code = '40001';
}

/** `unique_violation` */
const NOT_UNIQUE = '23505';

/** The records of ATSs, each with the record of this service that it became. */
@Injectable()
export class AtsRecordsRepository {
  constructor(private readonly db: Database) {}

  /** Returns records by their ids in the ATS. In a transaction they can be locked, in the order of their ids. */
  async of(
    { tenantId, id }: Key,
    kind: AtsRecordKind,
    remoteIds: readonly string[],
    { db = this.db, lock = false }: { db?: SqlRunner; lock?: boolean } = {},
  ): Promise<Map<string, AtsRecordRow>> {
    if (remoteIds.length === 0) return new Map();
    // One look-up for each: the planner takes a connection for small, and would read all its records for `= any`.
    const { rows } = await db.query<AtsRecordRow>(lock ? LOCKED : READ, [
      tenantId,
      id,
      kind,
      textArray([...new Set(remoteIds)].sort()),
    ]);
    return new Map(rows.map((row) => [row.remote_id, row]));
  }

  /**
   * Writes records, sorted by id; `seen_in` null leaves the pass that has seen the record unchanged.
   *
   * @param isNew the records do not exist: a row that may give way to another one would be written twice
   * @throws {RecordRaced} where one of them exists by now
   */
  async put(
    tx: SqlRunner,
    { tenantId, id }: Key,
    kind: AtsRecordKind,
    records: readonly AtsRecordRow[],
    isNew = false,
  ): Promise<void> {
    // What the records of a page share is one parameter: reading arrays costs as much as writing rows.
    for (const rows of alike(records)) {
      const { state, survivor_id: survivor, brought_by: source, seen_in: pass } = rows[0]!;
      rows.sort((a, b) => (a.remote_id < b.remote_id ? -1 : 1));
      const values = [
        tenantId,
        id,
        kind,
        textArray(rows.map((row) => row.remote_id)),
        textArray(rows.map((row) => row.record_id)),
        textArray(rows.map((row) => row.changed_at.toISOString())),
        state,
        survivor,
        source,
        pass,
        textArray(rows.map((row) => row.person_at?.toISOString() ?? null)),
      ];
      if (isNew) await tx.query(ADD, values).catch(raced);
      else await tx.query(PUT, values);
    }
  }

  async someLive({ tenantId, id }: Key, kind: AtsRecordKind, most: number): Promise<string[]> {
    const { rows } = await this.db.query<{ remote_id: string }>(
      `select remote_id from ats_records
       where tenant_id = $1 and connection_id = $2 and kind = $3 and state = 'live' order by remote_id desc limit $4`,
      [tenantId, id, kind, most],
    );
    return rows.map((row) => row.remote_id);
  }

  /** Returns the ATS records of a record of this service: usually one of one connection. */
  async ofRecord(
    tenantId: string,
    recordId: string,
    most: number,
  ): Promise<{ connectionId: string; remoteId: string }[]> {
    const { rows } = await this.db.query<{ connection_id: string; remote_id: string }>(
      `select connection_id, remote_id from ats_records where tenant_id = $1 and record_id = $2 limit $3`,
      [tenantId, recordId, most],
    );
    return rows.map(({ connection_id: connectionId, remote_id: remoteId }) => ({ connectionId, remoteId }));
  }

  /** Returns records that are live and that a full pass has not seen, in the order of their ids. */
  async unseen(
    { tenantId, id }: Key,
    kind: AtsRecordKind,
    pass: string,
    after: string,
    limit: number,
  ): Promise<string[]> {
    const { rows } = await this.db.query<{ remote_id: string }>(
      `select remote_id from ats_records
       where tenant_id = $1 and connection_id = $2 and kind = $3 and remote_id > $4 and state = 'live'
         and seen_in is distinct from $5
       order by remote_id limit $6`,
      [tenantId, id, kind, after, pass, limit],
    );
    return rows.map((row) => row.remote_id);
  }

  /** Notes that a candidate is removed, and returns its records. Later data of the ATS about them have no effect. */
  async erased(
    tx: SqlRunner,
    tenantId: string,
    recordId: string,
  ): Promise<{ connection_id: string; remote_id: string }[]> {
    const { rows } = await tx.query<{ connection_id: string; remote_id: string }>(
      `update ats_records set state = 'erased', record_id = null where tenant_id = $1 and record_id = $2
       returning connection_id, remote_id`,
      [tenantId, recordId],
    );
    return rows;
  }

  /** Erases the events about a candidate. Waiting or failed ones have no effect any more. */
  async eraseEvents(tx: SqlRunner, { tenantId, id }: Key, remoteId: string): Promise<void> {
    // An opening can have the same id: many ATSs count each kind of record on its own.
    await tx.query(
      `with erased as (
         update ats_events set body = null, headers = null,
           reason = case when state in ('waiting', 'failed') then 'erased' else reason end,
           decided_at = coalesce(decided_at, now()),
           state = case when state in ('waiting', 'failed') then 'no_effect' else state end
         where tenant_id = $1 and connection_id = $2 and remote_id = $3 and kind = 'candidate' and body is not null
         returning id)
       delete from ats_open_events o
       where o.tenant_id = $1 and o.connection_id = $2 and o.failed = any('{f,t}') and o.id = any(array(
         select e.id from erased e))`,
      [tenantId, id, remoteId],
    );
  }

  /** Returns candidates that were merged, also indirectly, into records before those were known. */
  async mergedInto(
    tx: SqlRunner,
    { tenantId, id }: Key,
    survivorIds: readonly string[],
  ): Promise<{ remote_id: string; survivor_id: string }[]> {
    if (survivorIds.length === 0) return [];
    const { rows } = await tx.query<{ remote_id: string; survivor_id: string }>(
      `with recursive merged(remote_id, survivor_id, steps) as (
         select r.remote_id, r.survivor_id, 1 from ats_records r
         where r.tenant_id = $1 and r.connection_id = $2 and r.survivor_id = any($3::text[])
           and r.survivor_id is not null and r.kind = 'candidate'
         union all
         select r.remote_id, m.survivor_id, m.steps + 1 from merged m
           join ats_records r on r.tenant_id = $1 and r.connection_id = $2 and r.survivor_id = m.remote_id
             and r.survivor_id is not null and r.kind = 'candidate'
         where m.steps < ${MOST_MERGES}
       )
       select remote_id, survivor_id from merged`,
      [tenantId, id, survivorIds],
    );
    return rows;
  }
}

function raced(error: unknown): never {
  if (codeOf(error) === NOT_UNIQUE) throw new RecordRaced('a record was added by others meanwhile');
  throw error;
}

function alike(records: readonly AtsRecordRow[]): Iterable<AtsRecordRow[]> {
  const groups = new Map<string, AtsRecordRow[]>();
  for (const record of records) {
    const { state, survivor_id: survivor, brought_by: source, seen_in: pass } = record;
    const name = `${state} ${source} ${pass ?? ''} ${survivor ?? ''}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [record]);
    else group.push(record);
  }
  return groups.values();
}
