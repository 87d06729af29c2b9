import { EventReader, type EventRange } from '../../../src/engine/events/event-reader.js';
import { EventSources } from '../../../src/engine/events/event-source.js';
import { StoredEvents } from '../../../src/engine/events/stored-events.js';
import { UserEventSource } from '../../../src/forwarding/user-events.js';
import { userEventOf } from '../../../src/tenancy/identity/user-change.rules.js';
import type { ChangeKind } from '../../../src/tenancy/identity/person.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

const TENANT = 'ten_a';
const HOUR = 3_600_000;
const PERSON = '{"email":"a@example.com","first_name":"A","last_name":"B","role":"User","external_id":null}';
const NOW = Date.now();

let database: TestDatabase;
let reader: EventReader;
/** Sequence and name of every event, oldest first. */
const all: { sequence: string; event: string; at: number }[] = [];

/** The 30 hours before now: three rows an hour, in two months at most; another tenant has rows in between. */
beforeAll(async () => {
  database = await testDatabase();
  const sources = new EventSources();
  sources.add(new StoredEvents(database.db));
  sources.add(new UserEventSource(database.db));
  reader = new EventReader(sources);
  await database.owner.execute(`insert into tenants (id, name) values ('${TENANT}', 'A'), ('ten_b', 'B')`);
  const kinds: ChangeKind[] = ['created', 'updated', 'updated', 'deactivated'];
  for (let i = 0; i < 30; i++) {
    const at = new Date(NOW - (30 - i) * HOUR);
    const event = i === 3 ? 'job.synced' : 'candidate.updated';
    await add(event, at, `cand_${i % 5}`);
    await database.owner.query(`insert into events (tenant_id, event, data) values ('ten_b', 'domain.lost', '{}')`);
    const kind = kinds[i % 4]!;
    const changed = i % 4 === 1 ? [] : ['last_name'];
    await change(kind, changed, i === 5, at, `usr_${i % 5}`);
  }
});
afterAll(() => database.close());

async function add(event: string, at: Date, record: string): Promise<void> {
  const { rows } = await database.owner.query<{ sequence: string }>(
    `insert into events (tenant_id, event, at, record, data) values ($1, $2, $3, $4, '{}') returning sequence`,
    [TENANT, event, at, record],
  );
  all.push({ sequence: rows[0]!.sequence, event, at: at.getTime() });
}

async function change(kind: ChangeKind, changed: string[], linked: boolean, at: Date, user: string): Promise<void> {
  const { rows } = await database.owner.query<{ sequence: string }>(
    `insert into changes (tenant_id, user_id, kind, forwarded, changed, person, linked, source, received_at, occurred_at)
     values ($1, $2, $3, true, $4, $5, $6, '{}', $7, $7) returning sequence`,
    [TENANT, user, kind, changed, PERSON, linked, at],
  );
  const event = userEventOf({ kind, changed }, linked);
  if (event !== null) all.push({ sequence: rows[0]!.sequence, event, at: at.getTime() });
}

const shown = (events: readonly { sequence: string; event: string }[]) =>
  events.map(({ sequence, event }) => `${sequence} ${event}`);
const page = (range: Partial<EventRange>) => reader.page(TENANT, { limit: 1_000, newestFirst: false, ...range });

it('reads all events in order, in both directions and in parts of any size', async () => {
  expect(shown(await page({}))).toEqual(shown(all));
  expect(shown(await page({ newestFirst: true }))).toEqual(shown([...all].reverse()));
  for (const limit of [1, 2, 7]) {
    const seen = [];
    for (let after = '0'; ;) {
      const { events, through } = await reader.part(TENANT, { after, limit, newestFirst: false });
      seen.push(...events);
      if (through === null) break;
      after = through;
    }
    expect(shown(seen)).toEqual(shown(all));
  }
});

it.each([
  ['one name of a table', ['job.synced']],
  ['names of both', ['candidate.updated', 'user.updated']],
  ['a name that nothing has', ['domain.lost']],
] as const)('reads %s', async (_, names) => {
  const expected = all.filter(({ event }) => (names as readonly string[]).includes(event));
  expect(shown(await page({ names }))).toEqual(shown(expected));
  expect(shown(await page({ names, newestFirst: true, limit: 3 }))).toEqual(shown([...expected].reverse().slice(0, 3)));
});

it('reads events since a moment, between two places', async () => {
  const since = new Date(NOW - 10.5 * HOUR);
  const expected = all.filter(({ at }) => at >= since.getTime());
  expect(shown(await page({ since }))).toEqual(shown(expected));
  expect(shown(await page({ since, newestFirst: true, limit: 4 }))).toEqual(shown([...expected].reverse().slice(0, 4)));
  const [after, through] = [all[5]!.sequence, all[9]!.sequence];
  expect(shown(await page({ after, through }))).toEqual(shown(all.slice(6, 10)));
});

it('reads events by their sequences, and none of another tenant', async () => {
  const wanted = [all[8]!, all[1]!, all[2]!];
  const found = await reader.bySequences(TENANT, [...wanted.map(({ sequence }) => sequence), '999999']);
  expect(shown(found)).toEqual(shown([all[1]!, all[2]!, all[8]!]));
  expect(await reader.bySequences('ten_b', [all[1]!.sequence])).toEqual([]);
});

it('finds the next event of each record in its range', async () => {
  const [whole, rest] = [
    { from: '0', through: '9999' },
    { from: all[9]!.sequence, through: '9999' },
  ];
  const next = await reader.nextOf(
    TENANT,
    [
      { record: 'cand_0', ...whole },
      { record: 'cand_1', ...rest },
      { record: 'usr_1', ...whole },
      { record: 'usr_2', from: '0', through: '1' },
      { record: 'cand_none', ...whole },
    ],
    null,
  );
  expect([...next.keys()].sort()).toEqual(['cand_0', 'cand_1', 'usr_1']);
  expect(next.get('cand_0')!.sequence).toBe(all[0]!.sequence);
  expect(Number(next.get('cand_1')!.sequence)).toBeGreaterThanOrEqual(Number(all[9]!.sequence));
  // The first change of this user is of the resource alone.
  expect(next.get('usr_1')!.event).toBe('user.updated');
  const named = await reader.nextOf(TENANT, [{ record: 'usr_1', ...whole }], ['user.deactivated']);
  expect(named.get('usr_1')?.event).toBe('user.deactivated');
});

it('lists the events of a record, newest first', async () => {
  const found = await reader.ofRecord(TENANT, 'usr_0', 2);
  expect(found).toHaveLength(2);
  expect(Number(found[0]!.sequence)).toBeGreaterThan(Number(found[1]!.sequence));
  expect(found.every(({ record }) => record === 'usr_0')).toBe(true);
});

it('refuses a second source of the same events', () => {
  const sources = new EventSources();
  sources.add(new StoredEvents(database.db));
  expect(() => sources.add(new StoredEvents(database.db))).toThrow('two sources of');
});
