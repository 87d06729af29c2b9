import { newId } from '../../src/base/ids.js';
import { HeadsRepository } from '../../src/tenancy/ledger/heads.repository.js';
import { ExportVerifier, seal, type SealedEntry } from '../../src/seats/ledger/chain.rules.js';
import { Reconciliation } from '../../src/seats/reconciliation.js';
import { SEALED_ENTRY_COLUMNS } from '../../src/seats/seat-chain.js';
import { startApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { eventually } from '../support/http.js';
import { long } from '../support/rounds.js';
import { fresh } from '../support/scim.js';

// Ledgers as versions before have sealed them: in the order of the ids as text.
let service: TestApp;
let sealChain: string;
/** The refusal by which the database keeps a batch in the order of its ids. */
const REFUSAL = /if p_ids <> array\([^;]*;\s*end if;/;

/** Makes the database seal lines in any order, as that of a version before did. */
async function asBefore(): Promise<void> {
  await service.db.execute(`delete from tasks where kind = 'seats.correct'`);
  await service.db.execute(sealChain.replace(REFUSAL, ''));
}

/** Makes the database refuse such batches, and gives each ledger that has no such task the task that corrects it. */
async function upgrade(): Promise<void> {
  await service.db.execute(sealChain);
  const { rows } = await service.db.execute<{ id: string }>(
    `select h.tenant_id as id from chain_heads h where h.chain = 'seats' and h.sequence > 1
       and not exists (select 1 from tasks t where t.tenant_id = h.tenant_id and t.kind = 'seats.correct')`,
  );
  await service.db.execute(
    `insert into tasks (tenant_id, id, kind, payload, created_by)
     select tenant_id, id, 'seats.correct', '{}', '{"kind":"system","id":"system","name":"upgrade"}'
     from unnest($1::text[], $2::text[]) as t(tenant_id, id)`,
    [rows.map(({ id }) => id), rows.map(() => newId('tsk'))],
  );
}

beforeAll(async () => {
  service = await startApp();
  const { rows } = await service.db.execute<{ text: string }>(
    `select pg_get_functiondef(oid) as text from pg_proc where proname = 'seal_chain'`,
  );
  sealChain = rows[0]!.text;
  expect(sealChain).toMatch(REFUSAL);
});
afterAll(() => service.close());

type Line = readonly [kind: string, userId: string | null, delta: number, role?: string | null, details?: object];

/** Writes lines around the next power of ten, the fourth with it as id, and seals them as the version before did. */
async function sealAsText(at: House, lines: readonly Line[]): Promise<void> {
  const heads = service.app.nest.get(HeadsRepository);
  await heads.ready();
  await service.db.transaction(at.tenantId, async (tx) => {
    const head = (await heads.lockHead(tx, at.tenantId, 'seats', true))!;
    await tx.query(
      `select setval('seat_entry_sequence', (10 ^ length((last_value + 3)::text))::bigint - 3, false) from seat_entry_sequence`,
    );
    for (const [kind, userId, delta, role = 'User', details = null] of lines) {
      await tx.query(
        `insert into seat_entries (tenant_id, kind, user_id, delta, role, details, reason, source)
         values ($1, $2, $3, $4, $5, $6, 'test', '{"surface":"scim"}')`,
        [at.tenantId, kind, userId, delta, role, details === null ? null : JSON.stringify(details)],
      );
    }
    const { rows } = await tx.query<SealedEntry>(
      `select ${SEALED_ENTRY_COLUMNS} from seat_entries where tenant_id = $1 and sequence is null order by seat_entries.entry_id::text`,
      [at.tenantId],
    );
    const entries = seal(head, rows);
    await heads.sealHead(tx, at.tenantId, 'seats', head, {
      ids: entries.map((entry) => entry.entry_id),
      hashes: entries.map((entry) => entry.hash),
      counts: entries.map((entry) => entry.count_after),
      effectiveAt: entries.map((entry) => entry.effective_at),
      sealedThrough: entries.at(-1)!.effective_at,
    });
  });
}

const madeBy = async ({ api }: House, more: object = {}): Promise<string> =>
  (await api.post('/users', { email: `${fresh()}@x.example`, first_name: 'A', last_name: 'B', ...more })).body.id;
const verify = async ({ api }: House) => (await api.post('/seats/verify', {})).body;
const reconcile = async ({ api }: House, body: object = {}) => (await api.post('/seats/reconcile', body)).body;
const holders = async ({ api }: House, query = ''): Promise<string[]> =>
  (await api.get(`/seats/holders${query}`)).body.data.map((one: { user_id: string }) => one.user_id);
const corrections = async ({ api }: House) =>
  (await api.get('/seats/events?kind=correction')).body.data as SealedEntry[];
const NOTHING = { missing_in_ledger: [], extra_in_ledger: [], out_of_order: [], more: false, repaired: 0 };

interface Wrong extends House {
  stays: string;
  left: string;
  cameBack: string;
}

/** A tenant whose lines were sealed across 9 and 10: who left is sealed as who came, and the other way round. */
async function wrongHouse(): Promise<Wrong> {
  const at = await newHouse(service);
  const [stays, cameBack, left] = [await madeBy(at), await madeBy(at), await madeBy(at, { status: 'inactive' })];
  expect(await verify(at)).toMatchObject({ ok: true, count: 2 });
  await asBefore();
  await sealAsText(at, [
    ['release', cameBack, -1],
    ['update', stays, 0, 'Admin'],
    ['claim', left, 1],
    ['release', left, -1],
    ['claim', cameBack, 1],
    ['update', stays, 0, 'User'],
  ]);
  return { ...at, stays, left, cameBack };
}

long('names the users whose lines are in a wrong order, in verify and in reconcile', async () => {
  const at = await wrongHouse();
  const { left, cameBack, stays } = at;
  // The upgrade has been done for this tenant.
  await service.db.query(
    `insert into tasks (tenant_id, id, kind, state, payload, created_by)
     values ($1, 'tsk_done', 'seats.correct', 'done', '{}', '{}')`,
    [at.tenantId],
  );
  await upgrade();
  // The last three are sealed before the first three.
  const found = await verify(at);
  expect(found).toMatchObject({
    ok: false,
    code: 'holders differ',
    count: 2,
    problem: expect.stringMatching(/^lines \d+ and \d+ about usr_/),
  });
  const named = Object.fromEntries(
    found.differences.map((one: { user_id: string; lines: number[][] }) => [one.user_id, one]),
  );
  expect(Object.keys(named).sort()).toEqual([left, cameBack, stays].sort());
  expect(named[left]).toMatchObject({ in_force: false, in_ledger: false, lines: [[3, 8]], days: [] });
  expect(named[cameBack]).toMatchObject({ in_force: true, in_ledger: true, lines: [[4, 6]] });
  expect(named[stays]).toMatchObject({ in_force: true, in_ledger: true, lines: [[5, 7]] });
  const compared = await reconcile(at);
  expect(compared).toMatchObject({ missing_in_ledger: [cameBack], extra_in_ledger: [left], repaired: 0 });
  expect(compared.out_of_order).toHaveLength(3);
  // The sum of the lines is right already.
  expect((await holders(at)).sort()).toEqual([stays, cameBack].sort());

  expect(await reconcile(at, { repair: true })).toMatchObject({ repaired: 3 });
  expect(await reconcile(at)).toEqual(NOTHING);
  expect(await verify(at)).toMatchObject({ ok: true, count: 2, holders: 2 });
  expect(
    (await corrections(at))
      .map(({ user_id, reason, source }) => [user_id, reason, (source as { surface: string }).surface])
      .sort(),
  ).toEqual([left, cameBack, stays].map((id) => [id, 'wrong_order', 'api']).sort());
});

long('corrects each such ledger once at an upgrade, by lines that name the two wrong lines', async () => {
  const at = await wrongHouse();
  const whole = await newHouse(service);
  const holder = await madeBy(whole);
  const other = await madeBy(whole);
  await verify(whole);
  const before = (await at.api.get('/seats/events?format=ndjson')).text;
  await upgrade();
  await upgrade();
  for (const each of [at, whole]) {
    const tasks = await eventually(
      () => each.api.get('/tasks?kind=seats.correct'),
      ({ body }) => body.data[0]?.state === 'done',
    );
    expect(tasks.body.data).toMatchObject([{ done: each === at ? 3 : 2, result: { corrected: each === at ? 3 : 0 } }]);
  }
  expect(await verify(at)).toMatchObject({ ok: true, count: 2, holders: 2, entries: 11 });
  expect(await reconcile(at)).toEqual(NOTHING);
  expect((await at.api.get('/seats')).body.used).toBe(2);
  const lines = await corrections(at);
  const own = (id: string) => lines.find(({ user_id }) => user_id === id)!;
  expect(own(at.left)).toMatchObject({
    delta: 0,
    count_after: 2,
    details: { holds: false, first: { sequence: 3 }, second: { sequence: 8 } },
    actor: 'upgrade',
    channel: 'system',
  });
  expect(own(at.cameBack)).toMatchObject({ delta: 0, role: 'User', details: { holds: true } });
  // No line was changed, and the whole ledger verifies without the service.
  const { text } = await at.api.get('/seats/events?format=ndjson');
  expect(text.startsWith(before)).toBe(true);
  const verifier = new ExportVerifier();
  for (const line of text.trim().split('\n')) verifier.take(JSON.parse(line) as SealedEntry);
  expect(verifier.verdict()).toMatchObject({ ok: true, count: 2 });

  // Today, and at the moment after the wrong lines: who had left is no holder.
  const moment = encodeURIComponent((JSON.parse(before.trim().split('\n').at(-1)!) as SealedEntry).effective_at);
  for (const query of ['', `?as_of=${moment}`])
    expect((await holders(at, query)).sort()).toEqual([at.stays, at.cameBack].sort());
  const roles = (await at.api.get(`/seats/holders?as_of=${moment}`)).body.data as { user_id: string; role: string }[];
  expect(roles.find(({ user_id }) => user_id === at.stays)!.role).toBe('User');
  const today = new Date().toISOString().slice(0, 10);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const [day] = (await at.api.get(`/seats/usage?from=${today}&to=${tomorrow}`)).body.data;
  expect(day).toMatchObject({ end: 2, distinct_holders: 3 });

  const [told] = (await at.api.get('/events?event=ledger.corrected')).body.data;
  expect(told).toMatchObject({ severity: 'warning', data: { chain: 'seats', corrections: 3 } });
  expect(told.data.corrected).toContainEqual({ user_id: at.left, holds: false, lines: [3, 8] });
  expect((await whole.api.get('/events?event=ledger.corrected')).body.data).toEqual([]);
  expect((await holders(whole)).sort()).toEqual([holder, other].sort());
  // A process of the version before cannot make another pair.
  await expect(
    sealAsText(whole, [
      ['update', holder, 0],
      ['update', other, 0],
      ['claim', at.left, 1],
      ['release', at.left, -1],
    ]),
  ).rejects.toThrow('in the order of their ids');
});

long('shows the limit that was set last when its lines are in a wrong order', async () => {
  const at = await newHouse(service);
  await asBefore();
  const set = (limit: number) => ({ limit, policy: { directory: 'wait', api: 'wait', sign_in: 'wait' } });
  await sealAsText(at, [
    ['limit', null, 0, null, set(1)],
    ['limit', null, 0, null, set(3)],
    ['limit', null, 0, null, set(5)],
    ['limit', null, 0, null, set(7)],
  ]);
  await upgrade();
  const now = encodeURIComponent(new Date().toISOString());
  expect((await at.api.get(`/seats?as_of=${now}`)).body.limit).toBe(7);
  const today = new Date().toISOString().slice(0, 10);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  expect((await at.api.get(`/seats/usage?from=${today}&to=${tomorrow}`)).body.data[0].limit).toBe(7);
  await eventually(
    () => corrections(at),
    (lines) => lines.length === 3,
  );
  expect((await corrections(at))[0]).toMatchObject({
    user_id: null,
    delta: 0,
    details: { limit: null, first: { sequence: 1 } },
  });
  expect(await verify(at)).toMatchObject({ ok: true });
});

long('finds and corrects lines that were written in a wrong order, and a sum that is wrong', async () => {
  const at = await newHouse(service);
  const [a, b, c] = [
    await madeBy(at),
    await madeBy(at, { status: 'inactive' }),
    await madeBy(at, { status: 'inactive' }),
  ];
  const add = (user: string, delta: number) =>
    service.db.query(
      `insert into seat_entries (tenant_id, kind, user_id, delta, reason, source)
       values ($1, case $3::int when 1 then 'claim' else 'release' end, $2, $3::int, 'test', '{}')`,
      [at.tenantId, user, delta],
    );
  await add(a, 1);
  await add(b, -1);
  await add(b, 1);
  await add(c, -1);
  expect((await verify(at)).differences.map((one: { user_id: string }) => one.user_id).sort()).toEqual(
    [a, b, c].sort(),
  );
  expect(await reconcile(at, { repair: true })).toMatchObject({
    missing_in_ledger: [a],
    extra_in_ledger: [b, c].sort(),
    repaired: 3,
  });
  expect(await verify(at)).toMatchObject({ ok: true, count: 1, holders: 1 });
  expect(await reconcile(at)).toEqual(NOTHING);
  expect(await holders(at)).toEqual([a]);
});

long('reads 100 000 lines in batches, and corrects one user in their middle', async () => {
  const at = await newHouse(service);
  const wrong = `usr_${String(25_000).padStart(26, '0')}`;
  // One user comes and leaves in the wrong order among 50 000 who do so in the right one.
  await service.db.execute(
    `insert into seat_entries (tenant_id, entry_id, kind, user_id, delta, reason, source, sequence, count_after, effective_at)
     select $1, 10000000 + n * 2 + case when (d > 0) = (n <> 25000) then 0 else 1 end, case when d > 0 then 'claim' else 'release' end,
       'usr_' || lpad(n::text, 26, '0'), d, 'test', '{}', n * 2 + p, 0, now()
     from generate_series(0, 49999) n cross join (values (1, 1), (2, -1)) s(p, d)`,
    [at.tenantId],
  );
  const { found, more } = await service.app.nest.get(Reconciliation).compare(at.tenantId);
  expect([found.map((one) => [one.user_id, one.differs]), more]).toEqual([[[wrong, false]], false]);
  await service.db.query(
    `insert into tasks (tenant_id, id, kind, payload, created_by)
     values ($1, 'tsk_long', 'seats.correct', '{}', '{"kind":"system","id":"system","name":"upgrade"}')`,
    [at.tenantId],
  );
  const task = await eventually(
    () => at.api.get('/tasks/tsk_long'),
    ({ body }) => body.state === 'done',
  );
  expect(task.body).toMatchObject({ done: 50_000, result: { corrected: 1 } });
});
