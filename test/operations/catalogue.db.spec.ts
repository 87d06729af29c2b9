import { testDatabase, type TestDatabase } from '../support/database.js';

// What the catalogue of the database shows of the schema: the rules that hold for every table, new ones too.
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase(2);
});
afterAll(() => database.close());

async function ask<R extends object>(sql: string): Promise<R[]> {
  return (await database.db.execute<R & Record<string, unknown>>(sql)).rows;
}

/** Tables and partitioned tables of ours, with whether they belong to a tenant. Partitions follow their parent. */
const TABLES = `
  select c.oid, c.relname as table, exists (
    select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped) as of_tenant
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;

/** Every index (primary keys and unique constraints are indexes) of tenant data: name, columns and expressions, kind. */
const INDEXES = `
  select t.table, i.relname as index, x.indisunique as unique, x.indisprimary as primary,
    array(select pg_get_indexdef(x.indexrelid, place, true) from generate_series(1, x.indnkeyatts) place
          order by place) as columns,
    x.indpred is null as whole
  from (${TABLES}) t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid
  where t.of_tenant and t.table <> all ('{connection_slugs,saml_entity_ids,verified_domains,tenant_addresses}')`;

/** Every foreign key, with its own columns and the others. */
const KEYS = `
  select t.table, c.conname as key, f.relname as other,
    array(select a.attname::text from unnest(c.conkey) with ordinality k(n, place)
          join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by k.place) as columns,
    array(select a.attname::text from unnest(c.confkey) with ordinality k(n, place)
          join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by k.place) as others
  from (${TABLES}) t join pg_constraint c on c.conrelid = t.oid and c.contype = 'f' join pg_class f on f.oid = c.confrelid
  where c.conparentid = 0`;

interface Index {
  table: string;
  index: string;
  columns: string[];
  unique: boolean;
  primary: boolean;
  whole: boolean;
}
interface Key {
  table: string;
  key: string;
  other: string;
  columns: string[];
  others: string[];
}

/** Tables that belong to no tenant, and why. */
const WITHOUT_TENANT: Record<string, string> = {
  tenants: 'a tenant is the thing itself; its `id` is what all others lead with',
  migrations: 'about the schema, not about anybody’s data',
  storage_probe: 'always empty: written to and rolled back, to see whether the disk has room',
  installation_audit: 'acts of the operator that concern no tenant',
  installation: 'the installation itself, in one row',
  processes: 'the processes of the installation',
  service_keys: 'the installation’s own keys',
  chain_keys: 'public keys that sign the heads of all chains, with what vouches for them',
  tries: 'how often an address or account has tried; an address is no tenant’s, and all of them are kept as hashes',
};

/** Tables that say whose something is before the tenant is known: the same on every node of a distributed database. */
const ACROSS_TENANTS: Record<string, string> = {
  ats_token_hashes: 'an ATS names itself by its token alone, which is one connection’s over all tenants',
  connection_slugs: 'an IdP sends people back to a slug, which is one connection’s over all tenants',
  tenant_addresses: 'a request is recognised by its host, which is one tenant’s over all tenants',
  saml_entity_ids: 'an IdP knows a service provider by its entity id, which is one tenant’s over all tenants',
  verified_domains: 'an e-mail domain is one tenant’s over all tenants',
};

/** Indexes that find whose something is before the tenant is known, and why. */
const INDEXES_ACROSS_TENANTS: Record<string, string> = {
  ats_authorizations_expired: 'authorizations that have ended are removed over all tenants',
  ats_token_hashes_pkey: 'an ATS names itself by its token alone',
  ats_connections_renew: 'the next grant that is kept alive is looked for over all tenants',
  connections_metadata_due: 'the next metadata that are read are looked for over all tenants, and leased within one',
  domains_due: 'the next domain that is checked is looked for over all tenants, and leased within one',
  guard_changes_old: 'changes that a guard counts no more are removed over all tenants',
  guard_departures_old: 'departures that a guard counts no more are removed over all tenants',
  ats_syncs_next: 'the next sync that is due is looked for over all tenants, and claimed within one',
  requests_directory:
    'the number of a directory belongs to one tenant, which would be two thirds of the bytes of an entry',
  requests_user: 'the id of a user belongs to one tenant, which would be a third of the bytes of an entry',
  tenant_storage_due: 'the next tenant whose tables are measured is looked for over all tenants',
  connections_issuer: 'an IdP that begins a sign-in names its issuer, and nothing of ours',
};

it('every table belongs to a tenant, except a few with a reason', async () => {
  const tables = await ask<{ table: string; of_tenant: boolean }>(TABLES);
  expect(tables.length).toBeGreaterThan(20);
  expect(tables.filter((t) => !t.of_tenant).map((t) => t.table).sort()).toEqual(Object.keys(WITHOUT_TENANT).sort()); // prettier-ignore
});

it('uniqueness over all tenants is in tables with a reason, and in no other', async () => {
  const tables = (await ask<{ table: string; of_tenant: boolean }>(TABLES)).filter((t) => t.of_tenant);
  const keyed = await ask<{ table: string }>(
    `select t.table from (${TABLES}) t join pg_index x on x.indrelid = t.oid and x.indisprimary
       join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
     where t.of_tenant and a.attname <> 'tenant_id' order by t.table`,
  );
  expect(tables.length).toBeGreaterThan(20);
  expect(keyed.map(({ table }) => table)).toEqual(Object.keys(ACROSS_TENANTS).sort());
});

it('the tenant is never null', async () => {
  const open = await ask(`
    select t.table from (${TABLES}) t join pg_attribute a on a.attrelid = t.oid and a.attname = 'tenant_id'
    where not a.attnotnull`);
  expect(open).toEqual([]);
});

it('every primary key, unique constraint and index of tenant data leads with the tenant', async () => {
  const indexes = await ask<Index>(INDEXES);
  expect(indexes.length).toBeGreaterThan(30);
  const open = indexes.filter(({ columns }) => columns[0] !== 'tenant_id').map(({ index }) => index);
  expect(open.sort()).toEqual(Object.keys(INDEXES_ACROSS_TENANTS).sort());
});

it('every table of a tenant has a primary key that leads with the tenant: a tenant can move by logical replication', async () => {
  const leading = new Set(
    (await ask<Index>(INDEXES))
      .filter(({ primary, columns }) => primary && columns[0] === 'tenant_id')
      .map(({ table }) => table),
  );
  const tables = await ask<{ table: string; of_tenant: boolean }>(TABLES);
  expect(leading.size).toBeGreaterThan(60);
  const without = tables.filter((t) => t.of_tenant && !leading.has(t.table)).map(({ table }) => table);
  expect(without.sort()).toEqual(Object.keys(ACROSS_TENANTS).sort());
});

it('no foreign key involves a table that is read before the tenant is known, or an unlogged one', async () => {
  const keys = await ask<Key>(KEYS);
  const unlogged = await ask<{ table: string }>(
    `select relname as table from pg_class where relnamespace = 'public'::regnamespace and relpersistence = 'u' and relkind = 'r'`,
  );
  const apart = new Set([...Object.keys(ACROSS_TENANTS), ...unlogged.map(({ table }) => table)]);
  expect([...apart]).toContain('ats_paces');
  expect(keys.filter(({ table, other }) => apart.has(table) || apart.has(other))).toEqual([]);
});

it('every foreign key leads with the tenant on both sides', async () => {
  const keys = await ask<Key>(KEYS);
  expect(keys.length).toBeGreaterThan(10);
  const crossing = keys.filter(({ other, columns, others }) => {
    return columns[0] !== 'tenant_id' || others[0] !== (other === 'tenants' ? 'id' : 'tenant_id');
  });
  expect(crossing).toEqual([]);
});

it('every foreign key has an index on its own side', async () => {
  const indexes = await ask<Index>(INDEXES);
  const found = (await ask<Key>(KEYS)).filter(({ table, columns }) => {
    const covering = indexes.filter(
      (index) => index.table === table && index.whole && columns.every((name, place) => index.columns[place] === name),
    );
    return covering.length === 0;
  });
  expect(found.map(({ table, columns }) => `${table} (${columns.join(', ')})`)).toEqual([]);
});

it('no index begins with all the columns of another one', async () => {
  const indexes = (await ask<Index>(INDEXES)).filter(({ whole }) => whole);
  const double = indexes.filter((index) =>
    indexes.some(
      (other) =>
        other.index !== index.index &&
        other.table === index.table &&
        !index.unique &&
        index.columns.every((name, place) => other.columns[place] === name),
    ),
  );
  expect(double.map(({ index }) => index)).toEqual([]);
});

it('attempts are partitioned by time, so that old ones are dropped and not deleted', async () => {
  const [attempts] = await ask<{ strategy: string; columns: string[] }>(`
    select p.partstrat as strategy, array(select a.attname::text from unnest(p.partattrs::int2[]) n
      join pg_attribute a on a.attrelid = p.partrelid and a.attnum = n) as columns
    from pg_partitioned_table p where p.partrelid = 'attempts'::regclass`);
  expect(attempts).toEqual({ strategy: 'r', columns: ['at'] });
});

it('ids and keys in an index are compared byte by byte with every locale', async () => {
  const other = await ask<{ column: string }>(`
    select distinct t.table || '.' || a.attname as column from (${TABLES}) t
    join pg_index x on x.indrelid = t.oid join pg_attribute a on a.attrelid = t.oid and a.attnum = any (x.indkey)
    join pg_collation c on c.oid = a.attcollation
    where (a.attname = 'id' or a.attname like '%\\_id' or a.attname like '%\\_key') and c.collname <> 'C'`);
  expect(other).toEqual([]);
});
