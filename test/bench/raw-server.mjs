// The measure of all figures: node's http and pg, nothing else, storing the same rows with one statement per write.
// No schema, no validation, no filter language, no PATCH engine: what is left when everything that makes a SCIM
// server one is taken away.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { serve } from './serve.mjs';

const [url, tenant, directory] = process.argv.slice(2);
const pool = new pg.Pool({
  connectionString: url,
  max: 16,
  options: '-c plan_cache_mode=force_generic_plan -c jit=off',
});
const source = JSON.stringify({
  request_id: 'raw',
  surface: 'scim',
  directory_id: directory,
  actor: { kind: 'directory', id: directory, name: 'raw' },
});

const CREATE = `with subject as (
    insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, external_id, active, email,
      email_key, first_name, last_name, role, person_external_id, status, seat, ever_active)
    values ($1, $2, $3, 'scim', $4::jsonb, $5, lower($5), $6, true, $7, lower($7), $8, $9, 'User', $6, 'active', 'held', true)
    on conflict do nothing returning id),
  e as (insert into user_emails (tenant_id, user_id, ordinal, value_key, type_key) select $1, id, 1, lower($7), 'work' from subject),
  p as (insert into population_steps (tenant_id, owner, step) select $1, $3, 1 from subject),
  s as (insert into seat_entries (tenant_id, kind, user_id, delta, role, directory_id, reason, source)
    select $1, 'claim', id, 1, 'User', $3, 'created', $10::jsonb from subject),
  c as (insert into changes (tenant_id, user_id, kind, forwarded, changed, person, source, received_at)
    select $1, id, 'created', true, '{email,first_name,last_name,role,external_id,status}', $11::jsonb, $10::jsonb, now()
    from subject returning sequence, user_id),
  l as (insert into lanes (tenant_id, subject, state, target_state, target_body, rank, first_pending, last_pending, pending_since)
    select $1, user_id, 'due', 'active', $11, 1, sequence, sequence, now() from c)
  select id from subject`;
const CHANGE = `with subject as (
    update users set doc = doc || $3::jsonb, active = $4, status = $5, seat = $6, version = version + 1, updated_at = now()
    where tenant_id = $1 and id = $2 returning id, doc::text as doc),
  s as (insert into seat_entries (tenant_id, kind, user_id, delta, role, reason, source)
    select $1, $7, id, $8, 'User', $5, $9::jsonb from subject),
  c as (insert into changes (tenant_id, user_id, kind, forwarded, changed, person, source, received_at)
    select $1, id, $10, true, '{status}', '{}', $9::jsonb, now() from subject returning sequence, user_id),
  l as (insert into lanes as l (tenant_id, subject, state, target_state, target_body, rank, first_pending, last_pending, pending_since)
    select $1, user_id, 'due', $5, '{}', 1, sequence, sequence, now() from c
    on conflict (tenant_id, channel, destination, subject) do update set target_state = excluded.target_state,
      target_body = excluded.target_body, last_pending = excluded.last_pending)
  select id, doc from subject`;
const REPLACE = `with subject as (
    update users set doc = $3::jsonb, first_name = $4, last_name = $5, version = version + 1, updated_at = now()
    where tenant_id = $1 and id = $2 returning id),
  c as (insert into changes (tenant_id, user_id, kind, forwarded, changed, person, source, received_at)
    select $1, id, 'updated', true, '{last_name}', '{}', $6::jsonb, now() from subject returning sequence, user_id),
  l as (insert into lanes as l (tenant_id, subject, state, target_state, target_body, rank, first_pending, last_pending, pending_since)
    select $1, user_id, 'due', 'active', '{}', 1, sequence, sequence, now() from c
    on conflict (tenant_id, channel, destination, subject) do update set target_body = excluded.target_body, last_pending = excluded.last_pending)
  select id from subject`;
const READ = `select id, doc::text as doc from users where tenant_id = $1 and id = $2`;
const FIND = `select id, doc::text as doc from users where tenant_id = $1 and user_name_key = $2 and gone_at is null`;
const PAGE = `select id, doc::text as doc, (select coalesce(sum(n), 0) from population where tenant_id = $1)
    + (select coalesce(sum(step), 0) from population_steps where tenant_id = $1) as total
  from users where tenant_id = $1 and id > $2 order by id limit 100`;
const ADD = `with m as (insert into group_members (tenant_id, group_id, member_id, kind) values ($1, $2, $3, 'User')
  on conflict do nothing) update groups set version = version + 1 where tenant_id = $1 and id = $2`;
const REMOVE = `with m as (delete from group_members where tenant_id = $1 and group_id = $2 and member_id = $3)
  update groups set version = version + 1 where tenant_id = $1 and id = $2`;
const GROUP = `select id, doc::text as doc from groups where tenant_id = $1 and id = $2`;

const names = new Map();
const run = (text, values) => {
  if (!names.has(text)) names.set(text, `q${names.size}`);
  return pool.query({ name: names.get(text), text, values });
};
const text = (row) => `{"id":"${row.id}",${row.doc.slice(1)}`;

async function handle(req, body) {
  const { method, url: target } = req;
  if (target.startsWith('/Users')) {
    if (method === 'POST') {
      const user = JSON.parse(body);
      const id = `usr_${randomBytes(16).toString('hex')}`;
      const email = user.emails[0].value;
      const person = JSON.stringify({
        email,
        first_name: user.name.givenName,
        last_name: user.name.familyName,
        role: 'User',
        external_id: user.externalId,
      });
      const values = [
        tenant,
        id,
        directory,
        body,
        user.userName,
        user.externalId,
        email,
        user.name.givenName,
        user.name.familyName,
        source,
        person,
      ];
      const { rowCount } = await run(CREATE, values);
      return rowCount === 1 ? [201, `{"id":"${id}",${body.slice(1)}`] : [409, '{}'];
    }
    if (method === 'PATCH') {
      const id = target.slice(7);
      const { active } = JSON.parse(body).Operations[0].value;
      const values = [
        tenant,
        id,
        JSON.stringify({ active }),
        active,
        active ? 'active' : 'inactive',
        active ? 'held' : 'none',
        active ? 'claim' : 'release',
        active ? 1 : -1,
        source,
        active ? 'reactivated' : 'deactivated',
      ];
      const { rows } = await run(CHANGE, values);
      return [200, text(rows[0])];
    }
    if (method === 'PUT') {
      const id = target.slice(7);
      const user = JSON.parse(body);
      await run(REPLACE, [tenant, id, body, user.name.givenName, user.name.familyName, source]);
      return [200, `{"id":"${id}",${body.slice(1)}`];
    }
    if (target.startsWith('/Users?filter=')) {
      const name = decodeURIComponent(target.slice(target.indexOf('%22') + 3, target.lastIndexOf('%22')));
      const { rows } = await run(FIND, [tenant, name.toLowerCase()]);
      return [200, `{"totalResults":${rows.length},"Resources":[${rows.map(text).join(',')}]}`];
    }
    if (target.startsWith('/Users?after=')) {
      const { rows } = await run(PAGE, [tenant, target.slice(13)]);
      return [200, `{"totalResults":${rows[0]?.total ?? 0},"Resources":[${rows.map(text).join(',')}]}`];
    }
    const { rows } = await run(READ, [tenant, target.slice(7)]);
    return [200, text(rows[0])];
  }
  const id = target.slice(8);
  if (method === 'PATCH') {
    const { op, value } = JSON.parse(body).Operations[0];
    await run(op === 'add' ? ADD : REMOVE, [tenant, id, value[0].value]);
    return [204, ''];
  }
  const { rows } = await run(GROUP, [tenant, id]);
  return [200, text(rows[0])];
}

serve(handle);
