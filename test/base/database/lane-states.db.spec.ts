import type { DataSource } from 'typeorm';
import { CreateDelivery1767225900000 } from '../../../src/base/database/migrations/1767225900000-create-delivery.js';
import { LaneStates1767227200000 } from '../../../src/base/database/migrations/1767227200000-lane-states.js';
import { digestOf, isKnown, type Call } from '../../../src/engine/delivery/call.js';
import { createDataSource } from '../../../src/start/data-source.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

// Lanes of the released version, in every state that they could have, get a state that fits their columns.
let database: TestDatabase;
let source: DataSource;
beforeAll(async () => {
  database = await testDatabase(2);
  source = createDataSource(database.url, 1);
  await source.initialize();
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

const TOKEN = '11111111-1111-4111-8111-111111111111';
const COPIED = {
  v: 1,
  n: 2,
  by: TOKEN,
  at: '2026-05-01T10:00:00Z',
  state: 'active',
  person: 'old',
  as: 'inactive',
  same: true,
  first: 5,
  through: 5,
  round: 0,
  epoch: 1,
  platform_id: 'hp',
  confirmed: 'active',
  lookup: null,
};
const CALLING = `calling = true, calls = 2, call_by = '${TOKEN}', call_as = 'inactive'`;
const LEASED = `lease_token = '${TOKEN}', lease_until = now() + interval '1 minute'`;
const PENDING = `first_pending = 5, pending_since = now()`;

const CASES: [name: string, set: string, expected: object][] = [
  [
    'idle',
    `platform_id = 'hp', confirmed_state = 'active', confirmed_person = 'body'`,
    { state: 'idle', account: 'bound', confirmed_digest: digestOf('body') },
  ],
  ['due', PENDING, { state: 'due', account: 'none', call: null }],
  [
    'leased',
    `${PENDING}, ${CALLING}, ${LEASED}`,
    { state: 'calling', call: expect.objectContaining({ n: 2, person: 'body', first: 5, through: 7, known: null }) },
  ],
  [
    'copied',
    `${PENDING}, ${CALLING}, ${LEASED}, call = '${JSON.stringify(COPIED)}'`,
    {
      state: 'calling',
      newer_since: new Date(COPIED.at),
      call: expect.objectContaining({ person: 'old', known: digestOf('old') }),
    },
  ],
  [
    'waits',
    `${PENDING}, ${CALLING}, next_at = now() + interval '1 hour', tries = 2, attempts = 1`,
    { state: 'backing_off', failure_count: 2, own_failure_count: 1, call: expect.objectContaining({ n: 2 }) },
  ],
  ['pause over', `${PENDING}, next_at = now() - interval '1 hour'`, { state: 'due' }],
  [
    'refused',
    `${PENDING}, parked = 'refused', parked_detail = 'no', parked_at = '2026-05-01T10:00:00Z'`,
    { state: 'parked', parked_reason: 'refused', failed_at: new Date('2026-05-01T10:00:00Z'), call: null },
  ],
  [
    'poisoned create',
    `${PENDING}, ${CALLING}, parked = 'poison', parked_at = now()`,
    { state: 'parked', account: 'lost', lookup: { why: 'lost' } },
  ],
  [
    'poisoned update',
    `${PENDING}, ${CALLING}, parked = 'poison', parked_at = now(), platform_id = 'hp', confirmed_state = 'active'`,
    { state: 'parked', account: 'bound', lookup: null, confirmed_state: null },
  ],
  ['without an id', `confirmed_state = 'active'`, { state: 'idle', account: 'unnamed' }],
  ['asking', `${PENDING}, lookup = '{"why":"conflict"}'`, { state: 'due', account: 'sought' }],
];

it('lanes of the released version get a state', async () => {
  const runner = source.createQueryRunner();
  await runner.query(`create schema released`);
  await runner.query(`set search_path to released`);
  await runner.query(`create table tenants (id text collate "C" primary key)`);
  await runner.query(`insert into tenants values ('ten_1')`);
  await new CreateDelivery1767225900000().up(runner);
  await runner.query(`insert into destinations (tenant_id, base_url) values ('ten_1', 'https://p.example')`);
  for (const [name, set] of CASES) {
    await runner.query(
      `insert into lanes (tenant_id, user_id, target_state, target_person, rank, last_pending, epoch)
       values ('ten_1', $1, 'active', 'body', 1, 7, 1)`,
      [name],
    );
    await runner.query(`update lanes set ${set} where user_id = $1`, [name]);
  }
  await new LaneStates1767227200000().up(runner);
  const rows = (await runner.query(`select * from lanes`)) as ({ subject: string; call: Call | null } & object)[];
  for (const [name, , expected] of CASES) {
    const row = rows.find(({ subject }) => subject === name);
    expect([name, row]).toEqual([name, expect.objectContaining(expected)]);
  }
  expect(isKnown(rows.find(({ subject }) => subject === 'copied')!.call!)).toBe(true);
  expect(await runner.query(`select channel, id from destinations`)).toEqual([{ channel: 'platform', id: 'main' }]);
  await runner.release();
});
