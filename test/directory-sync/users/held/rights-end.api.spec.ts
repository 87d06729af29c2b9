import { sharedApp, type TestApp } from '../../../support/app.js';
import { type House, newHouse, show } from '../../../support/house.js';
import { eventually } from '../../../support/http.js';
import { long, someOf } from '../../../support/rounds.js';
import { fresh, madeGroup, madeUser, mail, patch, replace, user } from '../../../support/scim.js';

// In every held state a role, a seat or a session ends when the last write takes it away, whichever way it is taken.
let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const roles = (value: string) => [{ value, primary: true }];

interface Admin {
  at: House;
  id: string;
  group: string;
}

/** Makes a user with the role Admin by a group or by `roles`, held for the reason. */
async function heldAdmin(reason: string, by: 'group' | 'roles'): Promise<Admin> {
  const at = await newHouse(service, { may_grant_console: true });
  const key = fresh('E');
  await madeUser(at.scim, user(mail(), { externalId: key, emails: [{ value: `desk@${at.tenantId}.example` }] }));
  const given = by === 'roles' ? { roles: roles('Admin') } : {};
  const id = await madeUser(at.scim, user(fresh(), { emails: [{ value: mail() }], externalId: fresh('E'), ...given }));
  const group = await madeGroup(at.scim, [id]);
  if (by === 'group') {
    await at.api.put(`/directories/${at.directoryId}/rules`, { rules: [{ group_id: group, role: 'Admin' }] });
    await eventually(
      () => show(at, id),
      ({ role }) => role === 'Admin',
    );
  }
  const writes: Record<string, object> = {
    email_taken: replace('emails', [{ value: `desk@${at.tenantId}.example` }]),
    external_id_taken: replace('externalId', key),
    no_email: patch({ op: 'remove', path: 'emails' }),
  };
  await at.scim.patch(`/Users/${id}`, writes[reason]!);
  expect(await show(at, id)).toMatchObject({ role: 'Admin', status: 'active', held: reason });
  return { at, id, group };
}

type Road = (admin: Admin) => Promise<unknown>;
const rules = ({ at }: Admin, list: object[]) =>
  at.api.put(`/directories/${at.directoryId}/rules`, { rules: list, administrators: 1 });
const ROADS: [string, 'group' | 'roles', Road, string | null][] = [
  ['the user leaves the group', 'group', ({ at, id, group }) => at.scim.patch(`/Groups/${group}`, patch({ op: 'remove', path: `members[value eq "${id}"]` })), 'User'],
  ['the group is replaced without the user', 'group', ({ at, group }) => at.scim.put(`/Groups/${group}`, { displayName: fresh(), schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'] }), 'User'],
  ['the group is emptied', 'group', ({ at, group }) => at.scim.patch(`/Groups/${group}`, replace('members', [])), 'User'],
  ['the group is deleted', 'group', ({ at, group }) => at.scim.delete(`/Groups/${group}`), 'User'],
  ['the rule gives another role', 'group', (admin) => rules(admin, [{ group_id: admin.group, role: 'Observer' }]), 'Observer'],
  ['the rule is gone', 'group', (admin) => rules(admin, []), 'User'],
  ['`roles` names another role', 'roles', ({ at, id }) => at.scim.patch(`/Users/${id}`, replace('roles', roles('Observer'))), 'Observer'],
  ['`roles` is gone', 'roles', ({ at, id }) => at.scim.patch(`/Users/${id}`, patch({ op: 'remove', path: 'roles' })), 'User'],
  ['`roles` is gone, and the default is none', 'roles', async ({ at, id }) => {
    await at.api.patch(`/directories/${at.directoryId}`, { default_role: null });
    await at.scim.patch(`/Users/${id}`, patch({ op: 'remove', path: 'roles' }));
  }, null],
]; // prettier-ignore
const REASONS = ['email_taken', 'external_id_taken', 'no_email'];

describe.each(REASONS)('the role of a user who is held as %s ends', (reason) => {
  it.each(reason === 'email_taken' ? ROADS : someOf(ROADS))('when %s', async (_, by, road, role) => {
    const admin = await heldAdmin(reason, by);
    const { at, id } = admin;
    await road(admin);
    const after = await eventually(
      () => show(at, id),
      (one) => one.role !== 'Admin',
    );
    const seat = role === 'User' ? 'held' : 'none';
    const held = role === null ? 'no_role' : reason;
    expect(after).toMatchObject({ role, seat, held, status: role === null ? 'inactive' : 'active' });
    const { rows } = await service.db.query(
      `select person ->> 'role' as role, forwarded, sessions_ended_at is not null as ended from changes
       where user_id = $1 order by sequence desc limit 1`,
      [id],
    );
    expect(rows).toEqual([{ role, forwarded: true, ended: true }]);
  });

  long('when the default role changes', async () => {
    const { at, id } = await heldAdmin(reason, 'roles');
    await at.scim.patch(`/Users/${id}`, patch({ op: 'remove', path: 'roles' }));
    expect(await show(at, id)).toMatchObject({ role: 'User', held: reason });
    await at.api.patch(`/directories/${at.directoryId}`, { default_role: 'Observer' });
    await eventually(
      () => show(at, id),
      (one) => one.role === 'Observer' && one.seat === 'none' && one.held === reason,
    );
  });

  long('when the user leaves, with the seat', async () => {
    const { at, id } = await heldAdmin(reason, 'group');
    await at.scim.patch(`/Users/${id}`, replace('active', false));
    expect(await show(at, id)).toMatchObject({ status: 'inactive', seat: 'none', held: null });
  });
});

it.each([
  ['email_taken', 'emails', [{ value: 'desk' }]],
  ['external_id_taken', 'externalId', 'desk'],
])('%s holds back nothing but its value', async (reason, path, value) => {
  const at = await newHouse(service);
  await madeUser(at.scim, user('desk', { externalId: 'desk', emails: [{ value: `desk@x.example` }] }));
  const own = mail();
  const id = await madeUser(at.scim, user(fresh(), { emails: [{ value: own }], externalId: 'own' }));
  const taken = path === 'emails' ? [{ value: 'desk@x.example' }] : value;
  const write = patch(
    { op: 'replace', path, value: taken },
    { op: 'add', path: 'name', value: { givenName: 'New', familyName: 'Name' } },
    { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:costCenter', value: 'CC' },
    path === 'emails'
      ? { op: 'replace', path: 'externalId', value: 'next' }
      : { op: 'replace', path: 'emails', value: [{ value: 'next@x.example' }] },
  );
  expect((await at.scim.patch(`/Users/${id}`, write)).status).toBe(200);
  const kept =
    path === 'emails' ? { email: own, external_id: 'next' } : { email: 'next@x.example', external_id: 'own' };
  expect(await show(at, id)).toMatchObject({ ...kept, first_name: 'New', last_name: 'Name', held: reason });
  const { rows } = await service.db.query('select cost_center from users where id = $1', [id]);
  expect(rows).toEqual([{ cost_center: 'CC' }]);
});

describe('a user who comes back with the e-mail of another one', () => {
  it('is active with the former e-mail, unless a third user has that', async () => {
    const at = await newHouse(service);
    const [own, desk] = [mail(), mail()];
    await madeUser(at.scim, user(fresh(), { emails: [{ value: desk }] }));
    const id = await madeUser(at.scim, user(fresh(), { emails: [{ value: own }] }));
    const back = replace('active', true);
    const leave = replace('active', false);
    await at.scim.patch(`/Users/${id}`, leave);
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', value: { active: true, emails: [{ value: desk }] } }));
    expect(await show(at, id)).toMatchObject({ status: 'active', email: own, seat: 'held', held: 'email_taken' });
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', value: { active: false, emails: [{ value: own }] } }));
    await madeUser(at.scim, user(fresh(), { emails: [{ value: own }] }));
    await at.scim.patch(`/Users/${id}`, replace('emails', [{ value: desk }]));
    await at.scim.patch(`/Users/${id}`, back);
    expect(await show(at, id)).toMatchObject({ status: 'inactive', seat: 'none', held: 'email_taken' });
  });
});

describe('a role that waits for a seat', () => {
  /** Makes an active user with a role of its own that takes no seat, in a tenant without a free seat. */
  async function observer(directory: object = {}): Promise<{ at: House; id: string }> {
    const at = await newHouse(service, directory);
    await at.api.post('/roles', { name: 'Guest', takes_seat: false });
    await at.api.put('/seats/limit', { limit: 0 });
    const id = await madeUser(at.scim, user(mail(), { roles: roles('Guest') }));
    expect(await show(at, id)).toMatchObject({ role: 'Guest', status: 'active', held: null });
    return { at, id };
  }

  it('leaves a user out of force whose former role is not given any more', async () => {
    const { at, id } = await observer();
    const write = { roles: roles('User'), name: { givenName: 'New' } };
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', value: write }));
    expect(await show(at, id)).toMatchObject({
      status: 'inactive',
      seat: 'waiting',
      held: 'no_seat',
      first_name: 'New',
    });
    await at.api.put('/seats/limit', { limit: 1 });
    await eventually(
      () => show(at, id),
      (one) => one.role === 'User' && one.status === 'active' && one.held === null,
    );
  });

  long('leaves a user the next role that is given and takes no seat', async () => {
    const { at, id } = await observer({ default_role: 'Observer' });
    await at.scim.patch(`/Users/${id}`, replace('roles', roles('User')));
    expect(await show(at, id)).toMatchObject({ role: 'Observer', status: 'active', seat: 'waiting', held: 'no_seat' });
  });
});

it('the users API takes a role back from a user of a directory in preview', async () => {
  const at = await newHouse(service);
  const id = await madeUser(at.scim, user(mail(), { name: { givenName: 'Old' } }));
  await at.api.patch(`/users/${id}`, { role: 'Admin' });
  await at.api.patch(`/directories/${at.directoryId}`, { state: 'preview' });
  await at.scim.patch(`/Users/${id}`, replace('name.givenName', 'New'));
  expect(await show(at, id)).toMatchObject({ role: 'Admin', first_name: 'Old', held: 'preview' });
  expect((await at.api.patch(`/users/${id}`, { role: 'User' })).status).toBe(200);
  expect(await show(at, id)).toMatchObject({ role: 'User', first_name: 'Old', held: 'preview', status: 'active' });
});
