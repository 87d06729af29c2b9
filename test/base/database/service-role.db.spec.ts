import { APPEND_ONLY, SANDBOX_ROLE, SERVICE_ROLE } from '../../../src/base/database/service-role.js';
import { prepareSandbox } from '../../../src/start/database-access.js';
import { ownerOf, testDatabase, type TestDatabase } from '../../support/database.js';
import { long } from '../../support/rounds.js';

// What the database itself says about the role that the service runs as, and what happens when it tries more.
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const LEDGERS = [...APPEND_ONLY, 'chain_heads'];

it('is a plain role that owns nothing', async () => {
  const { rows } = await database.db.execute(
    `select current_user as me, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolbypassrls, r.rolreplication,
       (select count(*)::int from pg_class where relowner = r.oid) as tables,
       (select count(*)::int from pg_proc where proowner = r.oid) as functions,
       (select count(*)::int from pg_namespace where nspowner = r.oid) as schemas,
       has_schema_privilege('public', 'create') as creates,
       has_database_privilege(current_database(), 'create') as makes_schemas
     from pg_roles r where r.rolname = current_user`,
  );
  expect(rows[0]).toEqual({
    me: SERVICE_ROLE,
    rolsuper: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolbypassrls: false,
    rolreplication: false,
    tables: 0,
    functions: 0,
    schemas: 0,
    creates: false,
    makes_schemas: false,
  });
});

/** A column of the tables that belong to no tenant. */
const COLUMNS: Readonly<Record<string, string>> = { chain_keys: 'key_id', installation_audit: 'action' };

it.each(LEDGERS)('cannot update, delete from or truncate %s', async (table) => {
  for (const statement of [
    `update ${table} set tenant_id = tenant_id`,
    `delete from ${table}`,
    `truncate ${table}`,
    `alter table ${table} disable trigger all`,
    `drop table ${table}`,
  ]) {
    const own = statement.replaceAll('tenant_id', COLUMNS[table] ?? 'tenant_id');
    await expect(database.db.execute(own)).rejects.toMatchObject({ code: '42501' });
  }
});

it('can neither make objects nor switch triggers off nor write down that migrations ran', async () => {
  for (const statement of [
    'create table mine (id int)',
    'create function mine() returns int language sql as $$ select 1 $$',
    'create schema mine',
    'set session_replication_role = replica',
    'delete from migrations',
    'truncate users',
  ]) {
    await expect(database.db.execute(statement)).rejects.toMatchObject({ code: '42501' });
  }
});

it('has the rights of its statements on every other table, also on a later one', async () => {
  const { rows } = await database.owner.execute<{ table: string }>(
    `select relname as table from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relname <> all ($1)
       and not (has_table_privilege($2, oid, 'select') and has_table_privilege($2, oid, 'insert')
         and has_table_privilege($2, oid, 'update') and has_table_privilege($2, oid, 'delete'))`,
    [[...LEDGERS, 'migrations'], SERVICE_ROLE],
  );
  expect(rows).toEqual([]);
  await database.owner.execute('create table later (id bigserial primary key)');
  await database.db.execute('insert into later default values');
  await database.db.execute('update later set id = id');
  await database.db.execute('delete from later');
  await expect(database.db.execute('truncate later')).rejects.toMatchObject({ code: '42501' });
});

describe('the functions of the owner', () => {
  it('run with a pinned search path, and not for every role', async () => {
    const { rows } = await database.owner.execute<{ name: string; settings: string[]; acl: string }>(
      `select proname as name, proconfig as settings, proacl::text as acl from pg_proc
       where pronamespace = 'public'::regnamespace and prosecdef order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual([
      'analyze_table',
      'drop_month',
      'lock_chain_head',
      'make_month',
      'oldest_work',
      'seal_chain',
    ]);
    for (const { settings, acl } of rows) {
      expect(settings.filter((setting) => setting.startsWith('search_path='))).toEqual(['search_path=public, pg_temp']);
      expect(acl).not.toMatch(/[{,]=/); // an entry without a name is for everybody
    }
  });

  it('seal lines once', async () => {
    const { db, owner } = database;
    await owner.execute(`insert into tenants (id, name) values ('ten_1', 'One')`);
    const zero = Buffer.alloc(32);
    await db.query(`insert into chain_heads (tenant_id, chain, hash) values ('ten_1', 'audit', $1)`, [zero]);
    const { rows } = await db.query<{ entry_id: string }>(
      `insert into audit_entries (tenant_id, actor, action, target_type, target_id)
       select 'ten_1', '{}', 'a', 'b', 'c' from generate_series(1, 2) returning entry_id`,
    );
    const seal = (ids: string[]) =>
      db.query(`select seal_chain('ten_1', 'audit', $1, $2, null, null, null, null, null)`, [
        ids,
        ids.map((id) => Buffer.from(id.padStart(32, '0'))),
      ]);
    const ids = rows.map(({ entry_id }) => entry_id);
    await seal(ids);
    const lines = await db.query<{ sequence: string; previous: boolean }>(
      `select sequence, previous_hash = coalesce(lag(hash) over (order by sequence), $1) as previous
       from audit_entries where tenant_id = 'ten_1' order by sequence`,
      [zero],
    );
    expect(lines.rows).toEqual([
      { sequence: '1', previous: true },
      { sequence: '2', previous: true },
    ]);
    await expect(seal([ids[0]!])).rejects.toMatchObject({ code: '42501' });
    await expect(db.query(`insert into chain_heads (tenant_id, chain, hash, sequence) values ('ten_1', 'seats', $1, 7)`, [zero])).rejects.toMatchObject({ code: '42501' }); // prettier-ignore
  });

  long('make months and statistics of their own tables', async () => {
    const { db } = database;
    await db.execute(`select analyze_table('users', '{tenant_id,id}')`);
    await expect(db.execute(`select analyze_table('pg_authid', '{rolname}')`)).rejects.toMatchObject({ code: '42P01' });
    await db.execute(`select make_month('attempts', '2031-05-17')`);
    await db.execute(`select make_month('attempts', '2031-05-01')`);
    await expect(db.execute(`select make_month('users', '2031-05-01')`)).rejects.toMatchObject({ code: '42501' });
    await expect(db.execute(`select drop_month('attempts', 'users')`)).rejects.toMatchObject({ code: '42501' });
    const present = new Date().toISOString().slice(0, 7).replace('-', '_');
    const young = [`attempts_${present}`, 'attempts_2031_05'];
    for (const name of young) {
      await expect(db.execute(`select drop_month('attempts', '${name}')`)).rejects.toThrow('too young');
    }
    await db.execute(`select make_month('attempts', '2020-05-17')`);
    await db.execute(`select drop_month('attempts', 'attempts_2020_05')`);
    await expect(db.execute(`select drop_month('attempts', 'attempts_2020_05')`)).rejects.toMatchObject({ code: '42501' });
  }); // prettier-ignore
});

long('the sandbox platform has a role of its own, which sees its schema alone', async () => {
  // As a version before there were roles left it.
  await database.owner.execute('create schema sandbox_platform; create table sandbox_platform.users (id text)');
  const url = await prepareSandbox(database.url, 'sandbox_platform', 'a-password');
  expect(url).toContain(`${SANDBOX_ROLE}:a-password@`);
  const sandbox = await ownerOf(url);
  try {
    await sandbox.execute('create table sandbox_platform.calls (id text)');
    await sandbox.execute('alter table sandbox_platform.users add column doc jsonb');
    for (const table of ['users', 'tenants', 'api_keys', 'audit_entries', 'service_keys']) {
      await expect(sandbox.execute(`select * from public.${table}`)).rejects.toMatchObject({ code: '42501' });
    }
    await expect(database.db.execute('select * from sandbox_platform.users')).rejects.toMatchObject({ code: '42501' });
  } finally {
    await sandbox.dataSource.destroy();
  }
});
