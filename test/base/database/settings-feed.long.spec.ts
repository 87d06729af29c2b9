import { SettingsFeed } from '../../../src/base/database/settings-feed.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/http.js';

let test: TestDatabase;
let first: SettingsFeed;
let second: SettingsFeed;
beforeEach(async () => {
  test = await testDatabase(2);
  first = new SettingsFeed({ connectionString: test.url });
  second = new SettingsFeed({ connectionString: test.url });
  await first.start();
  await second.start();
});
afterEach(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await test.close();
});

it('knows a change of any process before the change is settled', async () => {
  const seen: string[] = [];
  second.on(['tenants'], (row) => seen.push(`${row?.tenantId} ${row?.id}`));
  await test.owner.execute(`insert into tenants (id, name) values ('ten_a', 'a')`);
  for (let i = 0; i < 50; i++) {
    await test.owner.execute(`update tenants set name = 'n${i}' where id = 'ten_a'`);
    await first.settled();
    expect(seen).toHaveLength(i + 1);
  }
  expect(new Set(seen)).toEqual(new Set(['ten_a ten_a']));
});

it('settles changes of one moment by the answers of all, and needs no queue of the driver', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => warnings.push(message);
  process.on('warning', note);
  let silences = 0;
  for (let round = 0; round < 12; round++) {
    const began = performance.now();
    await Promise.all(Array.from({ length: 10 }, () => first.settled()));
    // A question goes by the silence of another process after a second; answers come within some milliseconds.
    if (performance.now() - began > 950) silences++;
  }
  process.off('warning', note);
  expect(warnings).toEqual([]);
  expect(silences).toBeLessThan(4);
});

it('sends nothing when only a mark of use has changed', async () => {
  const seen: unknown[] = [];
  second.on(['directories'], (row) => seen.push(row));
  await test.owner.execute(`insert into tenants (id, name) values ('ten_b', 'b')`);
  await test.owner.execute(
    `insert into directories (tenant_id, id, name, profile) values ('ten_b', 'dir_b', 'd', 'okta')`,
  );
  await test.owner.execute(`update directories set last_request_at = now() where tenant_id = 'ten_b'`);
  await first.settled();
  expect(seen).toEqual([{ tenantId: 'ten_b', id: 'dir_b' }]);
});

it('drops all caches when its connection was lost, and has no proof meanwhile', async () => {
  const seen: unknown[] = [];
  second.on(['tenants'], (row) => seen.push(row));
  expect(second.isCurrent()).toBe(true);
  await test.owner.execute(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 72345029
       and database = (select oid from pg_database where datname = current_database())`,
  );
  await eventually(() => Promise.resolve(seen.length), (n) => n >= 2); // prettier-ignore
  expect(seen).toEqual([null, null]);
  await eventually(() => Promise.resolve(second.isListening && second.isCurrent()), (yes) => yes); // prettier-ignore
  await eventually(() => Promise.resolve(first.isListening), (yes) => yes); // prettier-ignore
  await test.owner.execute(`insert into tenants (id, name) values ('ten_c', 'c')`);
  await test.owner.execute(`update tenants set name = 'd' where id = 'ten_c'`);
  await first.settled();
  expect(seen.at(-1)).toEqual({ tenantId: 'ten_c', id: 'ten_c' });
});

it('waits for a process without an answer only while the process may use its cache', async () => {
  const other = new SettingsFeed({ connectionString: test.url });
  await other.start();
  // Acts as a process that hangs: its lock is there, and no answer comes. No public member ends the listening alone.
  const hanging = (other as unknown as { client: { removeAllListeners(event: string): void } }).client;
  hanging.removeAllListeners('notification');
  const began = performance.now();
  await first.settled();
  expect(performance.now() - began).toBeGreaterThan(900);
  await other.stop();
});
