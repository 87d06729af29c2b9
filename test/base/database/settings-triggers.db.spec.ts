import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { testDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase(1);
});
afterAll(() => database.close());

/** The tables whose changed rows a room listens for: a cache without a trigger would show old rows for ever. */
function listened(): string[] {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const source = files.map((file) => readFileSync(path.join('src', file), 'utf8'));
  const lists = source.flatMap((text) => [...text.matchAll(/feed\.on\(\[([^\]]+)\]/g)].map(([, list]) => list!));
  const named = lists.flatMap((list) => [...list.matchAll(/'([a-z_]+)'/g)].map(([, table]) => table!));
  // A cache of credentials listens for the table of its kind.
  const kinds = source.flatMap((text) => [...text.matchAll(/new CredentialCache\([^]*?table: '([a-z_]+)'/g)]);
  return [...new Set([...named, ...kinds.map(([, table]) => table!)])].sort();
}

it('has a trigger on each table whose rows are cached, and on no other', async () => {
  const { rows } = await database.db.query<{ table: string }>(
    `select c.relname as table from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
     where p.proname = 'tell_settings' order by c.relname collate "C"`,
  );
  expect(rows.map(({ table }) => table)).toEqual(listened());
});
