import { sharedApp, type TestApp } from '../../support/app.js';
import { type House, newHouse, show } from '../../support/house.js';
import { eventually } from '../../support/http.js';
import { someOf } from '../../support/rounds.js';
import { ENTERPRISE, fresh, madeGroup, madeUser, mail, patch, replace, scim, user } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

type Kind = 'the owner' | 'a break-glass account';
/** A protected user and an ordinary one, whose role a group gives. The ordinary one shows that the way out works. */
async function pair(kind: Kind) {
  const at = await newHouse(service, { default_role: null });
  const [kept, other] = [await madeUser(at.scim, user(mail())), await madeUser(at.scim, user(mail()))];
  const group = await madeGroup(at.scim, [kept, other]);
  const rule = await at.api.put(`/directories/${at.directoryId}/rules`, {
    rules: [{ group_id: group, role: 'Admin' }],
  });
  expect(rule.status).toBe(200);
  for (const id of [kept, other]) await eventually(() => show(at, id), ({ status }) => status === 'active'); // prettier-ignore
  await at.api.patch('/tenant', kind === 'the owner' ? { owner_user_id: kept } : { break_glass: [kept] });
  return { at, kept, other, group };
}

type Way = (parts: Awaited<ReturnType<typeof pair>>) => Promise<unknown>;
const both = (way: (at: House, id: string) => Promise<unknown>): Way => async ({ at, kept, other }) => {
  for (const id of [kept, other]) await way(at, id);
}; // prettier-ignore

const WAYS: [string, Way][] = [
  ['active: false', both((at, id) => at.scim.patch(`/Users/${id}`, replace('active', false)))],
  ['DELETE', both((at, id) => at.scim.delete(`/Users/${id}`))],
  ['Bulk', both((at, id) => at.scim.post('/Bulk', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
    Operations: [{ method: 'DELETE', path: `/Users/${id}` }],
  }))],
  ['a group without its members', ({ at, group }) => at.scim.patch(`/Groups/${group}`, patch({ op: 'remove', path: 'members' }))],
  ['a replaced group', ({ at, group }) => at.scim.put(`/Groups/${group}`, { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: fresh() })],
  ['a deleted group', ({ at, group }) => at.scim.delete(`/Groups/${group}`)],
  ['changed rules', async ({ at }) => {
    const { administrators } = (await at.api.post(`/directories/${at.directoryId}/rules/plan`, { rules: [] })).body;
    await at.api.put(`/directories/${at.directoryId}/rules`, { rules: [], administrators });
  }],
  ['a directory that takes over', async ({ at, kept, other }) => {
    const next = await service.newDirectory(at.tenantId, { takes_over: at.directoryId, may_grant_console: true });
    for (const id of [kept, other]) {
      await scim(service.url, next.token).patch(`/Users/${id}`, replace('active', false));
    }
  }],
]; // prettier-ignore

describe.each<Kind>(['the owner', 'a break-glass account'])('%s', (kind) => {
  it.each(someOf(WAYS))('is not deactivated by %s', async (_, way) => {
    const parts = await pair(kind);
    const { at, kept, other } = parts;
    const before = await show(at, kept);
    await way(parts);
    await eventually(
      () => at.api.get(`/users/${other}`),
      ({ status, body }) => status === 404 || body.status === 'inactive',
    );
    expect(await eventually(() => show(at, kept), ({ held }) => held !== null)).toMatchObject({
      status: 'active',
      role: before.role,
      seat: 'held',
      held: 'protected',
    }); // prettier-ignore
  });
});

describe('the owner', () => {
  it('is not deactivated by the default role of the directory, nor by the removal of SCIM roles', async () => {
    for (const [first, roles, way] of [
      ['User', undefined, (at: House) => at.api.patch(`/directories/${at.directoryId}`, { default_role: null })],
      [
        null,
        [{ value: 'Admin' }],
        (at: House, id: string) => at.scim.patch(`/Users/${id}`, patch({ op: 'remove', path: 'roles' })),
      ],
    ] as const) // prettier-ignore
    {
      const at = await newHouse(service, { default_role: first, may_grant_console: true });
      const owner = await madeUser(at.scim, user(mail(), roles ? { roles } : {}));
      await at.api.patch('/tenant', { owner_user_id: owner });
      await way(at, owner);
      expect(
        await eventually(
          () => show(at, owner),
          ({ held }) => held !== null,
        ),
      ).toMatchObject({ status: 'active', seat: 'held', held: 'protected' });
      // Released, it is as written.
      const released = await at.api.post(`/held/${owner}/release`, {});
      expect(released.body).toMatchObject({ status: 'inactive', role: null, seat: 'none', held: 'no_role' });
    }
  });

  it('gets a role with more rights without a hold', async () => {
    const at = await newHouse(service, { may_grant_console: true });
    const owner = await madeUser(at.scim, user(mail(), { [ENTERPRISE]: { department: 'D' } }));
    await at.api.patch('/tenant', { owner_user_id: owner });
    await at.scim.patch(`/Users/${owner}`, patch({ op: 'add', path: 'roles', value: [{ value: 'Admin' }] }));
    expect(await show(at, owner)).toMatchObject({ status: 'active', role: 'Admin', held: null });
  });
});
