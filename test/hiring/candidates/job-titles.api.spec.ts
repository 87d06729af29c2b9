import { sharedApp, type TestApp } from '../../support/app.js';
import { candidate, eventsOf } from '../../support/candidates.js';
import { eventually } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { long } from '../../support/rounds.js';
import { fresh } from '../../support/scim.js';

let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
});
afterAll(() => service.close());

const put = async (key: string, title: string) =>
  (await house.api.put(`/jobs/by-external-id/${encodeURIComponent(key)}`, { title })).body as { id: string };
const made = async (opening: unknown, more: object = {}) =>
  (await house.api.post('/candidates', candidate({ metadata: { job_opening_id: opening }, ...more }))).body;
const titleOf = async (id: string) => (await house.api.get(`/candidates/${id}`)).body.job_title as string | null;
const eventNames = async (id: string) => (await eventsOf(service, house.tenantId, id)).map(({ event }) => event);

it('takes the title of the opening that the metadata names, by external_id, by id, or by a number', async () => {
  const key = String(Number.parseInt(fresh('9').replaceAll(/\D/g, ''), 10));
  const { id } = await put(key, 'Cook');
  expect([(await made(key)).job_title, (await made(id)).job_title, (await made(Number(key))).job_title]).toEqual([
    'Cook', 'Cook', 'Cook',
  ]); // prettier-ignore
  expect((await made(key, { job_title: 'Chef' })).job_title).toBe('Chef');
  expect((await made('no such opening')).job_title).toBeNull();
});

it('follows a rename, with an event for each candidate, unless a caller has set the title', async () => {
  const key = fresh('rename-');
  const early = await made(key);
  expect(early.job_title).toBeNull();
  const { id } = await put(key, 'Cook');
  expect(await titleOf(early.id)).toBe('Cook');
  const byId = await made(id);
  const set = await made(key, { job_title: 'Chef' });
  await put(key, 'Head Cook');
  expect(await Promise.all([early, byId, set].map((one) => titleOf(one.id)))).toEqual([
    'Head Cook',
    'Head Cook',
    'Chef',
  ]);
  expect(await eventNames(early.id)).toEqual(['candidate.created', 'candidate.updated', 'candidate.updated']);
  expect(await eventNames(byId.id)).toEqual(['candidate.created', 'candidate.updated']);
  expect(await eventNames(set.id)).toEqual(['candidate.created']);
  const { data } = (await eventsOf(service, house.tenantId, early.id)).at(-1)!;
  expect(JSON.parse(data)).toEqual({ ...(await house.api.get(`/candidates/${early.id}`)).body, sequence: 3 });
});

it('shows whether a title follows its opening after it is set, sent back or cleared', async () => {
  const key = fresh('back-');
  await put(key, 'Cook');
  const { id, ...read } = await made(key);
  await house.api.patch(`/candidates/${id}`, read);
  await put(key, 'Head Cook');
  expect(await titleOf(id)).toBe('Head Cook');
  await house.api.patch(`/candidates/${id}`, { job_title: 'Chef' });
  await put(key, 'Cook again');
  expect(await titleOf(id)).toBe('Chef');
  expect((await house.api.patch(`/candidates/${id}`, { job_title: null })).body.job_title).toBe('Cook again');
  const other = fresh('other-');
  await put(other, 'Baker');
  expect((await house.api.patch(`/candidates/${id}`, { metadata: { job_opening_id: other } })).body.job_title).toBe(
    'Baker',
  );
  expect((await house.api.patch(`/candidates/${id}`, { metadata: {} })).body.job_title).toBeNull();
});

it('writes no cached title of another process after a rename', async () => {
  const key = fresh('remembered-');
  await put(key, 'Old');
  expect((await made(key)).job_title).toBe('Old');
  // As another process would: this one is not told.
  await service.db.query(`update job_openings set title = 'New' where tenant_id = $1 and external_id = $2`, [
    house.tenantId,
    key,
  ]);
  expect((await made(key)).job_title).toBe('New');
});

long('gives candidates that are written during renames the last title', async () => {
  const key = fresh('race-');
  const made20 = Array.from({ length: 60 }, async (_, i) => {
    await new Promise((resolve) => setTimeout(resolve, i * 3));
    return made(key);
  });
  const renames = (async () => {
    for (let i = 0; i < 12; i++) await put(key, `Title ${i}`);
  })();
  const [candidates] = await Promise.all([Promise.all(made20), renames]);
  const last = (await house.api.get(`/jobs?external_id=${key}`)).body.data[0].title;
  expect(last).toBe('Title 11');
  const titles = await Promise.all(candidates.map(({ id }) => titleOf(id)));
  expect(titles.filter((title) => title !== last)).toEqual([]);
  for (const { id } of candidates) {
    const sequences = (await eventsOf(service, house.tenantId, id)).map(({ data }) => JSON.parse(data).sequence);
    expect(sequences).toEqual(sequences.map((_, i) => i + 1));
  }
});

long(
  'neither fails nor deadlocks when writes of candidates and renames run at once',
  async () => {
    const key = fresh('meet-');
    await put(key, 'Title');
    const candidates = await Promise.all(Array.from({ length: 3 }, () => made(key)));
    const deadlocks = async () => {
      const { rows } = await service.db.execute<{ n: string }>(
        `select deadlocks as n from pg_stat_database where datname = current_database()`,
      );
      return rows[0]!.n;
    };
    const before = await deadlocks();
    let renames = 0;
    const statuses = new Map<number, number>();
    const repeat = async (times: number, send: (i: number) => Promise<{ status: number }>) => {
      for (let i = 0; i < times; i++) {
        const { status } = await send(i);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const opening = (i: number) => ({ metadata: { job_opening_id: i % 2 === 0 ? key : 'none', i } });
    await Promise.all([
      ...[1, 2].map(() => repeat(40, () => house.api.put(`/jobs/by-external-id/${key}`, { title: `T${renames++}` }))),
      ...Array.from({ length: 12 }, (_, w) =>
        repeat(25, (i) => house.api.patch(`/candidates/${candidates[w % 3]!.id}`, opening(i + w))),
      ),
    ]);
    expect([...statuses.keys()]).toEqual([200]);
    // The counter of the database comes with some delay.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await deadlocks()).toBe(before);
  },
  60_000,
);

long('updates the candidates after the first 500 in a task', async () => {
  const key = fresh('many-');
  await put(key, 'Before');
  await service.db.query(
    `insert into candidates (tenant_id, id, external_id, email, email_key, first_name, last_name, job_title, job_title_set,
       metadata, job_opening_id, sequence, created_at, updated_at)
     select $1, 'cand_many' || lpad(i::text, 5, '0'), 'many-' || i, 'm@x.example', 'm@x.example', 'A', 'B', 'Before', false,
       json_build_object('job_opening_id', $2::text), $2, 1, now(), now() from generate_series(1, 730) i`,
    [house.tenantId, key],
  );
  await put(key, 'After');
  const counted = () =>
    service.db.query<{ titled: number; told: number }>(
      `select (select count(*)::int from candidates c where c.tenant_id = $1 and c.job_opening_id = $2 and c.job_title = 'After') as titled,
         (select count(*)::int from events e where e.tenant_id = $1 and e.record like 'cand_many%') as told`,
      [house.tenantId, key],
    );
  expect((await counted()).rows[0]!.titled).toBeGreaterThanOrEqual(500);
  const { rows } = await eventually(counted, (found) => found.rows[0]!.titled === 730);
  expect(rows[0]).toEqual({ titled: 730, told: 730 });
  const tasks = await eventually(
    () => house.api.get('/tasks?kind=candidates.retitle'),
    ({ body }) => body.data[0]?.state === 'done',
  );
  expect(tasks.body.data).toHaveLength(1);
});
