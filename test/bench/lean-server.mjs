// The least program that could do the job: node's http and pg on a schema that holds what RFC 7644, a ledger and an
// outbox need and nothing else. One statement a request. No credentials, no validation, no filter language.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { serve } from './serve.mjs';

const [url] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 16 });
const TENANT = 'lean';

const SCHEMA = `
  create table users (tenant text not null, id text not null, doc text not null, name_key text not null, external_id text,
    active boolean not null, version int not null default 1, primary key (tenant, id));
  create unique index users_name on users (tenant, name_key);
  create index users_external_id on users (tenant, external_id);
  create table groups (tenant text not null, id text not null, doc text not null, name_key text not null,
    version int not null default 1, primary key (tenant, id));
  create index groups_name on groups (tenant, name_key);
  create table members (tenant text not null, group_id text not null, user_id text not null,
    primary key (tenant, group_id, user_id));
  create table candidates (tenant text not null, id text not null, external_id text not null, doc text not null,
    primary key (tenant, id));
  create unique index candidates_external_id on candidates (tenant, external_id);
  create index members_user on members (tenant, user_id);
  create table ledger (sequence bigserial primary key, tenant text not null, user_id text not null, delta int not null,
    at timestamptz not null default now());
  create table outbox (sequence bigserial primary key, tenant text not null, user_id text not null, body text not null,
    at timestamptz not null default now());`;
const CREATE = `with u as (insert into users values ($1, $2, $3, $4, $5, true) on conflict do nothing returning id),
  l as (insert into ledger (tenant, user_id, delta) select $1, id, 1 from u),
  o as (insert into outbox (tenant, user_id, body) select $1, id, $6 from u) select id from u`;
const CHANGE = `with u as (update users set doc = (doc::jsonb || $3::jsonb)::text, active = $4, version = version + 1
    where tenant = $1 and id = $2 returning id, doc),
  l as (insert into ledger (tenant, user_id, delta) select $1, id, $5 from u),
  o as (insert into outbox (tenant, user_id, body) select $1, id, $6 from u) select id, doc from u`;
const REPLACE = `with u as (update users set doc = $3, name_key = $4, external_id = $5, version = version + 1
    where tenant = $1 and id = $2 returning id),
  o as (insert into outbox (tenant, user_id, body) select $1, id, $6 from u) select id from u`;
const READ = `select id, doc from users where tenant = $1 and id = $2`;
const FIND = `select id, doc from users where tenant = $1 and name_key = $2`;
const PAGE = `select id, doc from users where tenant = $1 order by id offset $2 limit 100`;
const NEW_GROUP = `with g as (insert into groups values ($1, $2, $3, $4) returning id),
  m as (insert into members select $1, id, unnest($5::text[]) from g) select id from g`;
const ADD = `with m as (insert into members values ($1, $2, $3) on conflict do nothing)
  update groups set version = version + 1 where tenant = $1 and id = $2`;
const REMOVE = `with m as (delete from members where tenant = $1 and group_id = $2 and user_id = $3)
  update groups set version = version + 1 where tenant = $1 and id = $2`;
const FULL_GROUP = `select g.doc, m.list from groups g, lateral (
    select string_agg('{"value":"' || user_id || '","type":"User","$ref":"/Users/' || user_id || '"}', ',') as list
    from members where tenant = $1 and group_id = $2) m where g.tenant = $1 and g.id = $2`;
const GROUP = `select id, doc from groups where tenant = $1 and id = $2`;
const NEW_CANDIDATE = `insert into candidates values ($1, $2, $3, $4) on conflict do nothing returning id`;
const CANDIDATE = `select id, doc from candidates where tenant = $1 and id = $2`;

const names = new Map();
const run = (text, values) => {
  if (!names.has(text)) names.set(text, `q${names.size}`);
  return pool.query({ name: names.get(text), text, values: [TENANT, ...values] });
};
const newId = () => randomBytes(16).toString('hex');
const resource = (row) => `{"id":"${row.id}",${row.doc.slice(1)}`;
const list = (rows) => `{"totalResults":${rows.length},"Resources":[${rows.map(resource).join(',')}]}`;

async function users(method, target, body) {
  if (method === 'POST') {
    const user = JSON.parse(body);
    const id = newId();
    const { rowCount } = await run(CREATE, [id, body, user.userName.toLowerCase(), user.externalId, body]);
    return rowCount === 1 ? [201, `{"id":"${id}",${body.slice(1)}`] : [409, '{"status":"409"}'];
  }
  const id = target.slice(7);
  if (method === 'PATCH') {
    const { active } = JSON.parse(body).Operations[0].value;
    const { rows } = await run(CHANGE, [id, JSON.stringify({ active }), active, active ? 1 : -1, body]);
    return [200, resource(rows[0])];
  }
  if (method === 'PUT') {
    const user = JSON.parse(body);
    await run(REPLACE, [id, body, user.userName.toLowerCase(), user.externalId, body]);
    return [200, `{"id":"${id}",${body.slice(1)}`];
  }
  if (target.startsWith('/Users?filter=')) {
    const name = decodeURIComponent(target.slice(target.indexOf('%22') + 3, target.lastIndexOf('%22')));
    return [200, list((await run(FIND, [name.toLowerCase()])).rows)];
  }
  if (target.startsWith('/Users?startIndex='))
    return [200, list((await run(PAGE, [Number(target.slice(18)) - 1])).rows)];
  return [200, resource((await run(READ, [id])).rows[0])];
}

async function groups(method, target, body) {
  if (method === 'POST') {
    const { members, ...group } = JSON.parse(body);
    const id = newId();
    const doc = JSON.stringify(group);
    const ids = members.map((member) => member.value);
    await run(NEW_GROUP, [id, doc, group.displayName.toLowerCase(), ids]);
    return [201, `{"id":"${id}",${body.slice(1)}`];
  }
  if (method === 'PATCH') {
    const { op, value } = JSON.parse(body).Operations[0];
    await run(op === 'add' ? ADD : REMOVE, [target.slice(8), value[0].value]);
    return [204, ''];
  }
  if (target.endsWith('?excludedAttributes=members')) {
    return [200, resource((await run(GROUP, [target.slice(8, target.indexOf('?'))])).rows[0])];
  }
  const id = target.slice(8);
  const { rows } = await run(FULL_GROUP, [id]);
  return [200, `{"id":"${id}","members":[${rows[0].list ?? ''}],${rows[0].doc.slice(1)}`];
}

async function candidates(method, target, body) {
  if (method === 'GET') return [200, resource((await run(CANDIDATE, [target.slice(12)])).rows[0])];
  const id = newId();
  const { rowCount } = await run(NEW_CANDIDATE, [id, JSON.parse(body).external_id, body]);
  return rowCount === 1 ? [201, `{"id":"${id}",${body.slice(1)}`] : [409, '{"status":"409"}'];
}

const RESOURCES = { Users: users, Groups: groups, candidates };

await pool.query(SCHEMA);
serve(({ method, url: target }, body) => RESOURCES[/^\/(\w+)/.exec(target)[1]](method, target, body));
