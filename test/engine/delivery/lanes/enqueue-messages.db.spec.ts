import { WriteStatement } from '../../../../src/base/database/write-statement.js';
import { replay } from '../../../../src/engine/delivery/lanes/admin.js';
import { claim, due } from '../../../../src/engine/delivery/lanes/claim.js';
import { enqueueMessages } from '../../../../src/engine/delivery/lanes/enqueue.js';
import { Harness } from '../../../forwarding/harness.js';

let h: Harness;
const T = 'ten_messages';
const KEY = { tenantId: T, channel: 'webhook', id: 'whk_1' };
beforeAll(async () => {
  h = await Harness.start();
  await h.db.query(`insert into tenants (id, name) values ($1, 'messages')`, [T]);
  await h.db.transaction(T, (tx) => h.destinations.save(tx, KEY, { baseUrl: 'https://example.com' }));
});
afterAll(() => h.stop());
beforeEach(() => h.db.query(`delete from lanes where tenant_id = $1`, [T]));

async function enqueue(sequence: number, ordered = true): Promise<void> {
  const statement = new WriteStatement().subject(
    (p) => `select ${p.add(sequence, 'bigint')} as sequence, 'cand_1'::text as record, now() as at`,
  );
  enqueueMessages(statement, KEY, [{ id: KEY.id, ordered }], {
    part: { name: 'subject' },
    id: `'evt_' || m.sequence`,
    record: 'm.record',
    at: 'm.at',
  });
  await statement.run(h.db);
}
const lanes = async () =>
  (
    await h.db.query(
      `select subject, state, rank, first_pending::int as first, last_pending::int as last, failure_count,
         next_at > now() as waits
       from lanes where tenant_id = $1 order by subject`,
      [T],
    )
  ).rows;
const taken = async (inLineOnly: boolean): Promise<string[]> => {
  const destination = (await h.destinations.read(KEY))!;
  const policy = { active: 'post', inactive: 'post', deleted: 'post' };
  const options = { limit: 10, leaseMs: 60_000, mode: 'normal', policy, inLineOnly } as const;
  return (await claim(h.db, destination, options)).map(({ subject }) => subject);
};
/** The first message of the record has failed three times and waits for hours. */
const fail = () =>
  h.db.query(
    `update lanes set state = 'backing_off', rank = 3, next_at = now() + interval '5 hours', failure_count = 3
     where tenant_id = $1`,
    [T],
  );

it('gives each message a lane of its own, or a record one for all', async () => {
  for (const n of [1, 2]) await enqueue(n, false);
  expect(await lanes()).toMatchObject([
    { subject: 'evt_1', first: 1, last: 1 },
    { subject: 'evt_2', first: 2, last: 2 },
  ]);
  await h.db.query(`delete from lanes where tenant_id = $1`, [T]);
  for (const n of [3, 4]) await enqueue(n);
  expect(await lanes()).toMatchObject([{ subject: 'cand_1', state: 'due', rank: 1, first: 3, last: 4 }]);
});

it('a further message of a record leaves the pause and the attempts of the one before it', async () => {
  await enqueue(1);
  await fail();
  await enqueue(2);
  expect(await lanes()).toMatchObject([
    { subject: 'cand_1', state: 'backing_off', rank: 3, first: 1, last: 2, failure_count: 3, waits: true },
  ]);
});

it('lanes that stand aside are passed over, and found when they are looked for', async () => {
  await enqueue(1);
  await fail();
  expect((await due(h.db)).find(({ tenantId }) => tenantId === T)).toMatchObject({ aside: true });
  await h.db.query(`update lanes set next_at = now() where tenant_id = $1`, [T]);
  expect(await taken(true)).toEqual([]);
  expect(await taken(false)).toEqual(['cand_1']);
  await enqueue(2, false);
  expect((await due(h.db)).find(({ tenantId }) => tenantId === T)).toMatchObject({ aside: false });
});

describe('messages that are sent again', () => {
  const again = (...sequences: number[]) =>
    h.db.transaction(T, (tx) =>
      replay(
        tx,
        KEY,
        sequences.map((sequence) => ({ subject: 'cand_1', sequence: String(sequence) })),
      ),
    );

  it('have all their attempts, also before one that has used up some', async () => {
    await enqueue(5);
    await fail();
    expect(await again(2, 3)).toEqual([]);
    expect(await lanes()).toMatchObject([
      { subject: 'cand_1', state: 'due', rank: 2, first: 2, last: 5, failure_count: 0, waits: false },
    ]);
  });

  it('leave the pause and the attempts of one that comes first', async () => {
    await enqueue(1);
    await fail();
    await again(1, 2);
    expect(await lanes()).toMatchObject([
      { subject: 'cand_1', state: 'backing_off', rank: 3, first: 1, last: 2, failure_count: 3, waits: true },
    ]);
  });
});
