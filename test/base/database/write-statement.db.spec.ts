import { WriteStatement } from '../../../src/base/database/write-statement.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

describe('a write statement', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    await database.owner.execute(
      'create table thing (id int primary key, name text); create table note (thing_id int)',
    );
  });
  afterAll(() => database.close());

  const write = (id: number): WriteStatement => {
    const statement = new WriteStatement().subject(
      (p) => `insert into thing values (${p.add(id, 'int')}, ${p.add('a')}) on conflict do nothing returning id`,
    );
    const kept = statement.add(() => 'insert into note select id from subject returning thing_id');
    statement.add(() => `insert into note select thing_id + 100 from ${kept.name}`);
    return statement;
  };

  it('writes the subject and what belongs to it in one statement', async () => {
    expect(await write(1).run(database.db)).toEqual([{ id: 1 }]);
    expect((await database.db.query('select * from note')).rows).toEqual([{ thing_id: 1 }, { thing_id: 101 }]);
  });

  it('writes nothing at all where the subject wrote nothing', async () => {
    expect(await write(1).run(database.db)).toEqual([]);
    expect((await database.db.query('select * from note')).rows).toHaveLength(2);
  });
});
