import { sharedApp, type TestApp } from '../../../support/app.js';
import { type House, newHouse, show } from '../../../support/house.js';
import { eventually, type Client } from '../../../support/http.js';
import { long } from '../../../support/rounds.js';
import { failure, madeGroup, madeUser, mail, membersOf, replace, scim, user } from '../../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const unmanaged = async ({ api }: House, more: object = {}) =>
  (await api.post('/users', { email: mail(), first_name: 'Ann', last_name: 'Other', ...more })).body as {
    id: string;
    email: string;
  };
const forwarded = async (id: string) =>
  (
    await service.db.query<{ n: number }>(`select count(*)::int as n from changes where user_id = $1 and forwarded`, [
      id,
    ])
  ).rows[0]!.n;
/** Everything that users in force are: what a preview must not change. */
const everyone = async (at: House) =>
  (await at.api.get('/users?limit=200&status=active')).body.data as Record<string, unknown>[];
const seats = async (at: House) => (await at.api.get('/seats')).body.used as number;
const live = (at: House, id: string, more: object = {}) =>
  at.api.patch(`/directories/${id}`, { state: 'live', ...more });
const settled = (at: House, id: string) =>
  eventually(
    () => at.api.get(`/directories/${id}/tasks`),
    ({ body }) => body.data.length > 0 && body.data.every(({ state }: { state: string }) => state === 'done'),
  );
const preview = async (at: House, id: string, query = '') =>
  (await at.api.get(`/directories/${id}/preview${query}`)).body;
const found = async (client: Client, filter: string) =>
  (await client.get(`/Users?filter=${encodeURIComponent(filter)}`)).body.Resources.map(({ id }: { id: string }) => id);

describe('a directory in preview', () => {
  long('keeps its writes to unmanaged users apart, reads them back, and applies them once it is live', async () => {
    const at = await newHouse(service, { state: 'preview' });
    const [posted, patched, removed] = [await unmanaged(at), await unmanaged(at), await unmanaged(at)];
    const before = [await everyone(at), await seats(at)];

    const body = user(posted.email.toUpperCase(), { externalId: 'X', title: 'T', emails: [{ value: posted.email }] });
    const answer = await at.scim.post('/Users', body);
    expect([answer.status, answer.body.id, answer.body.userName]).toEqual([201, posted.id, posted.email.toUpperCase()]);
    expect(failure(await at.scim.post('/Users', body))).toEqual([409, 'uniqueness', '409']);
    const changed = await at.scim.patch(`/Users/${patched.id}`, replace('active', false));
    expect([changed.status, changed.body.active]).toEqual([200, false]);
    expect((await at.scim.delete(`/Users/${removed.id}`)).status).toBe(204);
    expect((await at.scim.get(`/Users/${removed.id}`)).status).toBe(404);
    expect((await at.scim.delete(`/Users/${removed.id}`)).status).toBe(404);
    expect((await at.scim.patch(`/Users/${removed.id}`, replace('title', 'T'))).status).toBe(404);

    const read = await at.scim.get(`/Users/${posted.id}`);
    expect(read.body).toMatchObject({ title: 'T', externalId: 'X' });
    const list = await at.scim.get('/Users?sortBy=userName');
    expect(list.body.totalResults).toBe(2);
    expect((await at.scim.get('/Users?sortBy=meta.lastModified&count=1')).body.totalResults).toBe(2);
    expect(await found(at.scim, 'externalId eq "X"')).toEqual([posted.id]);
    expect(await found(at.scim, 'active eq false')).toEqual([patched.id]);
    expect(await found(at.scim, `userName eq "${posted.email}"`)).toEqual([posted.id]);
    expect(await found(at.scim, `userName eq "${removed.email}"`)).toEqual([]);
    // The version moves with what is read back.
    const etag = read.headers.get('etag')!;
    const write = (title: string, version: string) =>
      at.scim.patch(`/Users/${posted.id}`, replace('title', title), { 'if-match': version });
    expect((await write('U', 'W/"1"')).status).toBe(412);
    const fine = await write('U', etag);
    expect((await write('V', etag)).status).toBe(412);
    expect([fine.status, fine.body.title]).toEqual([200, 'U']);

    expect([await everyone(at), await seats(at)]).toEqual(before);
    for (const { id } of [posted, patched, removed]) {
      expect(await show(at, id)).toMatchObject({ managed_by: null, held: null, status: 'active' });
      expect(await forwarded(id)).toBe(1);
      expect((await at.api.get(`/users/${id}/history?kind=linked`)).body.data).toEqual([]);
    }
    expect((await at.api.get('/held')).body.data).toEqual([]);
    expect(await preview(at, at.directoryId)).toMatchObject({
      state: 'preview',
      counts: {
        create: 0,
        link: 2,
        take_over: 0,
        update: 1,
        deactivate: 1,
        delete: 1,
        take_seat: 0,
        find_none: 0,
        held_by_guard: 0,
        administrators: 0,
      },
    });
    expect((await preview(at, at.directoryId, '?kind=deactivate')).data).toEqual([
      { user_id: patched.id, user_name: patched.email, would: ['link', 'deactivate'], fields: expect.arrayContaining(['status']), take_seat: false, held: null, steps: { role: { from: 'User', to: 'User' }, status: { from: 'active', to: 'inactive' }, seat: { from: 'held', to: 'none' }, console: { from: 'none', to: 'none' } } },
    ]); // prettier-ignore

    expect((await live(at, at.directoryId)).status).toBe(200);
    await settled(at, at.directoryId);
    expect(await show(at, posted.id)).toMatchObject({
      managed_by: { id: at.directoryId },
      external_id: 'X',
      held: null,
    });
    expect(await show(at, patched.id)).toMatchObject({ managed_by: { id: at.directoryId }, status: 'inactive' });
    expect((await at.api.get(`/users/${removed.id}`)).status).toBe(404);
    expect((await at.scim.get(`/Users/${posted.id}`)).body).toMatchObject({ title: 'U' });
    expect(await forwarded(posted.id)).toBe(2);
    expect((await at.api.get(`/users/${posted.id}/history?kind=linked`)).body.data).toMatchObject([{ by: 'email' }]);
  });

  long('lists administrators who would lose the console, and goes live only with their number', async () => {
    const at = await newHouse(service, { state: 'preview', may_grant_console: true });
    const [admin, plain] = [await unmanaged(at, { role: 'Admin' }), await unmanaged(at)];
    for (const { email } of [admin, plain]) await at.scim.post('/Users', user(email, { active: false }));
    expect((await preview(at, at.directoryId)).counts).toMatchObject({ deactivate: 2, administrators: 1 });
    const { data } = await preview(at, at.directoryId, '?administrators=true');
    expect(data).toMatchObject([
      {
        user_id: admin.id,
        steps: { status: { from: 'active', to: 'inactive' }, console: { from: 'admin', to: 'none' } },
      },
    ]);
    const refused = await live(at, at.directoryId);
    expect([refused.status, refused.body.code, refused.body.administrators]).toEqual([
      409,
      'administrators_unconfirmed',
      1,
    ]);
    // Settings that change with the state count as well.
    expect((await live(at, at.directoryId, { default_role: 'Observer' })).status).toBe(409);
    expect((await live(at, at.directoryId, { administrators: 2 })).status).toBe(409);
    expect(await show(at, admin.id)).toMatchObject({ status: 'active', role: 'Admin' });
    expect((await live(at, at.directoryId, { administrators: 1 })).status).toBe(200);
    await settled(at, at.directoryId);
    expect(await show(at, admin.id)).toMatchObject({ status: 'inactive' });
  });

  it('shows that an administrator waits for an admin whose right the directory may not give', async () => {
    const at = await newHouse(service, { state: 'preview' });
    const admin = await unmanaged(at, { role: 'Admin' });
    await at.scim.post('/Users', user(admin.email, { active: false }));
    const { counts, data } = await preview(at, at.directoryId);
    expect(counts).toMatchObject({ link: 1, deactivate: 0, administrators: 0 });
    expect(data).toMatchObject([{ user_id: admin.id, would: ['link'], fields: [], held: 'needs_admin' }]);
    expect((await live(at, at.directoryId)).status).toBe(200);
    await settled(at, at.directoryId);
    expect(await show(at, admin.id)).toMatchObject({ status: 'active', held: 'needs_admin' });
  });

  long('changes nothing of the directory that it replaces, and takes over when it goes live', async () => {
    const at = await newHouse(service);
    const names = [mail(), mail(), mail()];
    const ids = await Promise.all(names.map((name) => madeUser(at.scim, user(name, { title: 'old' }))));
    const { id: nextId, token } = await service.newDirectory(at.tenantId, {
      takes_over: at.directoryId,
      state: 'preview',
    });
    const next = scim(service.url, token);
    expect((await next.post('/Users', user(names[0]!, { title: 'new' }))).body).toMatchObject({
      id: ids[0],
      title: 'new',
    });
    expect((await next.patch(`/Users/${ids[1]}`, replace('active', false))).body.active).toBe(false);
    const group = await madeGroup(next, [ids[0]!, ids[2]!]);
    expect((await next.delete(`/Users/${ids[2]}`)).status).toBe(204);
    expect(await membersOf(next, group)).toEqual([ids[0]]);

    // The old one continues as if there were no other.
    expect((await at.api.get(`/directories/${at.directoryId}`)).body.superseded_by).toBeNull();
    expect((await at.scim.patch(`/Users/${ids[0]}`, replace('title', 'older'))).body.title).toBe('older');
    const left = await at.scim.patch(`/Users/${ids[2]}`, replace('name.givenName', 'Grace'));
    expect(left.status).toBe(200);
    expect(await show(at, ids[2]!)).toMatchObject({
      first_name: 'Grace',
      held: null,
      managed_by: { id: at.directoryId },
    });
    const late = await madeUser(at.scim, user(mail()));
    expect(await show(at, late)).toMatchObject({ status: 'active', held: null });
    expect((await next.get(`/Users/${ids[0]}`)).body.title).toBe('new');
    for (const id of ids)
      expect(await show(at, id)).toMatchObject({ status: 'active', managed_by: { id: at.directoryId } });
    expect((await preview(at, nextId)).counts).toMatchObject({ take_over: 2, deactivate: 1, delete: 1, create: 0 });

    expect((await live(at, nextId)).status).toBe(200);
    await settled(at, nextId);
    expect(await show(at, ids[0]!)).toMatchObject({ status: 'active', managed_by: { id: nextId } });
    expect(await show(at, ids[1]!)).toMatchObject({ status: 'inactive', managed_by: { id: nextId } });
    expect((await at.api.get(`/users/${ids[2]}`)).status).toBe(404);
    expect((await at.api.get(`/directories/${at.directoryId}`)).body.superseded_by).toBe(nextId);
    // The new one has not linked this user, so that the old one alone can tell of the departure.
    const departed = await at.scim.patch(`/Users/${late}`, replace('active', false));
    expect([departed.status, departed.body.active]).toEqual([200, false]);
    expect(await show(at, late)).toMatchObject({ status: 'inactive' });

    // Back in preview no user changes, and the old one is not heard for what it wrote meanwhile.
    const before = await everyone(at);
    expect((await at.api.patch(`/directories/${nextId}`, { state: 'preview' })).status).toBe(200);
    expect(await everyone(at)).toEqual(before);
  });

  long('holds only those of its own users who would differ, deletions included', async () => {
    const at = await newHouse(service);
    const [same, changed, gone, out] = await Promise.all([0, 1, 2, 3].map(() => madeUser(at.scim, user(mail()))));
    expect((await at.api.patch(`/directories/${at.directoryId}`, { state: 'preview' })).status).toBe(200);
    const before = [await everyone(at), await seats(at)];
    await at.scim.patch(`/Users/${same}`, replace('title', 'T'));
    await at.scim.patch(`/Users/${changed}`, replace('name.givenName', 'Grace'));
    await at.scim.patch(`/Users/${out}`, replace('active', false));
    expect((await at.scim.delete(`/Users/${gone}`)).status).toBe(204);
    expect((await at.scim.get(`/Users/${gone}`)).status).toBe(404);
    const shown = ({ held: _, held_since: __, updated_at: ___, ...rest }: Record<string, unknown>) => rest;
    expect([(await everyone(at)).map(shown), await seats(at)]).toEqual([(before[0] as Record<string, unknown>[]).map(shown), before[1]]); // prettier-ignore
    expect(await show(at, same!)).toMatchObject({ held: null });
    for (const id of [changed, gone, out])
      expect(await show(at, id!)).toMatchObject({ status: 'active', held: 'preview' });
    for (const id of [same, changed, gone, out]) expect(await forwarded(id!)).toBe(1);
    // Once it is taken back, no user is held for it.
    await at.scim.patch(`/Users/${out}`, replace('active', true));
    expect(await show(at, out!)).toMatchObject({ held: null });
    expect((await preview(at, at.directoryId)).counts).toMatchObject({
      update: 1,
      delete: 1,
      deactivate: 0,
      create: 0,
    });

    await live(at, at.directoryId);
    await settled(at, at.directoryId);
    expect(await show(at, changed!)).toMatchObject({ first_name: 'Grace', held: null });
    expect((await at.api.get(`/users/${gone}`)).status).toBe(404);
    expect(await forwarded(changed!)).toBe(2);
  });

  long('takes no seat, is not refused for lack of one, and asks before users would wait', async () => {
    const at = await newHouse(service, { state: 'preview' });
    await at.api.put('/seats/limit', { limit: 1, policy: { directory: 'block' } });
    const ids = await Promise.all([0, 1, 2].map(() => madeUser(at.scim, user(mail()))));
    expect(await seats(at)).toBe(0);
    expect((await preview(at, at.directoryId)).counts).toMatchObject({ create: 3, take_seat: 3, find_none: 2 });
    const refused = await live(at, at.directoryId);
    expect([refused.status, refused.body.code, refused.body.missing, refused.body.needed, refused.body.free]).toEqual([
      409, 'seats_needed', 2, 3, 1,
    ]); // prettier-ignore
    expect((await at.api.get(`/directories/${at.directoryId}`)).body.state).toBe('preview');
    await at.api.put('/seats/limit', { policy: { directory: 'wait' } });
    expect((await live(at, at.directoryId, { confirm: true })).status).toBe(200);
    await settled(at, at.directoryId);
    const states = await Promise.all(ids.map(async (id) => (await show(at, id)).seat as string));
    expect(states.sort()).toEqual(['held', 'waiting', 'waiting']);
  });

  it('reserves no name from live directories', async () => {
    const at = await newHouse(service);
    const { id: nextId, token } = await service.newDirectory(at.tenantId, {
      takes_over: at.directoryId,
      state: 'preview',
    });
    const next = scim(service.url, token);
    const name = mail();
    const shadow = await madeUser(next, user(name));
    const joined = await at.scim.post('/Users', user(name));
    expect(joined.status).toBe(201);
    expect(await show(at, joined.body.id)).toMatchObject({ status: 'active', held: null });
    expect((await next.get(`/Users/${shadow}`)).body.userName).toBe(name);
    expect((await next.patch(`/Users/${shadow}`, replace('title', 'T'))).status).toBe(200);
    await live(at, nextId);
    await settled(at, nextId);
    expect(await show(at, joined.body.id)).toMatchObject({ status: 'active' });
    expect(await show(at, shadow)).toMatchObject({ status: 'inactive', held: 'email_taken' });
  });

  it('deletes users at once that were never in force, and shows nothing to another tenant', async () => {
    const at = await newHouse(service, { state: 'preview' });
    const id = await madeUser(at.scim, user(mail()));
    expect((await at.scim.delete(`/Users/${id}`)).status).toBe(204);
    expect((await at.api.get(`/users/${id}`)).status).toBe(404);
    const other = await newHouse(service);
    expect((await other.api.get(`/directories/${at.directoryId}/preview`)).status).toBe(404);
    expect((await at.api.get(`/directories/${at.directoryId}/preview?kind=x`)).status).toBe(422);
  });
});
