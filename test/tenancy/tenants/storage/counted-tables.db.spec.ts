import { COUNTED_TABLES, UNCOUNTED_TABLES } from '../../../../src/tenancy/tenants/storage/counted-tables.js';
import { testDatabase, type TestDatabase } from '../../../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase(2);
});
afterAll(() => database.close());

const TABLES = `
  select c.relname as name, coalesce((
      select array_agg(a.attname::text order by k.place) from pg_index x
      cross join lateral unnest(x.indkey::int2[]) with ordinality k(n, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.n
      where x.indrelid = c.oid and x.indisprimary and k.place <= x.indnkeyatts), '{}') as key
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and exists (select 1 from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped)`;

it('counts each table of tenants, or names its bound', async () => {
  const { rows } = await database.db.execute<{ name: string }>(TABLES);
  const named = [...Object.keys(COUNTED_TABLES), ...Object.keys(UNCOUNTED_TABLES)];
  expect([...named].sort()).toEqual(rows.map(({ name }) => name).sort());
});

it('counts only tables whose primary key is the tenant and a further column', async () => {
  const { rows } = await database.db.execute<{ name: string; key: string[] }>(TABLES);
  const others = rows.filter(({ name, key }) => name in COUNTED_TABLES && !(key[0] === 'tenant_id' && key.length > 1));
  expect(others).toEqual([]);
});

describe('a measurement', () => {
  const measured = async (table: string, rows: number) => {
    let [bytes, pieces, after] = [0, 0, null as string[] | null];
    do {
      const { rows: found } = await database.db.query<{ bytes: number; last: string[] | null }>(
        `select bytes::float8 as bytes, last from measure_rows($1, $2, $3, $4)`,
        ['ten_a', table, after, rows],
      );
      bytes += found[0]!.bytes;
      after = found[0]!.last;
      pieces++;
    } while (after !== null);
    return { bytes, pieces };
  };

  beforeAll(async () => {
    for (const tenant of ['ten_a', 'ten_b']) {
      await database.owner.query(`insert into tenants (id, name) values ($1, $1)`, [tenant]);
      await database.owner.query(
        `insert into audit_entries (tenant_id, actor, action, target_type, target_id, after)
         select $1, '{}', 'a.b', 't', n::text, to_jsonb(repeat(md5(n::text), 100)) from generate_series(1, 25) n`,
        [tenant],
      );
    }
  });

  it('finds the same bytes with each size of its pieces, and only those of the tenant', async () => {
    const whole = await measured('audit_entries', 1_000);
    expect(whole.pieces).toBe(1);
    const inPieces = await measured('audit_entries', 10);
    expect(inPieces).toEqual({ bytes: whole.bytes, pieces: 3 });
    expect(whole.bytes).toBeGreaterThan(25 * 100);
    expect(whole.bytes).toBeLessThan(25 * 5_000);
  });

  it('measures each counted table', async () => {
    for (const table of Object.keys(COUNTED_TABLES)) {
      const first = await database.db.query<{ bytes: number }>(
        `select bytes::float8 as bytes, last from measure_rows($1, $2, null, 10)`,
        ['ten_none', table],
      );
      expect([table, first.rows]).toEqual([table, [{ bytes: 0, last: null }]]);
    }
  });
});
