import { sharedApp, type TestApp } from '../support/app.js';
import { newHouse, show, type House } from '../support/house.js';
import { client, eventually, type Client } from '../support/http.js';
import { someOf } from '../support/rounds.js';
import { bulk, fresh, mail, madeGroup, patch, replace, scim, user } from '../support/scim.js';

// Who a sign-in finds is authority too: a credential that may not give a right of administration does not decide who has it.

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

/** The rights that a user can have, and how an admin gives them. */
const RIGHTS: Record<string, (house: House, id: string) => Promise<unknown>> = {
  'no right': () => Promise.resolve(),
  'the right of an auditor': ({ api }, id) => api.patch(`/users/${id}`, { role: 'Auditor' }),
  'the right of an admin': ({ api }, id) => api.patch(`/users/${id}`, { role: 'Admin' }),
  'the ownership of the tenant': ({ api }, id) => api.patch('/tenant', { owner_user_id: id }),
  'a break-glass account': ({ api }, id) => api.patch('/tenant', { break_glass: [id] }),
};

/** A directory, by what an admin lets it give; `allow` runs once the user has its right. */
const CREDENTIALS: Record<
  string,
  { may: boolean; settings?: object; allow?: (house: House, by: Named) => Promise<unknown> }
> = {
  'a SCIM token': { may: false },
  'a SCIM token with may_grant_console': { may: true, settings: { may_grant_console: true } },
  'a SCIM token of a directory with a rule for the role': {
    may: true,
    allow: async ({ api }, { directoryId, by }) => {
      const group = await madeGroup(by, []);
      return api.put(`/directories/${directoryId}/rules`, { rules: [{ group_id: group, role: 'Admin' }] });
    },
  },
};

interface Named {
  directoryId: string;
  by: Client;
}

interface Target {
  house: House;
  by: Client;
  directoryId: string;
  id: string;
  email: string;
}

/** The writes by which a directory takes or moves the identity of a user. */
const MOVES: Record<string, (target: Target, other: string) => Promise<{ status: number }>> = {
  'PATCH of emails': ({ by, id }, other) =>
    by.patch(`/Users/${id}`, replace('emails', [{ value: other, type: 'work', primary: true }])),
  'PATCH of userName': ({ by, id }, other) => by.patch(`/Users/${id}`, replace('userName', other)),
  'PATCH of externalId': ({ by, id }) => by.patch(`/Users/${id}`, replace('externalId', fresh())),
  PUT: ({ by, id }, other) => by.put(`/Users/${id}`, user(other, { externalId: fresh() })),
  'Bulk with a PATCH': ({ by, id }, other) =>
    by.post('/Bulk', bulk([{ method: 'PATCH', path: `/Users/${id}`, data: replace('emails', [{ value: other }]) }])),
};

/** The writes that link a user of no directory, without a word about who it is. */
const LINKS: Record<string, (target: Target) => Promise<{ status: number }>> = {
  'PATCH of a title': ({ by, id }) => by.patch(`/Users/${id}`, replace('title', 'T')),
  'POST by e-mail': ({ by, email }) => by.post('/Users', user(email)),
  'POST by e-mail under another userName': ({ by, email }) =>
    by.post('/Users', user(mail(), { emails: [{ value: email, primary: true }] })),
  DELETE: ({ by, id }) => by.delete(`/Users/${id}`),
};

async function target(right: string, credential: string, managed: boolean): Promise<Target> {
  const house = await newHouse(service);
  await house.api.post('/roles', { name: 'Auditor', takes_seat: false, console: 'auditor' });
  const { settings, allow } = CREDENTIALS[credential]!;
  const { id: directoryId, token } = await service.newDirectory(house.tenantId, settings);
  const by = scim(service.url, token);
  const email = mail();
  const id = managed
    ? (await by.post('/Users', user(email, { externalId: fresh() }))).body.id
    : (await house.api.post('/users', { email, first_name: 'B', last_name: 'O' })).body.id;
  await RIGHTS[right]!(house, id);
  await allow?.(house, { directoryId, by });
  return { house, by, directoryId, id, email };
}

const identityOf = async ({ house, id }: Target): Promise<unknown[]> => {
  const { email, external_id: key, status, role, managed_by: by } = await show(house, id);
  return [email, key, status, role, by?.id ?? null];
};

const linesOf = async ({ house, id }: Target): Promise<string[]> => {
  const { body } = await house.api.get(`/audit?target_type=user&target_id=${id}`);
  return body.data.map(({ action }: { action: string }) => action);
};

const eventsOf = async ({ house }: Target): Promise<unknown[]> => {
  const { body } = await house.api.get('/events?event=administrator.identity_changed');
  return body.data;
};

interface Case {
  right: string;
  credential: string;
  managed: boolean;
  name: string;
  write: (target: Target) => Promise<{ status: number }>;
}

const cases: Case[] = Object.keys(RIGHTS).flatMap((right) =>
  Object.keys(CREDENTIALS).flatMap((credential) => [
    ...Object.entries(MOVES).flatMap(([name, write]) =>
      [true, false].map((managed) => ({ right, credential, managed, name, write: (to: Target) => write(to, mail()) })),
    ),
    ...Object.entries(LINKS).map(([name, write]) => ({ right, credential, managed: false, name, write })),
  ]),
);

describe('a user with a right of administration', () => {
  const held = cases.filter(({ right, credential }) => right !== 'no right' && !CREDENTIALS[credential]!.may);
  it.each(
    someOf(
      held.map((one) => [one.right, one.managed ? 'managed' : 'unmanaged', one.credential, one.name, one] as const),
    ),
  )(
    'with %s, %s, stays who it is when %s sends %s',
    async (_right, _managed, credential, _name, { right, managed, write }) => {
      const to = await target(right, credential, managed);
      const before = await identityOf(to);
      const { status } = await write(to);
      expect([200, 201, 204]).toContain(status);
      expect(await identityOf(to)).toEqual(before);
      expect(await show(to.house, to.id)).toMatchObject({ held: 'needs_admin' });
      expect(await linesOf(to)).toContain('held.needs_admin');
      expect(await eventsOf(to)).toEqual([]);
      const { body } = await to.house.api.get('/held?reason=needs_admin');
      expect(body.data).toMatchObject([{ user_id: to.id, reason: 'needs_admin' }]);
    },
  );
});

describe('a directory that may give the right', () => {
  const free = cases.filter(
    ({ right, credential, name }) => right !== 'no right' && CREDENTIALS[credential]!.may && name !== 'DELETE',
  );
  it.each(
    someOf(
      free.map((one) => [one.credential, one.name, one.managed ? 'managed' : 'unmanaged', one.right, one] as const),
    ),
  )(
    '%s: %s takes effect for an %s user with %s, and an event names it',
    async (credential, _name, _managed, _right, { right, managed, write }) => {
      const to = await target(right, credential, managed);
      expect([200, 201]).toContain((await write(to)).status);
      expect(await show(to.house, to.id)).toMatchObject({ held: null });
      expect(await eventsOf(to)).toMatchObject([{ data: { user_id: to.id } }]);
      expect(await linesOf(to)).toContain('administrator.identity_changed');
    },
  );
});

it.each(
  cases.filter(({ right, name }) => right === 'no right' && name !== 'DELETE').map((one) => [one.name, one] as const),
)('a user without a right is written by %s, and not held', async (_, { credential, managed, write, right }) => {
  const to = await target(right, credential, managed);
  expect([200, 201]).toContain((await write(to)).status);
  expect(await show(to.house, to.id)).toMatchObject({ held: null, status: 'active' });
  expect(await eventsOf(to)).toEqual([]);
});

describe('a write that waits for an admin', () => {
  const moved = async (managed: boolean) => {
    const to = await target('the right of an admin', 'a SCIM token', managed);
    const other = mail();
    await MOVES['PATCH of emails']!(to, other);
    return { to, other };
  };

  it.each([true, false])('is read back by its directory, and found by its filters (managed: %s)', async (managed) => {
    const { to, other } = await moved(managed);
    await to.by.patch(`/Users/${to.id}`, replace('userName', other));
    expect((await to.by.get(`/Users/${to.id}`)).body).toMatchObject({ userName: other, emails: [{ value: other }] });
    const found = await to.by.get(`/Users?filter=${encodeURIComponent(`userName eq "${other}"`)}`);
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id: to.id }] });
    const written = (await to.house.api.get(`/users/${to.id}/resource`)).body.written;
    expect(written).toMatchObject({ userName: other });
    expect((await to.house.api.get('/held')).body.data).toMatchObject([{ written: { email: other } }]);
  });

  it.each([true, false])('takes effect when an admin releases it (managed: %s)', async (managed) => {
    const { to, other } = await moved(managed);
    expect((await to.house.api.post(`/held/${to.id}/release`, {})).body).toMatchObject({ email: other, held: null });
    expect(await show(to.house, to.id)).toMatchObject({
      email: other,
      role: 'Admin',
      managed_by: { id: expect.any(String) },
    });
    expect(await eventsOf(to)).toMatchObject([{ data: { user_id: to.id } }]);
    // The next one waits again.
    await MOVES['PATCH of emails']!(to, mail());
    expect(await show(to.house, to.id)).toMatchObject({ email: other, held: 'needs_admin' });
  });

  it.each([true, false])(
    'is gone when an admin discards it: the directory reads what is in force (managed: %s)',
    async (managed) => {
      const { to } = await moved(managed);
      const before = await identityOf(to);
      expect((await to.house.api.post(`/held/${to.id}/discard`, {})).body).toMatchObject({
        email: to.email,
        held: null,
      });
      expect(await identityOf(to)).toEqual(before);
      const { userName, emails = [{ value: userName }] } = (await to.by.get(`/Users/${to.id}`)).body;
      expect(emails).toMatchObject([{ value: to.email }]);
      expect(await linesOf(to)).toContain('held.discarded');
    },
  );

  it.each<[string, (to: Target) => Promise<unknown>]>([
    [
      'a changed rule',
      async ({ house, by, directoryId }) => {
        const group_id = await madeGroup(by, []);
        await house.api.put(`/directories/${directoryId}/rules`, { rules: [{ group_id, role: 'Observer' }] });
      },
    ],
    [
      'a new membership',
      async ({ house, by, directoryId, id }) => {
        const group_id = await madeGroup(by, []);
        await house.api.put(`/directories/${directoryId}/rules`, { rules: [{ group_id, role: 'Observer' }] });
        await by.patch(`/Groups/${group_id}`, patch({ op: 'add', path: 'members', value: [{ value: id }] }));
      },
    ],
    [
      'another default role',
      ({ house, directoryId }) => house.api.patch(`/directories/${directoryId}`, { default_role: 'Observer' }),
    ],
    [
      'another attribute map',
      ({ house, directoryId }) =>
        house.api.patch(`/directories/${directoryId}`, { attribute_map: { external_id: 'employeeNumber' } }),
    ],
    [
      'a preview that goes live',
      async ({ house, directoryId }) => {
        await house.api.patch(`/directories/${directoryId}`, { state: 'preview' });
        await house.api.patch(`/directories/${directoryId}`, { state: 'live' });
      },
    ],
  ])('waits after %s', async (_, next) => {
    const to = await target('the ownership of the tenant', 'a SCIM token', true);
    const other = mail();
    await MOVES['PATCH of emails']!(to, other);
    await next(to);
    await eventually(
      async () => (await to.house.api.get('/tasks?limit=50')).body.data as { state: string }[],
      (tasks) => tasks.every(({ state }) => state === 'done'),
    );
    expect(await show(to.house, to.id)).toMatchObject({ email: to.email, held: 'needs_admin' });
    const { body } = await to.by.get(`/Users/${to.id}`);
    expect(body.emails).toMatchObject([{ value: other }]);
  });

  it('ends when the directory takes it back', async () => {
    const { to } = await moved(true);
    await MOVES['PATCH of emails']!(to, to.email);
    expect(await show(to.house, to.id)).toMatchObject({ email: to.email, held: null });
  });

  it('lets the rest of the write take effect: names, and a departure', async () => {
    const { to } = await moved(true);
    const other = mail();
    await to.by.patch(`/Users/${to.id}`, patch({ op: 'replace', value: { userName: other, 'name.givenName': 'New' } }));
    expect(await show(to.house, to.id)).toMatchObject({ first_name: 'New', email: to.email, held: 'needs_admin' });
    await to.by.patch(`/Users/${to.id}`, replace('active', false));
    expect(await show(to.house, to.id)).toMatchObject({ status: 'inactive', email: to.email });
    // The way back into force is the admin's.
    await to.by.patch(`/Users/${to.id}`, replace('active', true));
    expect(await show(to.house, to.id)).toMatchObject({ status: 'inactive', held: 'needs_admin' });
  });

  it('ends with the directory', async () => {
    const { to } = await moved(false);
    const { body } = await to.house.api.get('/held');
    await to.house.api.delete(`/directories/${body.data[0].directory_id}?force=true`);
    expect(await show(to.house, to.id)).toMatchObject({ email: to.email, role: 'Admin', managed_by: null, held: null });
  });

  it('is released and discarded by a task, which counts it', async () => {
    const { to } = await moved(true);
    const { body } = await to.house.api.post('/held/discard', { reason: 'needs_admin', dry_run: true });
    expect(body).toEqual({ count: 1 });
    const release = await to.house.api.post('/held/release', { user_ids: [to.id], dry_run: true });
    expect(release.body).toEqual({ count: 1, administrators: 1 });
  });
});

it.each(['email', 'external_id', 'status', 'role'])(
  'a key with users:write moves no %s of an administrator',
  async (field) => {
    const house = await newHouse(service);
    const made = await house.api.post('/api-keys', { name: 'script', scopes: ['users:read', 'users:write'] });
    const key = client(`${service.url}/api/v1`, made.body.api_key);
    const { id } = (await house.api.post('/users', { email: mail(), first_name: 'B', last_name: 'O', role: 'Admin' }))
      .body;
    if (field === 'status') await house.api.patch(`/users/${id}`, { status: 'inactive' });
    const value = { email: mail(), external_id: fresh(), status: 'active', role: 'User' }[field];
    expect((await key.patch(`/users/${id}`, { [field]: value })).body.code).toBe('role_needs_admin');
    await house.api.patch('/tenant', { break_glass: [id] });
    expect((await key.patch(`/users/${id}`, { email: mail() })).body.code).toBe('role_needs_admin');
  },
);
