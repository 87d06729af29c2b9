import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../../base/database/byte-cut.js';
import { Database } from '../../base/database/database.js';
import { nextUpdatedSince } from '../../base/database/record-list.js';
import type { PageRequest } from '../../base/http/page.js';
import { foldCase, userNameKey } from '../../protocols/scim/text.js';
import { emailKey, type UserDocument } from './user.mapping.js';
import { USER_COLUMNS, USER_FACTS, type UserRow } from './user.row.js';

type Add = (value: unknown) => string;

/** A text of a user `u` by whose beginning a search finds the user. An index begins with the tenant and this text. */
interface SearchedText {
  key: string;
  form: (text: string) => string;
  of?: string;
  isName?: true;
}

/** At most 256 characters: an index entry has at most 2 704 bytes. */
const folded = (text: string): string => `(left(lower((${text}) collate scim_text), 256) collate "C")`;
/** A search also finds a held user by the written name. */
const written = (part: string): SearchedText => ({
  key: folded(`u.doc #>> '{name,${part}}'`),
  form: foldCase,
  of: 'u.held is not null',
  isName: true,
});

const SEARCHED: readonly SearchedText[] = [
  { key: 'u.email_key', form: emailKey, of: `u.status = 'active' and u.email_key is not null` },
  { key: 'u.email_key', form: emailKey, of: `u.status = 'inactive' and u.email_key is not null` },
  { key: 'u.user_name_key', form: userNameKey },
  { key: folded('u.person_external_id'), form: foldCase },
  { key: folded('u.external_id'), form: foldCase, of: 'u.external_id is distinct from u.person_external_id' },
  // Begins with the first name.
  { key: folded(`u.first_name || ' ' || u.last_name`), form: foldCase, isName: true },
  { key: folded('u.last_name'), form: foldCase, isName: true },
  written('givenName'),
  written('familyName'),
  written('formatted'),
];

/** Of the e-mails of a user with the same beginning, this number is read. */
const EMAILS_OF_USER = 5;

/**
 * Returns SQL of the users with a text that begins with the search text, without regard to case: `id`, the matching
 * text (`key`) and whether it is a name. A user can occur several times. The statement reads at most `limit` entries of
 * each index in the order of the texts, so the exact one comes first.
 */
function usersBeginning(text: string, add: Add, limit: number): string {
  const within = rangesOf(text, add);
  const parts = SEARCHED.map(
    ({ key, form, of, isName = false }) =>
      `(select u.id, ${key} as key, ${isName} as is_name from users u
        where u.tenant_id = $1 and ${within(key, form)}${of === undefined ? '' : ` and ${of}`} order by ${key} limit ${limit})`,
  );
  return `${parts.join('\nunion all ')}
    union all (select e.user_id, e.value_key, false from user_emails e
      where e.tenant_id = $1 and ${within('e.value_key', emailKey)} order by e.value_key limit ${limit * EMAILS_OF_USER})`;
}

/** A page of frequent users is among this number of newest users. */
const NEAR = 5_000;
/** Users that are looked up by their ids where the newest have too few matches. */
const MANY_BEGINNING = 20_000;

/**
 * How users with a beginning are found: by their ids, among the newest, by the indexes of the texts, or along the list.
 */
type SearchWay = { ids: string[] } | 'near' | 'indexes' | 'list';

function foundBy(text: string, way: SearchWay, after: string | null, add: Add): string {
  if (typeof way === 'object') return `u.id = any(${add(way.ids)}::text[])`;
  if (way === 'indexes') return `u.id = any(array(select x.id from (${usersBeginning(text, add, MANY_BEGINNING)}) x))`;
  if (way === 'list') return beginsWith(text, add);
  return `${beginsWith(text, add)} and u.id >= coalesce((select min(n.id) from (select n.id from users n
    where n.tenant_id = $1${after === null ? '' : ` and n.id < ${add(after)}`} order by n.id desc limit ${NEAR}) n), '')`;
}

function beginsWith(text: string, add: Add): string {
  const within = rangesOf(text, add);
  const parts = SEARCHED.map(({ key, form, of }) => `${within(key, form)}${of === undefined ? '' : ` and ${of}`}`);
  return `(${parts.join(' or ')}
    or u.id = any(array(select e.user_id from user_emails e where e.tenant_id = $1 and ${within('e.value_key', emailKey)})))`;
}

function heldCondition(held: string, add: Add): string {
  if (held === 'none') return 'u.held is null';
  return held === 'any' ? 'u.held is not null' : `u.held = ${add(held)}`;
}

/**
 * Returns a function that makes the condition of a key. A range needs no escaping, and a generic plan uses its index.
 */
function rangesOf(text: string, add: Add): (key: string, form: SearchedText['form']) => string {
  const bounds = new Map(
    [emailKey, userNameKey, foldCase].map((form) => [form, [add(form(text)), add(`${form(text)}\u{10ffff}`)]] as const),
  );
  return (key, form) => {
    const [from, to] = bounds.get(form)!;
    return `${key} >= ${from} and ${key} < ${to}`;
  };
}

export type NamedUser = UserRow & { directory_name: string | null; held_since: string | null };

/**
 * A user with the write that waits for an administrator. `kept_doc` is null without such a write, or when the directory
 * removes the user.
 */
export type HeldUser = NamedUser & { is_kept: boolean; kept_doc: string | null };

/** Returns the resource that a directory has written last, whether or not it waits for an administrator. */
export function writtenOf(row: HeldUser): { doc: UserDocument; isRemoved: boolean } {
  const isRemoved = row.gone || (row.is_kept && row.kept_doc === null);
  return { doc: JSON.parse(row.kept_doc ?? row.doc) as UserDocument, isRemoved };
}

/** A user in a list, without the document, which may be large and is not shown. */
export type ListedUser = Omit<NamedUser, 'doc'>;

interface UserFilter {
  email?: string | undefined;
  user_name?: string | undefined;
  external_id?: string | undefined;
  status?: string | undefined;
  role?: string | undefined;
  updated_since?: Date | undefined;
  directory?: string | undefined;
  seat?: string | undefined;
  held?: string | undefined;
  source?: string | undefined;
  q?: string | undefined;
}

const FROM = `from users u left join directories d on d.tenant_id = $1 and d.id = u.directory_id`;
const SELECT = `select ${USER_COLUMNS}, d.name as directory_name, u.held_since::text as held_since ${FROM}`;
const SELECT_KEPT = `select ${USER_COLUMNS}, d.name as directory_name, u.held_since::text as held_since,
  k.user_id is not null as is_kept, k.doc::text as kept_doc ${FROM}
  left join preview_writes k on k.tenant_id = $1 and k.directory_id = u.kept_for and k.user_id = u.id`;
const SELECT_FACTS = `select ${USER_FACTS}, d.name as directory_name, u.held_since::text as held_since ${FROM}`;

/** More changed users than this are found sooner along the list than by their ids. */
const FEW_UPDATED = 2_000;
const FEW_BEGINNING = 1_000;
/** Reads users for the users API. */
@Injectable()
export class UserDirectoryRepository {
  constructor(private readonly db: Database) {}

  async one(tenantId: string, id: string): Promise<NamedUser | undefined> {
    const { rows } = await this.db.query<NamedUser>(`${SELECT} where u.tenant_id = $1 and u.id = $2`, [tenantId, id]);
    return rows[0];
  }

  async requested(tenantId: string, id: string): Promise<HeldUser | undefined> {
    const { rows } = await this.db.query<HeldUser>(`${SELECT_KEPT} where u.tenant_id = $1 and u.id = $2`, [
      tenantId,
      id,
    ]);
    return rows[0];
  }

  /** Returns the user with this key: an active one first, then an inactive one, then one who had the key before. */
  async byExternalId(tenantId: string, externalId: string): Promise<NamedUser | undefined> {
    for (const condition of [
      `u.person_external_id = $2 and u.status = 'active'`,
      `u.person_external_id = $2 and u.status = 'inactive'`,
      `u.id in (select a.user_id from user_aliases a where a.tenant_id = $1 and a.external_id = $2)`,
    ]) {
      const { rows } = await this.db.query<NamedUser>(
        `${SELECT} where u.tenant_id = $1 and ${condition} order by u.updated_at desc limit 1`,
        [tenantId, externalId],
      );
      if (rows[0]) return rows[0];
    }
    return undefined;
  }

  /** Returns a page, newest first. Ids sort by creation, so that a page stays unchanged. */
  async list(tenantId: string, filter: UserFilter, page: PageRequest): Promise<CutRows<ListedUser>> {
    const { q, email, user_name, external_id } = filter;
    const isExact = [email, user_name, external_id].some((value) => value !== undefined);
    if (q === undefined || isExact) return this.page(tenantId, filter, page, 'list');
    const few = await this.fewBeginning(tenantId, q);
    if (few !== null) return this.page(tenantId, filter, page, { ids: few });
    const near = await this.page(tenantId, filter, page, 'near');
    if (near.cut || near.rows.length > page.limit) return near;
    return this.page(tenantId, filter, page, (await this.isMany(tenantId, q)) ? 'list' : 'indexes');
  }

  private async page(
    tenantId: string,
    filter: UserFilter,
    page: PageRequest,
    way: SearchWay,
  ): Promise<CutRows<ListedUser>> {
    const params: unknown[] = [tenantId];
    const conditions = ['u.tenant_id = $1'];
    const add = (value: unknown) => `$${params.push(value)}`;
    let selective = false;
    if (page.after !== null) conditions.push(`u.id < ${add(page.after)}`);
    if (filter.email !== undefined) {
      const key = add(emailKey(filter.email));
      conditions.push(`u.email_key = ${key} and u.id = any(array(
        select o.id from users o where o.tenant_id = $1 and o.email_key = ${key} and o.status = 'active'
        union all select o.id from users o where o.tenant_id = $1 and o.email_key = ${key} and o.directory_id is null
        union all select e.user_id from user_emails e where e.tenant_id = $1 and e.value_key = ${key}))`);
      selective = true;
    }
    if (filter.user_name !== undefined) {
      conditions.push(`u.user_name_key = ${add(userNameKey(filter.user_name))}`);
      selective = true;
    }
    if (filter.external_id !== undefined) {
      const key = add(filter.external_id);
      conditions.push(`u.person_external_id = ${key} and u.id = any(array(
        select o.id from users o where o.tenant_id = $1 and o.person_external_id = ${key} and o.status = 'active'
        union all select o.id from users o where o.tenant_id = $1 and o.person_external_id = ${key} and o.status = 'inactive'))`);
      selective = true;
    }
    for (const name of ['status', 'source', 'seat'] as const) {
      if (filter[name] !== undefined) conditions.push(`u.${name} = ${add(filter[name])}`);
    }
    if (filter.directory !== undefined) {
      conditions.push(
        filter.directory === 'none' ? 'u.directory_id is null' : `u.directory_id = ${add(filter.directory)}`,
      );
    }
    if (filter.held !== undefined) conditions.push(heldCondition(filter.held, add));
    if (filter.q !== undefined) conditions.push(foundBy(filter.q, way, page.after, add));
    const isSearch = way === 'indexes';
    selective ||= typeof way === 'object' || isSearch;
    if (filter.role !== undefined) conditions.push(`u.role = ${add(filter.role)}`);
    if (filter.updated_since !== undefined) {
      const since = add(filter.updated_since);
      conditions.push(`u.updated_at >= ${since}`);
      if (!selective && (await this.isFew(tenantId, filter.updated_since))) {
        conditions.push(
          `u.id = any(array(select o.id from users o where o.tenant_id = $1 and o.updated_at >= ${since}))`,
        );
        selective = true;
      }
    }
    const text = cutAtBytes(`${SELECT_FACTS} where ${conditions.join(' and ')}
       order by ${selective ? `(u.id || '')` : 'u.id'} desc limit ${page.limit + 1}`);
    // A rare status is found by reading past all other users: a search.
    const { email: _, user_name: __, external_id: ___, ...others } = filter;
    const filtered = Object.values(others).some((value) => value !== undefined);
    const found = await (isSearch || (filtered && !selective)
      ? this.db.search<ListedUser>(text, params)
      : this.db.shaped<ListedUser>(text, params));
    return cutRowsOf(found);
  }

  /**
   * Finds the first users with a text that begins with the search text. Exact texts come first; of two equal ones the
   * name is the second.
   */
  async beginning(tenantId: string, text: string, limit: number): Promise<ListedUser[]> {
    const params: unknown[] = [tenantId];
    const found = usersBeginning(text, (value) => `$${params.push(value)}`, limit);
    const { rows } = await this.db.query<ListedUser>(
      `with first as (select id, min(key) as nearest, bool_and(is_name) as by_name from (${found}) x
         group by id order by nearest, by_name, id limit ${limit})
       ${SELECT_FACTS} join first f on f.id = u.id where u.tenant_id = $1 order by f.nearest, f.by_name, f.id`,
      params,
    );
    return rows;
  }

  nextUpdatedSince(tenantId: string): Promise<string> {
    return nextUpdatedSince(this.db, tenantId);
  }

  /** Returns whether few users have changed since a moment: the index of the times then finds their ids. */
  private async isFew(tenantId: string, since: Date): Promise<boolean> {
    const { rows } = await this.db.query<{ n: number }>(
      `select count(*)::int as n from (
         select 1 from users where tenant_id = $1 and updated_at >= $2 limit ${FEW_UPDATED + 1}) x`,
      [tenantId, since],
    );
    return rows[0]!.n <= FEW_UPDATED;
  }

  /**
   * Returns the ids of the users with a beginning; null when there are more than 1 000 and a page is found sooner along
   * the list.
   */
  private async fewBeginning(tenantId: string, text: string): Promise<string[] | null> {
    const params: unknown[] = [tenantId];
    const found = usersBeginning(text, (value) => `$${params.push(value)}`, FEW_BEGINNING + 1);
    const { rows } = await this.db.query<{ id: string }>(
      `select distinct id from (${found}) x limit ${FEW_BEGINNING + 1}`,
      params,
    );
    return rows.length > FEW_BEGINNING ? null : rows.map(({ id }) => id);
  }

  private async isMany(tenantId: string, text: string): Promise<boolean> {
    const params: unknown[] = [tenantId];
    const found = usersBeginning(text, (value) => `$${params.push(value)}`, MANY_BEGINNING + 1);
    const { rows } = await this.db.search<{ n: number }>(
      `select count(distinct id)::int as n from (${found}) x`,
      params,
    );
    return rows[0]!.n > MANY_BEGINNING;
  }

  async held(
    tenantId: string,
    { reason, directory }: { reason: string | undefined; directory: string | undefined },
    page: PageRequest,
  ): Promise<CutRows<HeldUser>> {
    const [since, id] = page.after === null ? [null, null] : (page.after.split('|') as [string, string]);
    const found = await this.db.query<HeldUser>(
      cutAtBytes(`${SELECT_KEPT} where u.tenant_id = $1 and u.held is not null and ($2::text is null or u.held = $2)
         and ($3::timestamptz is null or (u.held_since, u.id) > ($3::timestamptz, $4::text))
         and ($6::text is null or u.directory_id = $6 or u.kept_for = $6)
       order by u.held_since, u.id limit $5`),
      [tenantId, reason ?? null, since, id, page.limit + 1, directory ?? null],
    );
    return cutRowsOf(found);
  }
}
