import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { textArray } from '../../base/database/params.js';
import type { PageRequest } from '../../base/http/page.js';
import { timeOfId } from '../../base/ids.js';
import type { PatchPath } from '../../protocols/scim/filter/ast.js';
import { parsePatchPath } from '../../protocols/scim/filter/parse.js';
import { lookUp, type Attribute } from '../../protocols/scim/schema/attribute.js';
import {
  findAttribute,
  findSchema,
  GROUP_TYPE,
  type ResourceTypeDef,
} from '../../protocols/scim/schema/resource-types.js';
import type { LoggedRequest } from './logged-request.mapping.js';
import type { RequestBody } from './requests.dto.js';

/** Numbers in memory; more than these are read again each time. */
const MOST = 100_000;

function keyOf(tenantId: string, source: string): string {
  return `${tenantId} ${source}`;
}

const PARTS =
  /passw|pwd|pass.?(?:phrase|code|key)|secret|token|credential|authorization|api.?key|private.?key|(?:mfa|sms|otp).?code/i;
/** Short names of secrets count only as a whole word, since other words contain their letters. */
const WORDS = /(?<![a-z])(?:pin|[th]?otp|cv[cv])(?:.?(?:code|number))?(?![a-z])/;

/** A parameter of an address (RFC 3986 §3.4), also in its fragment. */
const PARAMETER = /([?&;#])([\w.~%-]{1,64})=([^&;#\s]+)/g;
const SIGNED = /^(?:sig|signature|x-amz-signature|key|code)$/i;
/** The password in an address (RFC 3986 §3.2.1). */
const USER_INFO = /(\/\/[^/?#@\s:]*):[^/?#@\s]+@/g;

export function isSecretName(name: string): boolean {
  return PARTS.test(name) || WORDS.test(name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase());
}

export function withoutSecretsInText(text: string, removed: string): string {
  return text
    .replace(USER_INFO, `$1:${removed}@`)
    .replace(PARAMETER, (all, before: string, name: string) =>
      SIGNED.test(name) || isSecretName(name) ? `${before}${name}=${removed}` : all,
    );
}

const REMOVED = '(removed)';

type Members = Readonly<Record<string, unknown>>;

/** The declaration of a member of an object; null when no schema declares it. */
type Declared = (name: string, object: Members) => Declared | null;

const plain: Declared = () => null;
/** JSON inside of a text, which no schema describes. */
const anything: Declared = () => anything;
/** Only the name of the path is kept: its filter has the value of a secret. */
const nameAlone: Declared = () => null;

/** Members of messages (RFC 7644 §3.4.3, §3.5.2, §3.7) that are no attributes. */
const MESSAGE = new Set(
  'schemas failonerrors attributes excludedattributes sortby sortorder startindex count cursor'.split(' '),
);
const OPERATION = new Set(['op', 'method', 'bulkid', 'version']);

/**
 * Returns the JSON of a body without the values of secrets and of attributes that no schema declares, since those may be
 * anything. The names stay. A body without either stays letter for letter.
 *
 * @param userType the users of the directory, with its own attributes
 */
export function storedBody(text: string, userType: ResourceTypeDef): string {
  const body: unknown = JSON.parse(text);
  const stored = JSON.stringify(stripped(body, ofMessage([userType, GROUP_TYPE])));
  return stored === JSON.stringify(body) ? text : stored;
}

function stripped(value: unknown, declared: Declared): unknown {
  if (typeof value === 'string') return declared === nameAlone ? value.split('[')[0] : strippedText(value);
  if (Array.isArray(value)) return value.map((one) => stripped(one, declared));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    const member = isSecretName(name) ? null : declared(name, value as Members);
    return [name, member === null ? REMOVED : stripped(inner, member)];
  });
  return Object.fromEntries(entries);
}

function strippedText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return withoutSecretsInText(text, REMOVED);
  let inner: unknown;
  try {
    inner = JSON.parse(text);
  } catch {
    return isSecretName(text) ? REMOVED : withoutSecretsInText(text, REMOVED);
  }
  const stored = JSON.stringify(stripped(inner, anything));
  return stored === JSON.stringify(inner) ? text : stored;
}

function ofMessage(types: readonly ResourceTypeDef[]): Declared {
  return (name, message) => {
    const known = name.toLowerCase();
    if (known === 'operations') return ofOperation(types);
    if (known === 'filter') return isSecretName(String(message[name])) ? null : plain;
    return MESSAGE.has(known) ? plain : ofResource(types, name);
  };
}

function ofOperation(types: readonly ResourceTypeDef[]): Declared {
  return (name, operation) => {
    const known = name.toLowerCase();
    if (known === 'data') return ofMessage(types);
    if (OPERATION.has(known)) return plain;
    if (known !== 'value' && known !== 'path') return null;
    const path = Object.entries(operation).find(([member]) => /^path$/i.test(member))?.[1];
    if (typeof path !== 'string') return (member) => ofResource(types, member);
    const value = isSecretName(path) ? null : ofResource(types, path);
    if (known === 'value') return value;
    return value === null ? nameAlone : plain;
  };
}

/** The declaration of a member of a resource, or of a path: Entra ID writes paths as names of members. */
function ofResource(types: readonly ResourceTypeDef[], name: string): Declared | null {
  const path = pathOf(name) ?? pathOf(name.split('[')[0]!);
  for (const type of types) {
    const schema = findSchema(type, name);
    if (schema !== undefined) return (member) => ofAttribute(lookUp(schema.byName, member));
    const top = path === null ? undefined : findAttribute(type, path.path.urn, path.path.attr);
    if (top === undefined) continue;
    const sub = path!.sub ?? path!.path.sub;
    return ofAttribute(sub === null ? top : lookUp(top.subByName, sub));
  }
  return null;
}

function ofAttribute(attribute: Attribute | undefined): Declared | null {
  if (attribute === undefined) return null;
  return attribute.type === 'complex' ? (name) => ofAttribute(lookUp(attribute.subByName, name)) : plain;
}

function pathOf(text: string): PatchPath | null {
  try {
    return parsePatchPath(text);
  } catch {
    return null;
  }
}

export interface RequestFilter {
  directory?: string | undefined;
  credential?: string | undefined;
  /** Ids of users, and a name of a refused request: either fits. */
  user?: { ids: readonly string[]; name: string | null } | undefined;
  request_id?: string | undefined;
  writes?: true;
  status?: readonly [number, number] | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

const sourceOf = (number: string): string =>
  `(select s.source from request_sources s where s.tenant_id = r.tenant_id and s.number = ${number})`;

/** The columns of `requests r` whose API form differs from the stored one. */
export const SHOWN = {
  path: `coalesce(replace(r.path, '{id}', coalesce(r.user_id, r.group_id)), r.path)`,
  directory_id: sourceOf('r.directory'),
  credential_id: sourceOf('r.credential'),
};

const COLUMNS = `r.id, r.at, ${SHOWN.directory_id} as directory_id, ${SHOWN.credential_id} as credential_id, r.method,
  ${SHOWN.path} as path, r.status, r.duration_ms, r.dialect, r.user_id, r.group_id, r.outcome, r.held, r.linked_by, r.code,
  r.scim_type, r.detail, r.user_name, r.body_bytes`;

/** The log of requests: append-only, in monthly partitions. Directories and tokens have constant numbers in it. */
@Injectable()
export class RequestsRepository {
  private readonly numbers = new Map<string, number>();

  constructor(private readonly db: Database) {}

  /** @throws {DatabaseError} `unique_violation` when a row exists: the answer to a former attempt was lost */
  async add(rows: readonly LoggedRequest[]): Promise<void> {
    const numberOf = await this.numbersOf(rows);
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

  /** Returns a row with its body, or undefined. */
  async find(tenantId: string, id: string): Promise<(RequestBody & { body: string | null }) | undefined> {
    const { rows } = await this.db.query<RequestBody & { body: string | null }>(
      `select ${COLUMNS}, b.body from requests r
       left join request_bodies b on b.tenant_id = $1 and b.at = $2 and b.id = $3
       where r.tenant_id = $1 and r.at = $2 and r.id = $3`,
      [tenantId, momentOf(id), id],
    );
    return rows[0];
  }

  /** Returns the number of each directory and token of the rows; new ones get one. */
  async numbersOf(rows: readonly LoggedRequest[]): Promise<(tenantId: string, source: string) => number> {
    if (this.numbers.size > MOST) this.numbers.clear();
    const missing = new Map<string, [tenantId: string, source: string]>();
    for (const { tenantId, directoryId, credentialId } of rows) {
      for (const source of [directoryId, credentialId]) {
        const key = keyOf(tenantId, source);
        if (!this.numbers.has(key)) missing.set(key, [tenantId, source]);
      }
    }
    if (missing.size > 0) await this.read([...missing.values()]);
    return (tenantId, source) => this.numbers.get(keyOf(tenantId, source))!;
  }

  private async read(pairs: readonly [tenantId: string, source: string][]): Promise<void> {
    const tenants = textArray(pairs.map(([tenantId]) => tenantId));
    const sources = textArray(pairs.map(([, source]) => source));
    await this.db.query(
      `insert into request_sources (tenant_id, source)
       select * from unnest($1::text[], $2::text[]) w(tenant_id, source) order by 1, 2 on conflict do nothing`,
      [tenants, sources],
    );
    const { rows } = await this.db.query<{ tenant_id: string; source: string; number: number }>(
      `select s.tenant_id, s.source, s.number from unnest($1::text[], $2::text[]) w(tenant_id, source)
       join request_sources s on s.tenant_id = w.tenant_id and s.source = w.source`,
      [tenants, sources],
    );
    for (const { tenant_id: tenantId, source, number } of rows) this.numbers.set(keyOf(tenantId, source), number);
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

/** Returns the moment in the id of a request or its operation; for another text, a moment without requests. */
function momentOf(id: string): Date {
  return new Date(timeOfId(id.replace(/\.\d{4}$/, '')) ?? 0);
}

function timeOf({ id }: LoggedRequest): string {
  return momentOf(id).toISOString();
}
