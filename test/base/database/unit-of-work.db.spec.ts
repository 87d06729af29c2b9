import { UnitOfWork } from '../../../src/base/database/unit-of-work.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

describe('a unit of work', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    await database.owner.execute(
      'create table thing (id int primary key, name text); create table note (thing_id int)',
    );
  });
  afterAll(() => database.close());

  const write = (id: number) =>
    new UnitOfWork()
      .subject(
        (p) => `insert into thing values (${p.add(id, 'int')}, ${p.add('a')}) on conflict do nothing returning id`,
      )
      .add(() => 'insert into note select id from subject');

  it('writes the subject and what belongs to it in one statement', async () => {
    expect(await write(1).run(database.db)).toEqual([{ id: 1 }]);
    expect((await database.db.query('select * from note')).rows).toEqual([{ thing_id: 1 }]);
  });

  it('writes nothing at all where the subject wrote nothing', async () => {
    expect(await write(1).run(database.db)).toEqual([]);
    expect((await database.db.query('select * from note')).rows).toHaveLength(1);
  });
});
