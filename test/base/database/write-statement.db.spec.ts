import { WriteStatement } from '../../../src/base/database/write-statement.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.owner.execute(`
    create table thing (id int primary key, name text);
    create table note (thing_id int);
    create table pair (tenant_id text, id text, a text, b text, primary key (tenant_id, id))`);
});
afterAll(() => database.close());

describe('a write statement', () => {
  const write = (id: number): WriteStatement => {
    const statement = new WriteStatement().subject(
      (p) => `insert into thing values (${p.add(id, 'int')}, ${p.add('a')}) on conflict do nothing returning id`,
    );
    const kept = statement.add(() => 'insert into note select id from subject returning thing_id');
    statement.add(() => `insert into note select thing_id + 100 from ${kept.name}`);
    return statement;
  };

  it('writes the subject and its further rows in one statement', async () => {
    expect(await write(1).run(database.db)).toEqual([{ id: 1 }]);
    expect((await database.db.query('select * from note')).rows).toEqual([{ thing_id: 1 }, { thing_id: 101 }]);
  });

  it('writes no row when the subject wrote none', async () => {
    expect(await write(1).run(database.db)).toEqual([]);
    expect((await database.db.query('select * from note')).rows).toHaveLength(2);
  });
});

describe('write statements of one shape that come at once', () => {
  /** The same text in both cases: `a` is a word that all share, or a value of its own. */
  const write = (tenant: string, id: string, a: string, isShared: boolean): WriteStatement => {
    const statement = new WriteStatement().subject(
      (p) => `insert into pair (tenant_id, id, a, b)
        select ${p.shared(tenant)}, ${p.add(id)}, ${isShared ? p.shared(a) : p.add(a)}, ${p.add(`b of ${id}`)} ${p.source}
        returning id`,
      { tenantId: tenant, key: id },
    );
    statement.answer(() => 'subject.id');
    return statement;
  };

  it('write their own values and the shared ones', async () => {
    const rows: [string, string, string, boolean][] = [];
    for (const round of [1, 2, 3]) {
      for (let i = 0; i < 40; i++) rows.push([`t${i % 2}`, `${round}-${i}`, i % 4 < 2 ? 'x' : 'y', i % 3 === 0]);
    }
    const once = database.db.shapedOnce.bind(database.db);
    let [together, refused] = [0, 0];
    // A batch that fails is repeated one by one: its rows would be right all the same.
    Object.assign(database.db, {
      shapedOnce: (text: string, values: unknown[]) => {
        together++;
        return once(text, values).catch((error: unknown) => {
          refused++;
          throw error;
        });
      },
    });
    const ran = await Promise.all(
      rows.map(([tenant, id, a, isShared]) => write(tenant, id, a, isShared).run(database.db)),
    );
    expect(together).toBeGreaterThan(0);
    expect(refused).toBe(0);
    expect(ran.map(([row]) => (row as { id: string }).id)).toEqual(rows.map(([, id]) => id));
    const { rows: stored } = await database.db.query('select * from pair');
    expect(new Set(stored.map((row) => JSON.stringify(row)))).toEqual(
      new Set(rows.map(([tenant_id, id, a]) => JSON.stringify({ tenant_id, id, a, b: `b of ${id}` }))),
    );
    expect(stored).toHaveLength(120);
  });
});
