import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { textArray } from '../../base/database/params.js';
import { timeOfId } from '../../base/ids.js';
import type { PageRequest } from '../../base/http/page.js';
import type { LoggedRequest } from './logged-request.mapping.js';
import { RequestSources } from './request-sources.js';
import { storedBody } from './stored-body.mapping.js';
import type { RequestBody } from './requests.dto.js';

/** What a list of requests is narrowed to. */
export interface RequestFilter {
  directory?: string | undefined;
  credential?: string | undefined;
  /** Ids of users, and a name of a refused request: either fits. */
  user?: { ids: readonly string[]; name: string | null } | undefined;
  request_id?: string | undefined;
  /** Without reads. */
  writes?: true;
  /** From the first to the last status. */
  status?: readonly [number, number] | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

/** The id of a source of a row. */
const sourceOf = (number: string): string =>
  `(select s.source from request_sources s where s.tenant_id = r.tenant_id and s.number = ${number})`;

/** The columns of `requests r` that are not stored as the API shows them. */
export const SHOWN = {
  path: `coalesce(replace(r.path, '{id}', coalesce(r.user_id, r.group_id)), r.path)`,
  directory_id: sourceOf('r.directory'),
  credential_id: sourceOf('r.credential'),
};

const COLUMNS = `r.id, r.at, ${SHOWN.directory_id} as directory_id, ${SHOWN.credential_id} as credential_id, r.method,
  ${SHOWN.path} as path, r.status, r.duration_ms, r.dialect, r.user_id, r.group_id, r.outcome, r.held, r.linked_by, r.code,
  r.scim_type, r.detail, r.user_name, r.body_bytes`;

/** The rows of the log of requests: append-only, in monthly partitions. */
@Injectable()
export class RequestsRepository {
  constructor(
    private readonly db: Database,
    private readonly sources: RequestSources,
  ) {}

  /**
   * Adds rows of several tenants.
   *
   * @throws {DatabaseError} `unique_violation` when one of them is there: the answer to a former attempt was lost
   */
  async add(rows: readonly LoggedRequest[]): Promise<void> {
    const numberOf = await this.sources.numbersOf(rows);
    // Bodies come first, so that a row is never seen without its body.
    await this.addBodies(rows.filter(({ body }) => body !== null));
    const values = (valueOf: (row: LoggedRequest) => string | number | null) => textArray(rows.map(valueOf));
    await this.db.query(
      `insert into requests (tenant_id, id, at, directory, credential, method, path, status, duration_ms, dialect, user_id,
         group_id, outcome, held, linked_by, code, scim_type, detail, body_bytes, user_name)
       select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[], $5::int[], $6::text[], $7::text[],
         $8::smallint[], $9::real[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[],
         $16::text[], $17::text[], $18::text[], $19::int[], $20::text[])`,
      [
        values((row) => row.tenantId),
        values((row) => row.id),
        values(timeOf),
        values((row) => numberOf(row.tenantId, row.directoryId)),
        values((row) => numberOf(row.tenantId, row.credentialId)),
        values((row) => row.method),
        values((row) => row.path),
        values((row) => row.status),
        values((row) => row.durationMs),
        values((row) => row.dialect),
        values((row) => row.userId),
        values((row) => row.groupId),
        values((row) => row.outcome),
        values((row) => row.held),
        values((row) => row.linkedBy),
        values((row) => row.code),
        values((row) => row.scimType),
        values((row) => row.detail),
        values((row) => row.bodyBytes),
        values((row) => row.userName),
      ],
    );
  }

  private async addBodies(rows: readonly LoggedRequest[]): Promise<void> {
    if (rows.length === 0) return;
    await this.db.query(
      `insert into request_bodies (tenant_id, id, at, body)
       select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) on conflict do nothing`,
      [
        textArray(rows.map((row) => row.tenantId)),
        textArray(rows.map((row) => row.id)),
        textArray(rows.map(timeOf)),
        textArray(rows.map((row) => storedBody(row.body!, row.userType))),
      ],
    );
  }

  /** Returns a page of the log, newest first, and one row more, which shows that another page follows. */
  async list(
    tenantId: string,
    filter: RequestFilter,
    page: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<RequestBody[]> {
    const params: unknown[] = [tenantId, page.limit + 1];
    const conditions = conditionsOf(filter, page.after).map(([text, ...values]) =>
      text.replace(/\?/g, () => `$${params.push(values.shift())}`),
    );
    // An index finds the rows of a tenant, a directory, a user and an id, in their order.
    const found = filter.user ?? filter.request_id;
    const search = found === undefined && (filter.credential !== undefined || filter.status !== undefined);
    const { rows } = await this.db[search ? 'search' : 'shaped']<RequestBody>(
      `select ${COLUMNS} from requests r where r.tenant_id = $1 ${conditions.map((text) => `and ${text}`).join(' ')}
       order by r.at desc, r.id desc limit $2`,
      params,
    );
    return rows;
  }

  /** Returns a row with its body; undefined: there is none. */
  async find(tenantId: string, id: string): Promise<(RequestBody & { body: string | null }) | undefined> {
    const { rows } = await this.db.query<RequestBody & { body: string | null }>(
      `select ${COLUMNS}, b.body from requests r
       left join request_bodies b on b.tenant_id = $1 and b.at = $2 and b.id = $3
       where r.tenant_id = $1 and r.at = $2 and r.id = $3`,
      [tenantId, momentOf(id), id],
    );
    return rows[0];
  }
}

const NUMBER = '(select s.number from request_sources s where s.tenant_id = $1 and s.source = ?)';

type Condition = [text: string, ...values: unknown[]];

function conditionsOf(filter: RequestFilter, after: string | null): Condition[] {
  const conditions: Condition[] = [];
  if (after !== null) conditions.push(['(r.at, r.id) < (?, ?)', momentOf(after), after]);
  if (filter.request_id !== undefined) {
    // The operations of a Bulk request have its id before a dot.
    conditions.push(['r.at = ?', momentOf(filter.request_id)], [`split_part(r.id, '.', 1) = ?`, filter.request_id]);
  }
  if (filter.directory !== undefined) conditions.push([`r.directory = ${NUMBER}`, filter.directory]);
  if (filter.credential !== undefined) conditions.push([`r.credential = ${NUMBER}`, filter.credential]);
  if (filter.user !== undefined) {
    const { ids, name } = filter.user;
    conditions.push(
      name === null
        ? ['r.user_id = any(?)', textArray(ids)]
        : ['(r.user_id = any(?) or lower(r.user_name) = lower(?))', textArray(ids), name],
    );
  }
  if (filter.writes) conditions.push([`r.method not in ('GET', 'HEAD')`]);
  if (filter.status !== undefined) conditions.push(['r.status between ? and ?', ...filter.status]);
  if (filter.since !== undefined) conditions.push(['r.at >= ?', filter.since]);
  if (filter.until !== undefined) conditions.push(['r.at < ?', filter.until]);
  return conditions;
}

/** The moment in the id of a request or its operation; of a text that is no id, one without requests. */
function momentOf(id: string): Date {
  return new Date(timeOfId(id.replace(/\.\d{4}$/, '')) ?? 0);
}

function timeOf({ id }: LoggedRequest): string {
  return momentOf(id).toISOString();
}
