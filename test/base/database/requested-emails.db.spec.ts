import { RequestedEmails1767227560000 } from '../../../src/base/database/migrations/1767227560000-requested-emails.js';
import { createDataSource } from '../../../src/start/data-source.js';
import { testDatabase } from '../../support/database.js';

it('keeps the e-mail that held users of older versions request', async () => {
  const database = await testDatabase(2);
  const source = createDataSource(database.url, 1);
  await source.initialize();
  const runner = source.createQueryRunner();
  const migration = new RequestedEmails1767227560000();
  const emails = (...values: object[]): string => JSON.stringify({ emails: values });
  const users: [id: string, directory: string, held: string | null, doc: string][] = [
    ['primary', 'dir_1', 'email_taken', emails({ value: 'a@x.y', type: 'work' }, { value: ' B@x.y', primary: true })],
    ['work', 'dir_1', 'superseded', emails({ value: 'a@x.y', type: 'home' }, { value: 'c@x.y', type: 'Work' })],
    ['first', 'dir_1', 'email_taken', emails({ value: 'none' }, { value: 'd@x.y' }, { value: 'e@x.y' })],
    ['name@x.y', 'dir_1', 'email_taken', '{}'],
    ['mapped@x.y', 'dir_2', 'email_taken', emails({ value: 'a@x.y' })],
    ['no address', 'dir_1', 'email_taken', '{}'],
    ['same', 'dir_1', 'external_id_taken', emails({ value: 'same@x.y' })],
    ['not held', 'dir_1', null, emails({ value: 'a@x.y' })],
  ];
  try {
    await migration.down(runner);
    await runner.query(`insert into tenants (id, name) values ('ten_a', 'A')`);
    await runner.query(
      `insert into directories (tenant_id, id, name, profile, state, attribute_map)
       values ('ten_a', 'dir_1', 'D', 'tolerant', 'live', '{}'), ('ten_a', 'dir_2', 'D', 'tolerant', 'live', '{"email": "userName"}')`,
    );
    for (const [id, directory, held, doc] of users) {
      await runner.query(
        `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, active, email, email_key,
           first_name, last_name, status, seat, held)
         values ('ten_a', $1, $2, 'scim', $3::jsonb, $1, $1, true, $4, $4, 'A', 'B', 'active', 'none', $5)`,
        [id, directory, doc, id === 'same' ? 'same@x.y' : `${id.replace(/\W/g, '-')}@old.y`, held],
      );
    }
    await migration.up(runner);
    expect(
      await runner.query(
        `select id, requested_email_key as key from users where requested_email_key is not null order by id`,
      ),
    ).toEqual([
      { id: 'first', key: 'd@x.y' },
      { id: 'mapped@x.y', key: 'mapped@x.y' },
      { id: 'name@x.y', key: 'name@x.y' },
      { id: 'primary', key: 'b@x.y' },
      { id: 'work', key: 'c@x.y' },
    ]);
  } finally {
    await runner.release();
    await source.destroy();
    await database.close();
  }
});
