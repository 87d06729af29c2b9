import { PeopleUpkeep } from '../../../src/directory-sync/users/people/people-upkeep.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import type { Answer } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { bulk, ENTERPRISE, failure, fresh, madeGroup, madeUser, patch, scim, user } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const house = (directory?: object) => newHouse(service, directory);
const unmanaged = async ({ api }: House, more: object = {}) => {
  const answer = await api.post('/users', {
    email: `${fresh()}@x.example`,
    first_name: 'Ann',
    last_name: 'Other',
    ...more,
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
};
/** What the platform is to receive of a tenant. */
const owed = async (tenantId: string) =>
  (
    await service.db.query<{ n: number }>('select count(*)::int as n from changes where tenant_id = $1 and forwarded', [
      tenantId,
    ])
  ).rows[0]!.n;

describe('unmanaged users', () => {
  it('are shown by SCIM with the e-mail as userName, and found by the filters of IdPs', async () => {
    const at = await house();
    const { id, email } = await unmanaged(at, { external_id: 'E1' });
    expect((await at.scim.get(`/Users/${id}`)).body).toMatchObject({
      userName: email,
      externalId: 'E1',
      name: { givenName: 'Ann', familyName: 'Other' },
      emails: [{ value: email, type: 'work', primary: true }],
      active: true,
    });
    for (const filter of [
      `userName eq "${email.toUpperCase()}"`,
      `emails[type eq "work"].value eq "${email}"`,
      `emails.value eq "${email}"`,
      `externalId eq "E1"`,
      `id eq "${id}"`,
    ]) {
      const { body } = await at.scim.get(`/Users?filter=${encodeURIComponent(filter)}`);
      expect([filter, body.Resources.map((each: { id: string }) => each.id)]).toEqual([filter, [id]]);
    }
    expect((await at.scim.get('/Users')).body.totalResults).toBe(1);
  });

  it.each([
    [
      'PATCH',
      (id: string, at: House) => at.scim.patch(`/Users/${id}`, patch({ op: 'add', path: 'externalId', value: 'X' })),
      200,
    ],
    [
      'PUT',
      (id: string, at: House, email: string) =>
        at.scim.put(`/Users/${id}`, user(email, { externalId: 'X', emails: [{ value: email }] })),
      200,
    ],
    [
      'a POST with the same userName',
      (_: string, at: House, email: string) => at.scim.post('/Users', user(email.toUpperCase(), { externalId: 'X' })),
      201,
    ],
    [
      'a POST with the same e-mail',
      (_: string, at: House, email: string) =>
        at.scim.post('/Users', user(fresh(), { externalId: 'X', emails: [{ value: email }] })),
      201,
    ],
    [
      'a POST with the same externalId',
      (_: string, at: House) => at.scim.post('/Users', user(fresh(), { externalId: 'OLD' })),
      201,
    ],
  ] as const)('are taken over by %s, and keep the id', async (_, write, status) => {
    const at = await house();
    const { id, email } = await unmanaged(at, { external_id: 'OLD' });
    const answer = await write(id, at, email);
    expect([answer.status, answer.body.id]).toEqual([status, id]);
    expect((await at.api.get(`/users/${id}`)).body.managed_by).toMatchObject({ id: at.directoryId });
    expect((await at.scim.get('/Users')).body.totalResults).toBe(1);
    expect((await at.api.patch(`/users/${id}`, { first_name: 'X' })).body.code).toBe('managed_by_directory');
    // The key that was there stays one.
    expect((await at.api.get('/resolve?type=user&external_id=OLD')).body).toMatchObject({ found: true, id });
    const second = scim(service.url, (await service.newDirectory(at.tenantId)).token);
    expect((await second.get(`/Users/${id}`)).status).toBe(404);
  });

  it('are not taken over by a write that changes nothing, which is no refusal either', async () => {
    const at = await house();
    const { id, email } = await unmanaged(at);
    const { body } = await at.scim.get(`/Users/${id}`);
    expect((await at.scim.put(`/Users/${id}`, body)).status).toBe(200);
    expect((await at.api.get(`/users/${id}`)).body).toMatchObject({ email, managed_by: { id: at.directoryId } });
  });

  it('on_match refuse: answers 409, and takes over no user', async () => {
    const at = await house({ on_match: 'refuse' });
    const { id, email } = await unmanaged(at, { external_id: 'OLD' });
    for (const body of [
      user(email),
      user(fresh(), { emails: [{ value: email }] }),
      user(fresh(), { externalId: 'OLD' }),
    ]) {
      expect(failure(await at.scim.post('/Users', body))).toEqual([409, 'uniqueness', '409']);
    }
    expect((await at.api.get(`/users/${id}`)).body.managed_by).toBeNull();
    expect((await at.scim.post('/Users', user(fresh()))).status).toBe(201);
  });

  it('are not linked when two match, unless one has the same name', async () => {
    const at = await house();
    const [one, two] = [await unmanaged(at, { external_id: 'K1' }), await unmanaged(at)];
    const made = await at.scim.post('/Users', user(fresh(), { externalId: 'K1', emails: [{ value: two.email }] }));
    expect(made.status).toBe(201);
    expect([one.id, two.id]).not.toContain(made.body.id);
    expect((await at.api.get(`/users/${made.body.id}`)).body).toMatchObject({
      status: 'inactive',
      held: 'email_taken',
    });
    const named = await at.scim.post('/Users', user(two.email, { externalId: 'K1' }));
    expect([named.status, named.body.id]).toEqual([201, two.id]);
  });

  it('do not include users of another directory, who are never linked', async () => {
    const at = await house();
    const second = scim(service.url, (await service.newDirectory(at.tenantId)).token);
    const name = `${fresh()}@x.example`;
    const id = await madeUser(at.scim, user(name, { externalId: 'K' }));
    expect((await second.post('/Users', user(name))).status).toBe(409);
    const made = await second.post('/Users', user(fresh(), { emails: [{ value: name }] }));
    expect(made.status).toBe(201);
    expect(made.body.id).not.toBe(id);
    expect((await at.api.get(`/users/${made.body.id}`)).body.held).toBe('email_taken');
  });
});

describe('takes_over', () => {
  long('links inactive users by key or userName, and by e-mail only when the write leaves them inactive', async () => {
    const at = await house();
    const mails = [0, 1, 2, 3].map(() => `${fresh()}@x.example`);
    const as = (i: number, more: object = {}, name = fresh()) => user(name, { emails: [{ value: mails[i] }], ...more });
    const name = fresh();
    const ids = [
      await madeUser(at.scim, as(0, { externalId: 'E1', active: false })),
      await madeUser(at.scim, as(1, { active: false }, name)),
      await madeUser(at.scim, as(2)),
      await madeUser(at.scim, as(3, { active: false })),
    ];
    const made = await service.newDirectory(at.tenantId, { takes_over: at.directoryId });
    const next = scim(service.url, made.token);
    const bodies = [as(0, { externalId: 'E1' }), as(1, {}, name), as(2, { active: false }), as(3, { active: false })];
    for (const [i, body] of bodies.entries()) {
      const answer = await next.post('/Users', body);
      expect([answer.status, answer.body.id]).toEqual([201, ids[i]]);
    }
    expect((await next.get('/Users')).body.totalResults).toBe(4);
    // A newcomer with a leaver's address is a new user.
    const newcomer = await next.post('/Users', as(3));
    expect(newcomer.status).toBe(201);
    expect(ids).not.toContain(newcomer.body.id);
    expect((await at.api.get(`/users/${newcomer.body.id}`)).body).toMatchObject({ status: 'active', held: null });
    expect((await at.api.get(`/users/${ids[3]}`)).body).toMatchObject({ status: 'inactive', email: mails[3] });
  });

  long(
    'shows the users of the old directory to the new one and links them; later writes of the old one have no effect',
    async () => {
      const at = await house();
      const names = [`${fresh()}@x.example`, `${fresh()}@x.example`, `${fresh()}@x.example`];
      const ids = await Promise.all(names.map((name) => madeUser(at.scim, user(name, { title: 'old' }))));
      const made = await service.newDirectory(at.tenantId, { takes_over: at.directoryId, name: 'New' });
      const next = scim(service.url, made.token);
      expect((await next.get('/Users')).body.totalResults).toBe(3);
      const linked = await next.post('/Users', user(names[0]!, { title: 'new' }));
      expect([linked.status, linked.body.id]).toEqual([201, ids[0]]);
      await next.patch(`/Users/${ids[1]}`, patch({ op: 'replace', path: 'title', value: 'new' }));
      for (const id of ids.slice(0, 2))
        expect((await at.api.get(`/users/${id}`)).body.managed_by).toEqual({ id: made.id, name: 'New' });

      for (const [i, id] of ids.entries()) {
        const before = (await at.api.get(`/users/${id}`)).body;
        expect((await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'title', value: 'x' }))).status).toBe(
          200,
        );
        expect((await at.scim.put(`/Users/${id}`, user(fresh(), { roles: [{ value: 'Admin' }] }))).status).toBe(200);
        if (i < 2) {
          const answer = await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
          expect([answer.status, answer.body.active]).toEqual([200, true]);
          expect((await at.scim.put(`/Users/${id}`, user(fresh(), { active: false }))).status).toBe(200);
          expect((await at.scim.delete(`/Users/${id}`)).status).toBe(204);
        }
        expect((await at.api.get(`/users/${id}`)).body).toEqual(before);
        expect((await next.get(`/Users/${id}`)).status).toBe(200);
      }
      // A user that only the old one knows is stored, and not in force.
      const late = await madeUser(at.scim, user(`${fresh()}@x.example`));
      expect((await at.api.get(`/users/${late}`)).body).toMatchObject({
        status: 'inactive',
        seat: 'none',
        held: 'superseded',
      });
    },
  );
});

describe('a user of a directory that was taken over, whom the new directory has not linked', () => {
  const deactivate = { op: 'replace', path: 'active', value: false };
  const roads: [string, string, (at: House, id: string) => Promise<Answer>][] = [
    ['a PATCH', 'tolerant', (at, id) => at.scim.patch(`/Users/${id}`, patch(deactivate))],
    ['a PATCH with other values', 'strict', (at, id) => at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'title', value: 'new' }, deactivate))],
    ['a PATCH of Okta', 'okta', (at, id) => at.scim.patch(`/Users/${id}`, patch({ op: 'replace', value: { active: false } }))],
    ['a PATCH of Entra', 'entra', (at, id) => at.scim.patch(`/Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'False' }))],
    ['a PUT', 'okta', (at, id) => at.scim.put(`/Users/${id}`, user(fresh(), { active: false, title: 'new' }))],
    ['Bulk', 'tolerant', (at, id) => at.scim.post('/Bulk', bulk([{ method: 'PATCH', path: `/Users/${id}`, data: patch(deactivate) }]))],
  ]; // prettier-ignore

  it.each(roads)('leaves by %s of the old directory, with a record of the departure', async (_, profile, road) => {
    const at = await house({ profile });
    const id = await madeUser(at.scim, user(`${fresh()}@x.example`, { title: 'old' }));
    const before = (await at.scim.get(`/Users/${id}`)).body;
    await service.newDirectory(at.tenantId, { takes_over: at.directoryId });
    expect((await road(at, id)).status).toBe(200);
    expect((await at.scim.get(`/Users/${id}`)).body).toEqual({ ...before, active: false, meta: expect.anything() });
    expect((await at.api.get(`/users/${id}`)).body).toMatchObject({ status: 'inactive', seat: 'none', held: null });
    const [change] = (await at.api.get(`/users/${id}/history?kind=change`)).body.data;
    expect(change).toMatchObject({ event: 'deactivated', source: { directory_id: at.directoryId } });
    // Only the departure counts: the old directory does not bring the user back.
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: true }));
    expect((await at.api.get(`/users/${id}`)).body.status).toBe('inactive');
  });

  it.each(['a request', 'Bulk'])('is deleted by %s of the old directory', async (how) => {
    const at = await house();
    const id = await madeUser(at.scim, user(`${fresh()}@x.example`));
    const next = scim(service.url, (await service.newDirectory(at.tenantId, { takes_over: at.directoryId })).token);
    if (how === 'Bulk') await at.scim.post('/Bulk', bulk([{ method: 'DELETE', path: `/Users/${id}` }]));
    else expect((await at.scim.delete(`/Users/${id}`)).status).toBe(204);
    expect((await at.scim.delete(`/Users/${id}`)).status).toBe(404);
    expect((await at.api.get(`/users/${id}`)).status).toBe(404);
    expect((await next.get(`/Users/${id}`)).status).toBe(404);
  });

  it('is left alone by the old directory when unmanaged', async () => {
    const at = await house();
    const id = (await at.api.post('/users', { email: `${fresh()}@x.example`, first_name: 'A', last_name: 'B' })).body
      .id;
    await service.newDirectory(at.tenantId, { takes_over: at.directoryId });
    const before = (await at.api.get(`/users/${id}`)).body;
    expect((await at.scim.patch(`/Users/${id}`, patch(deactivate))).status).toBe(200);
    expect((await at.scim.delete(`/Users/${id}`)).status).toBe(204);
    expect((await at.api.get(`/users/${id}`)).body).toEqual(before);
  });
});

describe('users who were held because their directory was superseded', () => {
  it('come into force when it is not superseded any more', async () => {
    const at = await house();
    const next = await service.newDirectory(at.tenantId, { takes_over: at.directoryId });
    const id = await madeUser(at.scim, user(`${fresh()}@x.example`));
    expect((await at.api.get(`/users/${id}`)).body).toMatchObject({ status: 'inactive', held: 'superseded' });
    const upkeep = service.app.nest.get(PeopleUpkeep);
    await upkeep.admitHeld(at.tenantId);
    expect((await at.api.get(`/users/${id}`)).body.held).toBe('superseded');
    await at.api.patch(`/directories/${next.id}`, { takes_over: null });
    await upkeep.admitHeld(at.tenantId);
    expect((await at.api.get(`/users/${id}`)).body).toMatchObject({ status: 'active', held: null });
  });
});

describe('a deleted directory', () => {
  long('leaves its users active, unmanaged and unchanged, and forwards nothing', async () => {
    const at = await house({
      attribute_map: { external_id: 'employeeNumber', email: 'userName', first_name: 'nickName' },
      may_grant_console: true,
    });
    const name = `${fresh()}@x.example`;
    const id = await madeUser(
      at.scim,
      user(name, {
        externalId: 'SCIM',
        nickName: 'Nick',
        name: { givenName: 'Given', familyName: 'Family' },
        emails: [{ value: `other-${name}` }],
        roles: [{ value: 'Admin' }],
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
        [ENTERPRISE]: { employeeNumber: '007' },
      }),
    );
    const plain = await madeUser(at.scim, user(`${fresh()}@x.example`));
    const ruled = await madeUser(at.scim);
    const groupId = await madeGroup(at.scim, [ruled]);
    await at.api.put(`/directories/${at.directoryId}/rules`, { rules: [{ group_id: groupId, role: 'Observer' }] });
    await at.scim.patch(`/Groups/${groupId}`, patch({ op: 'remove', path: 'members' }));
    await at.scim.patch(`/Groups/${groupId}`, patch({ op: 'add', path: 'members', value: [{ value: ruled }] }));
    const before = await Promise.all([id, plain, ruled].map(async (each) => (await at.api.get(`/users/${each}`)).body));
    expect(before[0]).toMatchObject({
      email: name,
      first_name: 'Nick',
      last_name: 'Family',
      external_id: '007',
      role: 'Admin',
    });
    expect(before[2]).toMatchObject({ role: 'Observer', seat: 'none' });
    const told = await owed(at.tenantId);

    expect((await at.api.delete(`/directories/${at.directoryId}?force=true`)).status).toBe(204);
    expect((await at.scim.get('/Users')).status).toBe(401);
    const after = await Promise.all([id, plain, ruled].map(async (each) => (await at.api.get(`/users/${each}`)).body));
    expect(after).toEqual(before.map((each) => ({ ...each, managed_by: null })));
    expect(await owed(at.tenantId)).toBe(told);

    // From now on they are the API's, which changes only what it names.
    for (const [i, each] of [id, plain, ruled].entries()) {
      const changed = await at.api.patch(`/users/${each}`, { last_name: 'Changed' });
      expect(changed.body).toEqual({ ...after[i], last_name: 'Changed', updated_at: expect.any(String) });
    }
    // And another directory finds and takes them over.
    const next = scim(service.url, (await service.newDirectory(at.tenantId)).token);
    const linked = await next.post('/Users', user(fresh(), { externalId: '007' }));
    expect([linked.status, linked.body.id]).toEqual([201, id]);
  });
});
