import { PeopleUpkeep } from '../../../src/directory-sync/users/people/people-upkeep.js';
import { signInStage } from '../../support/sign-in/stage.js';
import { OidcWay, outcomeAt, trustDomain } from '../../support/sign-in/connections.js';
import { commandLine } from '../../support/cli.js';
import { client, eventually } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { long } from '../../support/rounds.js';
import { fresh, group, madeGroup, madeUser, patch, scim, user } from '../../support/scim.js';

// Why a user has changed: a row for each kind of cause.
const stage = signInStage();

const mail = () => `${fresh()}@x.example`;
const replace = (path: string, value: unknown) => patch({ op: 'replace', path, value });
const rules = (at: House, ...given: { group_id: string; role: string }[]) =>
  at.api.put(`/directories/${at.directoryId}/rules`, { rules: given });
const show = async (at: House, id: string) => (await at.api.get(`/users/${id}`)).body;
const inState = (at: House, id: string, state: object) =>
  eventually(() => show(at, id), (now) => Object.entries(state).every(([name, value]) => now[name] === value)); // prettier-ignore
const tasksDone = (at: House) =>
  eventually(
    () => at.api.get(`/directories/${at.directoryId}/tasks`),
    ({ body }) => body.data.every(({ state }: { state: string }) => state === 'done'),
  );
const changes = async (at: House, id: string) =>
  (await at.api.get(`/users/${id}/history?kind=change`)).body.data as Record<string, any>[]; // eslint-disable-line @typescript-eslint/no-explicit-any -- read field by field
const apiUser = async (at: House, more: object = {}): Promise<string> =>
  (await at.api.post('/users', { email: mail(), first_name: 'Ann', last_name: 'Other', ...more })).body.id as string;

/** A user of a group that a rule names, and the group. */
async function ruled(at: House): Promise<{ id: string; groupId: string; name: string }> {
  const id = await madeUser(at.scim, user(mail()));
  const name = fresh('Sales ');
  const { body } = await at.scim.post('/Groups', group(name, { members: [{ value: id }] }));
  await rules(at, { group_id: body.id, role: 'Admin' });
  await inState(at, id, { role: 'Admin' });
  return { id, groupId: body.id, name };
}

/** A user whose deactivation by the directory is held, because the user is the owner. */
async function protectedUser(at: House): Promise<string> {
  const id = await madeUser(at.scim, user(mail()));
  await at.api.patch('/tenant', { owner_user_id: id });
  await at.scim.patch(`/Users/${id}`, replace('active', false));
  return id;
}

/** A user who waits for a seat, and the user who holds the only one. */
async function waiting(at: House): Promise<{ id: string; holder: string }> {
  const holder = await madeUser(at.scim, user(mail()));
  await at.api.put('/seats/limit', { limit: 1 });
  return { holder, id: await madeUser(at.scim, user(mail())) };
}

async function signedIn(at: House, ...groups: string[][]): Promise<string> {
  const domain = `${fresh('d')}.example.com`;
  await trustDomain(stage.service, at.tenantId, domain);
  const more = { jit: true, role_map: { bosses: 'Admin' }, claim_map: { role: 'groups' }, name: 'SSO' };
  const door = await OidcWay.open(stage.service, at, more, stage.op);
  const email = `${fresh()}@${domain}`;
  let id = '';
  for (const one of groups) id = await outcomeAt(at, door, { sub: email, email, groups: one });
  return id;
}

type Case = [why: string, act: (at: House) => Promise<string>, change: object];
const byDirectory = { surface: 'scim', actor: { kind: 'directory', name: 'Directory' } };
const CASES: Case[] = [
  [
    'default role; written by the directory',
    (at) => madeUser(at.scim, user('new@x.example')),
    {
      event: 'created',
      from: null,
      to: { email: 'new@x.example', role: 'User', status: 'active' },
      source: byDirectory,
      cause: { kind: 'written', role: { by: 'default' }, words: 'written by the directory; default role' },
    },
  ],
  [
    'SCIM roles',
    (at) => madeUser(at.scim, user(mail(), { roles: [{ value: 'Observer', primary: true }] })),
    { to: { role: 'Observer' }, cause: { kind: 'written', role: { by: 'roles', value: 'Observer' } } },
  ],
  [
    'former and new value of a field',
    async (at) => {
      const id = await madeUser(at.scim, user(mail(), { name: { givenName: 'Ada', familyName: 'King' } }));
      await at.scim.patch(`/Users/${id}`, replace('name.familyName', 'Byron'));
      return id;
    },
    { from: { last_name: 'King' }, to: { last_name: 'Byron' }, cause: { kind: 'written' } },
  ],
  [
    'users API',
    async (at) => {
      const id = await apiUser(at);
      await at.api.patch(`/users/${id}`, { role: 'Admin' });
      return id;
    },
    {
      from: { role: 'User' },
      to: { role: 'Admin' },
      source: { surface: 'api', actor: { kind: 'key' } },
      cause: {
        kind: 'written',
        role: { by: 'set' },
        words: 'written through the users API; role as set for the user',
      },
    },
  ],
  [
    'a new rule',
    async (at) => (await ruled(at)).id,
    {
      from: { role: 'User' },
      to: { role: 'Admin' },
      source: { surface: 'system', actor: { kind: 'key' } },
      cause: { kind: 'settings', role: { by: 'rule', group: { name: expect.stringMatching(/^Sales /) } } },
    },
  ],
  [
    'joining a group',
    async (at) => {
      const { groupId } = await ruled(at);
      const id = await madeUser(at.scim, user(mail()));
      await at.scim.patch(`/Groups/${groupId}`, patch({ op: 'add', path: 'members', value: [{ value: id }] }));
      return id;
    },
    {
      to: { role: 'Admin' },
      source: byDirectory,
      cause: {
        kind: 'membership',
        group: { name: expect.stringMatching(/^Sales /) },
        role: { by: 'rule', group: { name: expect.stringMatching(/^Sales /) } },
        words: expect.stringMatching(
          /^membership of the group Sales .+ has changed; role by the rule for the group Sales /,
        ),
      },
    },
  ],
  [
    'a deleted group, with its name',
    async (at) => {
      const { id, groupId } = await ruled(at);
      await at.scim.delete(`/Groups/${groupId}`);
      await inState(at, id, { role: 'User' });
      return id;
    },
    {
      from: { role: 'Admin' },
      to: { role: 'User' },
      cause: { kind: 'membership', group: { name: expect.stringMatching(/^Sales /) }, role: { by: 'default' } },
    },
  ],
  [
    'no role any more',
    async (at) => {
      const { id } = await ruled(at);
      await at.api.patch(`/directories/${at.directoryId}`, { default_role: null });
      await at.api.put(`/directories/${at.directoryId}/rules`, { rules: [], administrators: 1 });
      await inState(at, id, { status: 'inactive' });
      return id;
    },
    {
      event: 'deactivated',
      from: { status: 'active' },
      to: { role: null, status: 'inactive' },
      cause: { kind: 'settings', role: { by: 'none' }, held: 'no_role' },
    },
  ],
  [
    'value of the role map at sign-in',
    (at) => signedIn(at, ['staff'], ['bosses']),
    {
      from: { role: 'User' },
      to: { role: 'Admin' },
      source: { surface: 'sign-in', actor: { name: 'sign-in: SSO' } },
      cause: {
        kind: 'written',
        role: { by: 'role_map', value: 'bosses' },
        words: 'written at sign-in; role by the role map value bosses',
      },
    },
  ],
  [
    'default role of the connection',
    (at) => signedIn(at, ['bosses'], ['staff']),
    { from: { role: 'Admin' }, to: { role: 'User' }, cause: { kind: 'written', role: { by: 'default' } } },
  ],
  [
    'a link',
    async (at) => {
      const email = mail();
      await apiUser(at, { email });
      return (await at.scim.post('/Users', user(email, { externalId: 'x' }))).body.id;
    },
    { event: 'updated', from: { external_id: null }, to: { external_id: 'x' }, cause: { kind: 'linked' } },
  ],
  [
    'a held user',
    async (at) => (await waiting(at)).id,
    { event: 'created', to: { status: 'inactive' }, cause: { kind: 'written', held: 'no_seat' } },
  ],
  [
    'a free seat',
    async (at) => {
      const { id, holder } = await waiting(at);
      await at.scim.delete(`/Users/${holder}`);
      await inState(at, id, { status: 'active' });
      return id;
    },
    {
      from: { status: 'inactive' },
      to: { status: 'active' },
      source: { surface: 'system', actor: { name: 'waiting list' } },
      cause: { kind: 'hold_ended', reason: 'no_seat', words: 'a seat became free' },
    },
  ],
  [
    'a release',
    async (at) => {
      const { id } = await waiting(at);
      await at.api.post(`/held/${id}/release`);
      return id;
    },
    {
      from: { status: 'inactive' },
      to: { status: 'active' },
      source: { actor: { kind: 'key' } },
      cause: { kind: 'released', reason: 'no_seat', words: 'released by an admin, was held as no_seat' },
    },
  ],
  [
    'the release of a removal',
    async (at) => {
      const id = await protectedUser(at);
      await at.scim.delete(`/Users/${id}`);
      await at.api.post(`/held/${id}/release`);
      return id;
    },
    { event: 'deleted', to: { status: 'deleted' }, cause: { kind: 'released', reason: 'protected' } },
  ],
  [
    'a discard',
    async (at) => {
      const { id } = await waiting(at);
      await at.api.post(`/held/${id}/discard`);
      return id;
    },
    { event: 'updated', to: {}, cause: { kind: 'discarded', reason: 'no_seat' } },
  ],
  [
    'the end of the protection',
    async (at) => {
      const id = await protectedUser(at);
      await at.api.patch('/tenant', { owner_user_id: await apiUser(at) });
      await inState(at, id, { status: 'inactive' });
      return id;
    },
    {
      event: 'deactivated',
      source: { actor: { kind: 'key' } },
      cause: { kind: 'hold_ended', reason: 'protected', words: expect.stringContaining('no longer the owner') },
    },
  ],
  [
    'an exchange of e-mails',
    async (at) => {
      const mails = [mail(), mail()];
      const ids = [await madeUser(at.scim, user(mails[0]!)), await madeUser(at.scim, user(mails[1]!))];
      for (const [i, id] of ids.entries()) {
        await at.scim.patch(`/Users/${id}`, replace('emails', [{ value: mails[1 - i], primary: true }]));
      }
      return ids[0]!;
    },
    {
      event: 'updated',
      changed: ['email'],
      cause: { kind: 'exchanged', users: [expect.stringMatching(/^usr_/)], words: expect.stringMatching(/usr_/) },
    },
  ],
  [
    'an e-mail that became free',
    async (at) => {
      const email = mail();
      const holder = await madeUser(at.scim, user(email));
      const id = await madeUser(at.scim, user(fresh(), { emails: [{ value: email, primary: true }] }));
      await at.scim.delete(`/Users/${holder}`);
      await inState(at, id, { status: 'active' });
      return id;
    },
    { source: { actor: { name: 'held users' } }, cause: { kind: 'hold_ended', reason: 'email_taken' } },
  ],
  [
    'the end of a takeover',
    async (at) => {
      const next = await stage.service.newDirectory(at.tenantId, { takes_over: at.directoryId });
      const id = await madeUser(at.scim, user(mail()));
      await at.api.patch(`/directories/${next.id}`, { takes_over: null });
      await stage.service.app.nest.get(PeopleUpkeep).admitHeld(at.tenantId);
      return id;
    },
    { to: { status: 'active' }, cause: { kind: 'hold_ended', reason: 'superseded' } },
  ],
  [
    'a directory that went live',
    async (at) => {
      await at.api.patch(`/directories/${at.directoryId}`, { state: 'preview' });
      const id = await madeUser(at.scim, user(mail()));
      await at.api.patch(`/directories/${at.directoryId}`, { state: 'live' });
      await inState(at, id, { status: 'active' });
      return id;
    },
    { to: { status: 'active' }, cause: { kind: 'live', words: 'the directory went live' } },
  ],
  [
    'a departure by the old directory during a takeover',
    async (at) => {
      const id = await madeUser(at.scim, user(mail()));
      await stage.service.newDirectory(at.tenantId, { takes_over: at.directoryId, name: 'New' });
      await at.scim.patch(`/Users/${id}`, replace('active', false));
      return id;
    },
    { event: 'deactivated', source: byDirectory, cause: { kind: 'written' } },
  ],
  [
    'a departure by a key',
    async (at) => {
      const id = await apiUser(at);
      await at.api.patch(`/users/${id}`, { status: 'inactive' });
      return id;
    },
    {
      event: 'deactivated',
      from: { status: 'active' },
      to: { status: 'inactive' },
      source: { surface: 'api', actor: { kind: 'key' } },
      cause: { kind: 'written', words: 'written through the users API' },
    },
  ],
];

it.each(CASES)('shows former value, new value and cause of a change: %s', async (_, act, expected) => {
  const at = await newHouse(stage.service);
  const id = await act(at);
  const [last] = await changes(at, id);
  expect(last).toMatchObject(expected);
  const csv = (await at.api.get(`/users/${id}/history?kind=change&format=csv`)).text;
  expect(csv).toContain(last!['cause'].words);
});

it('shows no cause and no former value when none was recorded', async () => {
  const { house: at } = stage;
  const id = await apiUser(at);
  await at.api.patch(`/users/${id}`, { last_name: 'New' });
  await stage.service.db.execute(`update changes set cause = null, status = null where user_id = '${id}'`);
  const [last, first] = await changes(at, id);
  expect(last).toMatchObject({ cause: null, from: { last_name: 'Other' }, to: { last_name: 'New' } });
  expect(first).toMatchObject({ cause: null, from: null });
  const { out } = await commandLine(stage.service, at.apiKey)('history', 'show', id, '--kind', 'change');
  expect(out).toMatch(/updated last_name Other → New +not recorded +key /);
});

it('notes that a removal is held', async () => {
  const { house: at } = stage;
  const id = await protectedUser(at);
  await at.scim.delete(`/Users/${id}`);
  const { body } = await at.api.get(`/users/${id}/history?kind=held`);
  expect(body.data).toMatchObject([{ event: 'held', reason: 'protected', source: byDirectory }]);
});

it('shows actor and request of each entry in the table', async () => {
  const { house: at } = stage;
  const key = (await at.api.post('/api-keys', { name: 'HR sync', scopes: ['users:write', 'users:read'] })).body.api_key;
  const id = (
    await client(`${stage.service.url}/api/v1`, key).post('/users', { email: mail(), first_name: 'A', last_name: 'B' })
  ).body.id;
  const { out } = await commandLine(stage.service, at.apiKey, 250)('history', 'show', id);
  expect(out).toMatch(/^at +kind +what +why +by +request_id +id\n/);
  expect(out).toMatch(/ change +created .* written through the users API; .* key HR sync +req_\w+ +chg_\d+\n/);
  expect(out).toMatch(/ seat +claim User created +- +key HR sync +req_\w+ +seat_\d+\n/);
});

describe('a user who has left', () => {
  long('is shown with time, actor and reason of the departure', async () => {
    const { house: at } = stage;
    const groupId = await madeGroup(at.scim, [], { displayName: 'Staff' });
    const id = await madeUser(at.scim, user(mail()));
    await at.scim.patch(`/Groups/${groupId}`, patch({ op: 'add', path: 'members', value: [{ value: id }] }));
    await rules(at, { group_id: groupId, role: 'User' });
    await at.api.patch(`/directories/${at.directoryId}`, { default_role: null });
    await tasksDone(at);
    expect((await at.api.get(`/users/${id}/explain`)).body.left).toBeNull();
    const left = await at.scim.delete(`/Groups/${groupId}`);
    expect(left.status).toBe(204);
    await inState(at, id, { status: 'inactive' });
    const { body } = await at.api.get(`/users/${id}/explain`);
    expect(body.left).toMatchObject({
      change_id: expect.stringMatching(/^chg_/),
      source: { actor: { kind: 'directory', name: 'Directory' } },
      cause: { kind: 'membership', group: { name: 'Staff' }, held: 'no_role' },
    });
    const { out } = await commandLine(stage.service, at.apiKey)('user', 'show', id);
    expect(out).toMatch(/^left_at +20\d\d-/m);
    expect(out).toMatch(/^left_by +directory Directory$/m);
    expect(out).toMatch(/^left_why +membership of the group Staff has changed; no role applies; held as no_role$/m);
    expect(out).toMatch(/^left_request_id +\S+$/m);
  });

  it('has no departure before it and after its return', async () => {
    const { house: at } = stage;
    const id = await apiUser(at, { status: 'inactive' });
    expect((await at.api.get(`/users/${id}/explain`)).body.left).toBeNull();
    await at.api.patch(`/users/${id}`, { status: 'active' });
    await at.api.patch(`/users/${id}`, { status: 'inactive' });
    expect((await at.api.get(`/users/${id}/explain`)).body.left.source.surface).toBe('api');
    await at.api.patch(`/users/${id}`, { status: 'active' });
    expect((await at.api.get(`/users/${id}/explain`)).body.left).toBeNull();
  });

  it('is shown with time, actor and reason after the deletion too', async () => {
    const { house: at } = stage;
    const email = mail();
    const id = await madeUser(at.scim, user(email));
    const cli = commandLine(stage.service, at.apiKey);
    await at.scim.delete(`/Users/${id}`);
    const { code, out } = await cli('user', 'show', id);
    expect([code, out]).toEqual([0, expect.stringMatching(/^status +deleted$/m)]);
    expect(out).toMatch(new RegExp(`^email +${email}$`, 'm'));
    expect(out).toMatch(/^left_by +directory Directory$/m);
    expect(out).toMatch(/^left_why +written by the directory$/m);
    expect(out).toMatch(new RegExp(`^next +history show ${id} `, 'm'));
    expect(await cli('user', 'show', email)).toMatchObject({ code: 1, err: expect.stringContaining('leavers list') });
    expect(await cli('user', 'show', id, '--json')).toMatchObject({ code: 1, out: '' });
    expect(await cli('user', 'show', 'usr_x')).toMatchObject({ code: 1, err: expect.stringContaining('No such user') });
  });

  it('is listed with actor and reason', async () => {
    const { house: at } = stage;
    const next = scim(stage.service.url, (await stage.service.newDirectory(at.tenantId, { name: 'Entra' })).token);
    const id = await madeUser(next, user(mail()));
    await next.delete(`/Users/${id}`);
    const { body } = await at.api.get(`/leavers/${id}`);
    expect(body.data).toMatchObject([
      { kind: 'deleted', cause: { kind: 'written', words: 'written by the directory' } },
    ]);
    expect((await commandLine(stage.service, at.apiKey, 300)('leavers', 'list')).out).toMatch(/ directory Entra /);
    expect((await at.api.get('/leavers?format=csv')).text).toMatch(/,why\r\n.*,written by the directory\r\n/);
  });
});
