import { sharedApp, type TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import { eventually } from '../../../support/http.js';
import { long } from '../../../support/rounds.js';
import { bulk, fresh, madeGroup, madeUser, mail, replace, user } from '../../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

/** One more than a plan that is made within a request has. */
const MANY = 1_001;

const plan = async ({ api, directoryId }: House, query = '') => {
  const { status, body } = await api.get(`/directories/${directoryId}/preview${query}`);
  expect(status).toBe(200);
  return body;
};
const fileOf = async ({ api, directoryId }: House, query: string) => {
  const answer = await api.get(`/directories/${directoryId}/preview?format=${query}`);
  return { ...answer, lines: String(answer.text).trim().split(/\r?\n/) };
};
const ended = (at: House, id: string) =>
  eventually(
    async () => (await at.api.get(`/tasks/${id}`)).body,
    ({ state }) => state === 'done' || state === 'failed',
    60_000,
  );
const stored = async ({ tenantId, directoryId }: House) =>
  (
    await service.db.query<{ plans: number; users: number }>(
      `select (select count(*) from preview_plans where tenant_id = $1 and directory_id = $2)::int as plans,
         (select count(*) from preview_plan_users where tenant_id = $1 and directory_id = $2)::int as users`,
      [tenantId, directoryId],
    )
  ).rows[0]!;

async function crowd(at: House): Promise<void> {
  const tag = fresh();
  for (const [from, to] of [
    [0, 600],
    [600, MANY],
  ] as const) {
    const operations = Array.from({ length: to - from }, (_, i) => {
      return { method: 'POST', path: '/Users', bulkId: `b${i}`, data: user(`${tag}-${from + i}@crowd.example`) };
    });
    expect((await at.scim.post('/Bulk', bulk(operations))).status).toBe(200);
  }
}

describe('the plan of a directory with few users', () => {
  it('is kept, and made anew within the request when the directory has changed', async () => {
    const at = await newHouse(service, { state: 'preview' });
    expect(await plan(at)).toMatchObject({ stale: false, task_id: null, counts: { create: 0 }, data: [] });
    const id = await madeUser(at.scim, user(mail()));
    const first = await plan(at);
    expect(first).toMatchObject({ stale: false, counts: { create: 1, update: 0 } });
    expect(Date.now() - Date.parse(first.made_at)).toBeLessThan(60_000);
    await at.scim.patch(`/Users/${id}`, replace('active', false));
    expect((await plan(at)).counts).toMatchObject({ create: 0, take_seat: 0 });
    await at.scim.patch(`/Users/${id}`, replace('active', true));
    expect((await plan(at)).counts).toMatchObject({ create: 1, take_seat: 1 });
    expect((await at.scim.delete(`/Users/${id}`)).status).toBe(204);
    expect(await plan(at)).toMatchObject({ counts: { create: 0 }, data: [] });
    expect(await stored(at)).toEqual({ plans: 1, users: 0 });
  });

  long('is made anew when a rule, a member of its group or the default role has changed', async () => {
    const at = await newHouse(service, { state: 'preview', default_role: null });
    const id = await madeUser(at.scim, user(mail()));
    const group = await madeGroup(at.scim, []);
    const held = async () => (await plan(at)).data[0].held as string | null;
    expect(await held()).toBe('no_role');
    await at.api.put(`/directories/${at.directoryId}/rules`, { rules: [{ group_id: group, role: 'User' }] });
    expect(await held()).toBe('no_role');
    await at.scim.patch(`/Groups/${group}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'add', path: 'members', value: [{ value: id }] }],
    });
    expect(await held()).toBeNull();
    await at.api.put(`/directories/${at.directoryId}/rules`, { rules: [] });
    expect(await held()).toBe('no_role');
    await at.api.patch(`/directories/${at.directoryId}`, { default_role: 'User' });
    expect(await held()).toBeNull();
  });

  it('is listed by kind in pages, and exported as CSV and NDJSON', async () => {
    const at = await newHouse(service, { state: 'preview' });
    const names = [mail(), mail(), mail()];
    for (const name of names) await madeUser(at.scim, user(name));
    const linked = mail();
    await at.api.post('/users', { email: linked, first_name: 'A', last_name: 'B' });
    await at.scim.post('/Users', user(linked, { name: { givenName: 'C', familyName: 'B' } }));

    const first = await plan(at, '?kind=create&limit=2');
    const second = await plan(at, `?kind=create&limit=2&cursor=${encodeURIComponent(first.next_cursor)}`);
    const listed = [...first.data, ...second.data].map(({ user_name }: { user_name: string }) => user_name);
    expect([listed, second.next_cursor]).toEqual([names, null]);
    expect((await plan(at, '?kind=update')).data).toMatchObject([{ user_name: linked, would: ['link', 'update'] }]);

    const csv = await fileOf(at, 'csv');
    expect(csv.headers.get('content-type')).toMatch('text/csv');
    expect(csv.lines[0]).toBe(
      'user_id,user_name,would,fields,take_seat,held,role_from,role_to,status_from,status_to,seat_from,seat_to,console_from,console_to,made_at',
    );
    expect(csv.lines).toHaveLength(5);
    const of = csv.lines.find((line) => line.includes(linked))!;
    expect(of).toMatch(
      /^usr_\w+,[^,]+,link update,[a-z_ ]*first_name[a-z_ ]*,false,,User,User,active,active,held,held,none,none,20/,
    );
    const lines = (await fileOf(at, 'ndjson&kind=create')).lines.map((line) => JSON.parse(line) as { would: string[] });
    expect(lines.map(({ would }) => would)).toEqual([['create'], ['create'], ['create']]);
  });

  long('ends when the directory goes live or is deleted', async () => {
    for (const end of ['live', 'deleted']) {
      const at = await newHouse(service, { state: 'preview' });
      await madeUser(at.scim, user(mail()));
      expect((await plan(at)).counts.create).toBe(1);
      expect(await stored(at)).toEqual({ plans: 1, users: 1 });
      const path = `/directories/${at.directoryId}`;
      const answer = end === 'live' ? await at.api.patch(path, { state: 'live' }) : await at.api.delete(path);
      expect(answer.status).toBe(end === 'live' ? 200 : 204);
      expect(await stored(at)).toEqual({ plans: 0, users: 0 });
      const shown = await at.api.get(`${path}/preview`);
      if (end === 'deleted') expect(shown.status).toBe(404);
      else expect(shown.body).toMatchObject({ state: 'live', made_at: null, stale: false, counts: { create: 0 } });
      const again = await at.api.post(`${path}/preview/plan`);
      expect([again.status, again.body.code]).toEqual(end === 'live' ? [409, 'not_in_preview'] : [404, 'not_found']);
    }
  });
});

describe('the plan of a directory with many users', () => {
  long(
    'is made by a task that is asked for: reading it begins none, and shows how old it is',
    async () => {
      const at = await newHouse(service, { state: 'preview' });
      await crowd(at);
      expect(await plan(at)).toMatchObject({ made_at: null, stale: true, task_id: null, counts: null, data: [] });
      const early = await fileOf(at, 'csv');
      expect([early.status, early.body.code]).toEqual([409, 'plan_not_made']);
      const make = async () => (await at.api.post(`/directories/${at.directoryId}/preview/plan`)).body.id as string;
      expect(await ended(at, await make())).toMatchObject({ kind: 'preview.plan', state: 'done', done: MANY });

      // A write within the second before the plan leaves it stale: the plan is made again.
      const made = await eventually(
        async () => {
          const shown = await plan(at);
          if (shown.stale === true) await ended(at, await make());
          return shown;
        },
        ({ stale }) => stale === false,
        60_000,
      );
      expect(made).toMatchObject({ stale: false, task_id: null, counts: { create: MANY, take_seat: MANY } });
      expect((await fileOf(at, 'csv')).lines).toHaveLength(MANY + 1);
      expect(await plan(at)).toMatchObject({ made_at: made.made_at });

      await madeUser(at.scim, user(mail()));
      const shown = await plan(at);
      expect(shown).toMatchObject({ made_at: made.made_at, stale: true, task_id: null, counts: { create: MANY } });
      const { body: tasks } = await at.api.get('/tasks?limit=100');
      expect(tasks.data.filter(({ state }: { state: string }) => state === 'waiting' || state === 'running')).toEqual(
        [],
      );
      const asked = await at.api.post(`/directories/${at.directoryId}/preview/plan`);
      expect(asked.status).toBe(202);
      await ended(at, asked.body.id);
      expect((await plan(at)).counts).toMatchObject({ create: MANY + 1 });
      expect((await stored(at)).plans).toBe(1);
    },
    120_000,
  );
});

it('is unknown to another tenant', async () => {
  const at = await newHouse(service, { state: 'preview' });
  const other = await newHouse(service);
  const answer = await other.api.post(`/directories/${at.directoryId}/preview/plan`);
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
});
