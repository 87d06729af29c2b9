import { sharedApp, type TestApp } from '../../../support/app.js';
import { commandLine } from '../../../support/cli.js';
import { newHouse, type House } from '../../../support/house.js';
import { client, eventually, type Answer } from '../../../support/http.js';
import { long } from '../../../support/rounds.js';
import { fresh, madeGroup, madeUser, mail, user } from '../../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

type Rule = readonly [group: string, role: string];
const bodyOf = (rules: readonly Rule[]) => ({ rules: rules.map(([group_id, role]) => ({ group_id, role })) });
const ask = ({ api, directoryId }: House, rules: readonly Rule[], id = directoryId): Promise<Answer> =>
  api.post(`/directories/${id}/rules/plan`, bodyOf(rules));
const planOf = async (at: House, ...rules: Rule[]) => {
  const { status, body } = await ask(at, rules);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body;
};
const roleAndSeat = async ({ api }: House, id: string) => {
  const { role, seat } = (await api.get(`/users/${id}`)).body;
  return [role, seat];
};
/** Writes rules, and waits for the task that works them off. */
const write = async ({ api, directoryId }: House, ...rules: Rule[]): Promise<void> => {
  await api.put(`/directories/${directoryId}/rules`, bodyOf(rules));
  await eventually(
    async () => (await api.get(`/directories/${directoryId}/tasks`)).body.data as { state: string }[],
    (tasks) => tasks.every(({ state }) => state === 'done'),
  );
};

describe('200', () => {
  long('shows who gains or loses which role and seat, changes nothing, and is what the write then does', async () => {
    const at = await newHouse(service);
    const [admin, observer, both, plain] = [
      await madeUser(at.scim),
      await madeUser(at.scim),
      await madeUser(at.scim),
      await madeUser(at.scim),
    ];
    const [admins, observers] = [await madeGroup(at.scim, [admin, both]), await madeGroup(at.scim, [observer, both])];
    const rules: Rule[] = [[observers, 'Observer'], [admins, 'Admin']]; // prettier-ignore
    const plan = await planOf(at, ...rules);
    expect(plan).toMatchObject({ total: 3, take_seat: 0, free_seat: 2, seats_free: null, held_by_guard: 0 });
    const rows = new Map(plan.data.map((row: { user_id: string }) => [row.user_id, row]));
    const name = (await at.scim.get(`/Users/${admin}`)).body.userName;
    expect(rows.get(admin)).toEqual({
      ...{ user_id: admin, user_name: name, from: 'User', to: 'Admin', seat: 'none' },
      steps: {
        role: { from: 'User', to: 'Admin' },
        status: { from: 'active', to: 'active' },
        seat: { from: 'held', to: 'held' },
        console: { from: 'none', to: 'admin' },
      },
    });
    expect(rows.get(observer)).toMatchObject({ from: 'User', to: 'Observer', seat: 'loses' });
    expect(rows.get(both)).toMatchObject({ from: 'User', to: 'Observer', seat: 'loses' });
    expect(await roleAndSeat(at, admin)).toEqual(['User', 'held']);
    expect((await at.api.get(`/directories/${at.directoryId}/rules`)).body.rules).toEqual([]);

    await write(at, ...rules);
    expect(await roleAndSeat(at, admin)).toEqual(['Admin', 'held']);
    expect(await roleAndSeat(at, both)).toEqual(['Observer', 'none']);
    expect(await roleAndSeat(at, plain)).toEqual(['User', 'held']);
    expect(await planOf(at, ...rules)).toMatchObject({ total: 0, data: [] });
    expect(await planOf(at)).toMatchObject({ total: 3, take_seat: 2, free_seat: 0 });
    expect(await planOf(at, rules[1]!, rules[0]!)).toMatchObject({ total: 1, data: [{ user_id: both, to: 'Admin' }] });
  });

  it('gives users without a role their first one, and leaves out those who have a role by SCIM or are deactivated', async () => {
    const at = await newHouse(service, { default_role: null });
    const waiting = await madeUser(at.scim);
    const byScim = await madeUser(at.scim, user(mail(), { roles: [{ value: 'User' }] }));
    const group = await madeGroup(at.scim, [waiting, byScim]);
    await at.api.put('/seats/limit', { limit: 5 });
    const plan = await planOf(at, [group, 'Observer']);
    expect(plan).toMatchObject({ total: 1, data: [{ user_id: waiting, from: null, to: 'Observer', seat: 'none' }] });
    expect(await planOf(at, [group, 'User'])).toMatchObject({
      data: [{ user_id: waiting, from: null, to: 'User', seat: 'gains' }],
      take_seat: 1,
    });
  });

  it('counts the departures that the guard would hold', async () => {
    const guard = { percent: 1, people: 1, at_least: 1, within_minutes: 60, day_percent: 1 };
    const at = await newHouse(service, { guard });
    const ids = [await madeUser(at.scim), await madeUser(at.scim), await madeUser(at.scim)];
    const group = await madeGroup(at.scim, ids);
    expect(await planOf(at, [group, 'Observer'])).toMatchObject({ total: 3, free_seat: 3, held_by_guard: 2 });
  });

  it('shows nothing for a directory in preview, whose writes have no effect', async () => {
    const at = await newHouse(service);
    const group = await madeGroup(at.scim, [await madeUser(at.scim)]);
    await at.api.patch(`/directories/${at.directoryId}`, { state: 'preview' });
    expect(await planOf(at, [group, 'Admin'])).toMatchObject({ total: 0, data: [] });
  });

  it('has a command', async () => {
    const at = await newHouse(service);
    const id = await madeUser(at.scim);
    const group = await madeGroup(at.scim, [id], { displayName: 'Leads' });
    const { code, json } = await commandLine(service, at.apiKey)(
      'directory',
      'rules',
      'plan',
      '--set',
      'Leads=Admin',
      '--json',
    );
    expect([code, json.total, json.data]).toEqual([0, 1, [expect.objectContaining({ user_id: id, to: 'Admin' })]]);
    expect(group).toMatch(/^grp_/);
  });
});

describe('administrators who lose the console', () => {
  /** A directory whose rule makes each of some users an administrator. */
  const administered = async (count: number, more: object = {}) => {
    const at = await newHouse(service, more);
    const ids = [await madeUser(at.scim)];
    while (ids.length < count) ids.push(await madeUser(at.scim));
    const group = await madeGroup(at.scim, ids);
    await write(at, [group, 'Admin']);
    return { at, ids, group };
  };
  const put = ({ api, directoryId }: House, rules: readonly Rule[], more: object = {}) =>
    api.put(`/directories/${directoryId}/rules`, { ...bodyOf(rules), ...more });

  long('come first in the plan, and the write of the rules has to name their number', async () => {
    const { at, ids, group } = await administered(2);
    const first = await madeUser(at.scim);
    const plain = await madeGroup(at.scim, [first]);
    const rules: Rule[] = [[group, 'User'], [plain, 'Observer']]; // prettier-ignore
    const plan = await planOf(at, ...rules);
    expect(plan).toMatchObject({ total: 3, administrators: 2 });
    expect(plan.data.map((row: { user_id: string }) => row.user_id)).toEqual([...ids.sort(), first]);
    expect(plan.data[0].steps).toMatchObject({
      role: { from: 'Admin', to: 'User' },
      console: { from: 'admin', to: 'none' },
    });
    for (const more of [{}, { administrators: 1 }]) {
      const { status, body } = await put(at, rules, more);
      expect([status, body.code, body.administrators]).toEqual([409, 'administrators_unconfirmed', 2]);
    }
    expect((await at.api.get(`/directories/${at.directoryId}/rules`)).body.rules).toHaveLength(1);
    expect((await put(at, rules, { administrators: 2 })).status).toBe(200);
    await eventually(
      () => roleAndSeat(at, ids[0]!),
      ([role]) => role === 'User',
    );
  });

  it('are asked about by the command, which names the option', async () => {
    const { at, group } = await administered(1);
    const run = commandLine(service, at.apiKey);
    const refused = await run('directory', 'rules', '--set', `${group}=User`);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('1 administrator would lose the console')]);
    expect((await run('directory', 'rules', '--set', `${group}=User`, '--administrators', '1')).code).toBe(0);
  });

  it('are named too when the leave of a directory or its default role goes', async () => {
    const at = await newHouse(service, { may_grant_console: true });
    await madeUser(at.scim, user(mail(), { roles: [{ value: 'Admin' }] }));
    const patch = (body: object) => at.api.patch(`/directories/${at.directoryId}`, body);
    const refused = await patch({ may_grant_console: false });
    expect([refused.status, refused.body.code, refused.body.administrators]).toEqual([
      409,
      'administrators_unconfirmed',
      1,
    ]);
    expect((await patch({ name: 'Another' })).status).toBe(200);
    expect((await patch({ may_grant_console: false, administrators: 1 })).status).toBe(200);
    const other = await newHouse(service, { may_grant_console: true, default_role: 'Admin' });
    await madeUser(other.scim);
    expect((await other.api.patch(`/directories/${other.directoryId}`, { default_role: 'User' })).status).toBe(409);
  });
});

describe('403', () => {
  it('needs both scopes, and no other one', async () => {
    const at = await newHouse(service);
    for (const [scopes, status] of [
      [['users:read'], 403],
      [['directories:read'], 403],
      [['users:read', 'directories:read'], 200],
    ] as const) {
      const { api_key: key } = (await at.api.post('/api-keys', { name: fresh(), scopes })).body;
      const api = client(`${service.url}/api/v1`, key);
      expect([scopes, (await ask({ ...at, api }, [])).status]).toEqual([scopes, status]);
    }
  });
});

describe('404', () => {
  it('for an unknown directory and for one of another tenant', async () => {
    const [at, other] = [await newHouse(service), await newHouse(service)];
    for (const id of ['dir_0', other.directoryId]) expect((await ask(at, [], id)).status).toBe(404);
  });
});

describe('422', () => {
  it('names groups and roles that are none of the tenant, as the write does', async () => {
    const [at, other] = [await newHouse(service), await newHouse(service)];
    const theirs = await madeGroup(other.scim);
    const rules: Rule[] = [[theirs, 'Admin'], ['grp_0', 'Nothing']]; // prettier-ignore
    const planned = await ask(at, rules);
    const written = await at.api.put(`/directories/${at.directoryId}/rules`, bodyOf(rules));
    expect([planned.status, planned.body.errors]).toEqual([422, written.body.errors]);
    expect(planned.body.errors.map(({ field }: { field: string }) => field)).toEqual([
      'rules.0.group_id',
      'rules.1.group_id',
      'rules.1.role',
    ]);
    const shapeless = await at.api.post(`/directories/${at.directoryId}/rules/plan`, { rules: [{ group_id: 1 }] });
    expect(shapeless.status).toBe(422);
  });
});

describe('202', () => {
  long(
    'plans within the request for 999 users, and in a task for more, one at a time, which lists the first 1 000',
    async () => {
      const at = await newHouse(service);
      const first = await madeUser(at.scim);
      const group = await madeGroup(at.scim, [first]);
      await crowd(at, first, 998);
      expect(await planOf(at, [group, 'Observer'])).toMatchObject({ total: 1, free_seat: 1 });
      await crowd(at, first, 1_005, group);
      const scopes = ['users:read', 'directories:read'];
      const { api_key: key } = (await at.api.post('/api-keys', { name: fresh(), scopes })).body;
      const api = client(`${service.url}/api/v1`, key);
      const begun = await ask({ ...at, api }, [[group, 'Observer']]);
      expect([begun.status, begun.body]).toMatchObject([202, { kind: 'rules.plan', total: 2_004, result: null }]);
      const ended = await eventually(
        async () => (await api.get(`/tasks/${begun.body.id}`)).body,
        ({ state }) => state === 'done',
        20_000,
      );
      expect(ended).toMatchObject({ done: 2_004, total: 2_004 });
      expect(ended.result).toEqual({
        changed: 1_006,
        take_seat: 0,
        free_seat: 1_006,
        held_by_guard: expect.any(Number),
        administrators: 0,
      });
      const rows: { id: string; item: object; reason: string }[] = [];
      for (let cursor = ''; ;) {
        const { body } = await api.get(`/tasks/${begun.body.id}/left-out?limit=200${cursor}`);
        rows.push(...body.data);
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(rows).toHaveLength(1_000);
      expect(rows.find(({ id }) => id === first)).toMatchObject({
        item: { user_id: first, from: 'User', to: 'Observer', seat: 'loses' },
        reason: 'frees_seat',
      });
      expect(await roleAndSeat(at, first)).toEqual(['User', 'held']);
      const run = commandLine(service, at.apiKey);
      const { code, json } = await run('directory', 'rules', 'plan', '--set', `${group}=Observer`, '--wait', '--json');
      expect([code, json]).toMatchObject([0, { state: 'done', result: { changed: 1_006 } }]);
      const other = client(
        `${service.url}/api/v1`,
        (await at.api.post('/api-keys', { name: fresh(), scopes })).body.api_key,
      );
      expect((await other.get(`/tasks/${begun.body.id}/left-out`)).status).toBe(404);
    },
  );

  it('refuses a second task of the tenant while one plans', async () => {
    const at = await newHouse(service);
    const first = await madeUser(at.scim);
    const group = await madeGroup(at.scim, [first]);
    await crowd(at, first, 999);
    await service.db.query(
      `insert into tasks (tenant_id, id, kind, payload, created_by, directory_id, lease_until)
       values ($1, 'tsk_plan', 'rules.plan', '{}', '{}', $2, now() + interval '1 hour')`,
      [at.tenantId, at.directoryId],
    );
    const { status, body } = await ask(at, [[group, 'Observer']]);
    expect([status, body.code]).toEqual([409, 'plan_under_way']);
  });
});

/** Copies a user many times, without the work of a request for each; members of a group are in force. */
async function crowd({ tenantId }: House, of: string, count: number, groupId?: string): Promise<void> {
  const tag = fresh();
  await service.db.query(
    `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, active, first_name, last_name, role, status, seat)
     select tenant_id, 'usr_' || $3 || i, directory_id, source, doc, $3 || i, $3 || i, active, first_name, last_name, role,
       case when $5::text is null then 'inactive' else 'active' end, case when $5::text is null then 'none' else 'held' end
     from users, generate_series(1, $4::int) i where tenant_id = $1 and id = $2`,
    [tenantId, of, tag, count, groupId ?? null],
  );
  if (groupId === undefined) return;
  await service.db.query(
    `insert into group_members (tenant_id, group_id, member_id, kind)
     select $1, $2, id, 'User' from users where tenant_id = $1 and id like 'usr_' || $3 || '%'`,
    [tenantId, groupId, tag],
  );
}
