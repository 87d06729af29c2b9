import pg from 'pg';
import { EventsService } from '../../../src/engine/events/events.service.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/http.js';
import { long } from '../../support/rounds.js';

let database: TestDatabase;
let horizon: EventsService;
const open: pg.Client[] = [];

beforeAll(async () => {
  database = await testDatabase();
  horizon = new EventsService(undefined as never, database.db);
  await database.owner.execute(`insert into tenants (id, name) values ('ten_a', 'A')`);
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.end();
});
afterAll(() => database.close());

/** Begins a transaction of its own. */
async function begin(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  open.push(client);
  await client.query('begin');
  return client;
}

/** Records an event, and returns its sequence. */
async function draw(client: Pick<pg.Client, 'query'>): Promise<number> {
  const { rows } = await client.query<{ sequence: string }>(
    `insert into events (tenant_id, event, data) values ('ten_a', 'domain.lost', '{}') returning sequence`,
  );
  return Number(rows[0]!.sequence);
}

const drawn = async (): Promise<number> => {
  const client = await begin();
  const sequence = await draw(client);
  await client.query('commit');
  return sequence;
};
const newest = async (): Promise<number> => Number(await horizon.newest());
/** Other databases of the server hold the horizon back as well: tests beside this one write there. */
const reaches = (sequence: number): Promise<number> => eventually(newest, (found) => found >= sequence);

it('reaches what is committed, with one look when no transaction is open', async () => {
  await reaches(await drawn());
});

long('stays before the event of an open transaction when later events commit', async () => {
  await reaches(await drawn());
  const late = await begin();
  const first = await draw(late);
  const second = await drawn();
  expect(second).toBeGreaterThan(first);
  for (let i = 0; i < 5; i++) expect(await newest()).toBeLessThan(first);
  await late.query('commit');
  await reaches(second);
});

long('stays before an event whose transaction began to write long before it drew its sequence', async () => {
  const late = await begin();
  await late.query(`update tenants set name = 'B' where id = 'ten_a'`);
  const first = await drawn();
  for (let i = 0; i < 3; i++) expect(await newest()).toBeLessThan(first);
  const second = await draw(late);
  expect(second).toBeGreaterThan(first);
  expect(await newest()).toBeLessThan(first);
  await late.query('commit');
  await reaches(second);
});

it('is not held back by a transaction that only reads', async () => {
  const reader = await begin();
  await reader.query('select count(*) from events');
  const first = await drawn();
  await reaches(first);
  // It draws only now: behind everything that was shown.
  expect(await draw(reader)).toBeGreaterThan(first);
  await reader.query('commit');
});

it('passes the sequences of transactions that were rolled back', async () => {
  const failed = await begin();
  const lost = await draw(failed);
  await failed.query('rollback');
  await reaches(Math.max(lost, await drawn()));
});

it('shares queries between callers, and takes no transaction id while no sequence is drawn', async () => {
  await reaches(await drawn());
  const before = database.db.statements;
  await Promise.all(Array.from({ length: 200 }, () => horizon.newest()));
  expect(database.db.statements - before).toBeLessThanOrEqual(8);
  const own = async (): Promise<string | null> => {
    const { rows } = await database.db.query<{ own: string | null }>(`select own from event_mark($1)`, [horizon.known]);
    return rows[0]!.own;
  };
  expect(await own()).toBeNull();
});
