import { sharedApp, type TestApp } from '../../../support/app.js';
import { newHouse, show, type House } from '../../../support/house.js';
import { eventually, type Answer, type Client } from '../../../support/http.js';
import { madeUser, mail, replace, scim, user } from '../../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

/** A switch whose new directory is live, and has linked the first of the users. */
interface Switched {
  at: House;
  next: { id: string; scim: Client };
  ids: string[];
}

/** Of 15 users, or fewer, three may leave. */
const GUARD = { percent: 20, people: 200, at_least: 3, within_minutes: 60, day_percent: 30 };

async function switched(users: number, linked = 1): Promise<Switched> {
  const at = await newHouse(service);
  const ids: string[] = [];
  for (let i = 0; i < users; i++) ids.push(await madeUser(at.scim, user(mail())));
  const { id, token } = await service.newDirectory(at.tenantId, { takes_over: at.directoryId, guard: GUARD });
  const next = { id, scim: scim(service.url, token) };
  for (const user of ids.slice(0, linked)) await next.scim.patch(`/Users/${user}`, replace('title', 'linked'));
  return { at, next, ids };
}

const list = ({ at, next }: Switched, query = ''): Promise<Answer> =>
  at.api.get(`/directories/${next.id}/unlinked${query}`);
const deactivate = ({ at, next }: Switched, body: object = {}): Promise<Answer> =>
  at.api.post(`/directories/${next.id}/unlinked/deactivate`, body);
const done = async (of: Switched, body: object = {}) => {
  const begun = await deactivate(of, body);
  expect(begun.status).toBe(202);
  return eventually(
    async () => (await of.at.api.get(`/tasks/${begun.body.id}`)).body,
    ({ state }) => state === 'done' || state === 'failed',
  );
};
const idsIn = ({ body }: Answer): string[] => body.data.map(({ user_id }: { user_id: string }) => user_id);

describe('200', () => {
  it('lists the active users that the new directory has not linked, in pages and as a file', async () => {
    const of = await switched(5);
    await of.at.scim.patch(`/Users/${of.ids[4]}`, replace('active', false)); // a departure passes
    const first = await list(of, '?limit=2');
    const second = await list(of, `?limit=2&cursor=${encodeURIComponent(first.body.next_cursor)}`);
    expect([...idsIn(first), ...idsIn(second)]).toEqual(of.ids.slice(1, 4));
    expect(first.body.data[0]).toMatchObject({ role: 'User', seat: 'held', held: null });
    const lines = (await list(of, '?format=csv')).text.trim().split('\r\n');
    expect(lines[0]).toBe('user_id,user_name,email,first_name,last_name,role,seat,held,updated_at');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(of.ids.slice(1, 4));
    expect((await list(of, '?format=ndjson')).text.trim().split('\n')).toHaveLength(3);
  });
});

it('lists no user of a directory that takes over no other one', async () => {
  const of = await switched(1);
  const alone = { ...of, next: { ...of.next, id: of.at.directoryId } };
  expect(await list(alone)).toMatchObject({ status: 200, body: { data: [], next_cursor: null } });
});

describe('202', () => {
  it('deactivates the users as users of the new directory, after a dry run with the same number', async () => {
    const of = await switched(4);
    const dry = await deactivate(of, { dry_run: true });
    expect([dry.status, dry.body]).toEqual([200, { count: 3 }]);
    const changed = await deactivate(of, { count: 2 });
    expect([changed.status, changed.body.code, changed.body.count]).toEqual([409, 'count_changed', 3]);
    expect(await done(of, { count: 3 })).toMatchObject({
      kind: 'unlinked.deactivate',
      state: 'done',
      done: 3,
      total: 3,
      result: { deactivated: 3, held: 0, left_out: 0 },
    });
    for (const id of of.ids.slice(1)) {
      expect(await show(of.at, id)).toMatchObject({ status: 'inactive', managed_by: { id: of.next.id }, held: null });
      expect((await of.next.scim.get(`/Users/${id}`)).body.active).toBe(false);
    }
    expect(await show(of.at, of.ids[0]!)).toMatchObject({ status: 'active' });
    expect((await list(of)).body.data).toEqual([]);
    // The IdP of the new directory can bring a user back.
    await of.next.scim.patch(`/Users/${of.ids[1]}`, replace('active', true));
    expect(await show(of.at, of.ids[1]!)).toMatchObject({ status: 'active' });
  });

  it('leaves the departures above the limit to the guard of the new directory', async () => {
    const of = await switched(9);
    expect(await done(of)).toMatchObject({ state: 'done', result: { deactivated: 3, held: 5, left_out: 0 } });
    const guard = await of.at.api.get(`/directories/${of.next.id}/guard`);
    expect(guard.body).toMatchObject({ held: 5, window: { counted: 3 } });
    const states = await Promise.all(of.ids.map(async (id) => (await show(of.at, id)).status as string));
    expect(states.filter((status) => status === 'inactive')).toHaveLength(3);
  });

  it('leaves out users of a list who are not unlinked, each with the reason', async () => {
    const of = await switched(3);
    const ended = await done(of, { user_ids: [of.ids[0], of.ids[1]] });
    expect(ended).toMatchObject({ done: 2, result: { deactivated: 1, held: 0, left_out: 1 } });
    const { body } = await of.at.api.get(`/tasks/${ended.id}/left-out`);
    expect(body.data).toMatchObject([{ reason: 'not_unlinked' }]);
    expect(await show(of.at, of.ids[2]!)).toMatchObject({ status: 'active' });
  });
});

describe('404', () => {
  it('knows no directory of another tenant, and no single user who is not unlinked', async () => {
    const of = await switched(2);
    const other = { ...of, at: await newHouse(service) };
    expect([(await list(other)).status, (await deactivate(other)).status]).toEqual([404, 404]);
    expect((await deactivate(of, { user_ids: [of.ids[0]] })).status).toBe(404);
  });
});

describe('409', () => {
  it('refuses a directory in preview, and to deactivate users of one that takes over no other one', async () => {
    const of = await switched(1);
    const refusal = async ({ status, body }: Answer) => [status, body.code];
    const alone = { ...of, next: { ...of.next, id: of.at.directoryId } };
    expect(await refusal(await deactivate(alone))).toEqual([409, 'no_take_over']);
    await of.at.api.patch(`/directories/${of.next.id}`, { state: 'preview' });
    expect(await refusal(await list(of))).toEqual([409, 'no_take_over']);
    expect(await refusal(await deactivate(of))).toEqual([409, 'no_take_over']);
  });

  it('refuses while the task of going live still links users', async () => {
    const of = await switched(2);
    await service.db.query(
      `insert into tasks (tenant_id, id, kind, payload, created_by, directory_id, lease_until)
       values ($1, 'tsk_live', 'preview-live', '{}', '{}', $2, now() + interval '1 hour')`,
      [of.at.tenantId, of.next.id],
    );
    for (const answer of [await list(of), await deactivate(of)]) {
      expect([answer.status, answer.body.code]).toEqual([409, 'going_live']);
      expect(answer.body.detail).toContain('tsk_live');
    }
    await service.db.query(`delete from tasks where tenant_id = $1 and id = 'tsk_live'`, [of.at.tenantId]);
    expect((await list(of)).status).toBe(200);
  });
});

describe('422', () => {
  it('names the field that is not valid', async () => {
    const of = await switched(1);
    for (const [body, field] of [
      [{ user_ids: [] }, 'user_ids'],
      [{ count: -1 }, 'count'],
    ] as const) {
      const answer = await deactivate(of, body);
      expect([answer.status, answer.body.errors[0].field]).toEqual([422, field]);
    }
    expect((await list(of, '?limit=0')).status).toBe(422);
  });
});
