import { sharedApp, type TestApp } from '../../support/app.js';
import { type House, newHouse, show } from '../../support/house.js';
import { eventually } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { fresh, madeGroup, madeUser, mail, patch, replace, scim, user } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const house = (directory?: object) => newHouse(service, directory);
const heldIn = async ({ api }: House, query = '') =>
  ((await api.get(`/held?limit=200${query}`)).body.data as { user_id: string; reason: string }[]).map((each) => [
    each.user_id,
    each.reason,
  ]);
const withMail = (email: string, more: object = {}) =>
  user(fresh(), { emails: [{ value: email, type: 'work', primary: true }], ...more });
/** What the platform received, or did not, in order. */
const changes = async (id: string) =>
  (
    await service.db.query<{ kind: string; forwarded: boolean }>(
      'select kind, forwarded from changes where user_id = $1 order by sequence',
      [id],
    )
  ).rows.map(({ kind, forwarded }) => `${kind}${forwarded ? '' : ' (not told)'}`);
const until = (at: House, id: string, held: string | null) =>
  eventually(
    () => show(at, id),
    (each) => each.held === held,
  );

describe('a user held as no_email', () => {
  it('has a seat, and is forwarded when an e-mail arrives', async () => {
    const at = await house();
    const id = await madeUser(at.scim, user(fresh()));
    expect(await show(at, id)).toMatchObject({ status: 'active', seat: 'held', held: 'no_email', email: null });
    expect(await heldIn(at)).toEqual([[id, 'no_email']]);
    await at.scim.patch(`/Users/${id}`, replace('title', 'T'));
    await at.scim.patch(`/Users/${id}`, replace('name.givenName', 'G'));
    const email = mail();
    await at.scim.patch(`/Users/${id}`, patch({ op: 'add', path: 'emails', value: [{ value: email }] }));
    expect(await show(at, id)).toMatchObject({ status: 'active', seat: 'held', held: null, email, first_name: 'G' });
    expect(await heldIn(at)).toEqual([]);
    expect((await changes(id)).filter((each) => !each.includes('not told'))).toHaveLength(1);
    expect((await at.api.post(`/held/${id}/release`, {})).status).toBe(404);
  });

  it('is never forwarded when it is deleted or deactivated before', async () => {
    const at = await house();
    for (const end of [
      (id: string) => at.scim.delete(`/Users/${id}`),
      (id: string) => at.scim.patch(`/Users/${id}`, replace('active', false)),
    ]) {
      const id = await madeUser(at.scim, user(fresh()));
      expect((await end(id)).status).toBeLessThan(300);
      expect((await changes(id)).every((each) => each.endsWith('(not told)'))).toBe(true);
    }
    expect((await at.api.get('/seats')).body.used).toBe(0);
  });

  it('cannot be released', async () => {
    const at = await house();
    const id = await madeUser(at.scim, user(fresh()));
    const answer = await at.api.post(`/held/${id}/release`, {});
    expect([answer.status, answer.body.code]).toEqual([409, 'cannot_be_released']);
  });
});

describe('a user held as email_taken', () => {
  long('comes into force when the address becomes free', async () => {
    for (const free of [
      (at: House, first: string) => at.scim.delete(`/Users/${first}`),
      (at: House, first: string) => at.scim.patch(`/Users/${first}`, replace('active', false)),
      (at: House, first: string) => at.scim.patch(`/Users/${first}`, replace('emails', [{ value: mail() }])),
    ]) {
      const at = await house();
      const email = mail();
      const first = await madeUser(at.scim, withMail(email));
      const second = await madeUser(at.scim, withMail(email.toUpperCase(), { name: { givenName: 'Second' } }));
      expect(await show(at, second)).toMatchObject({
        status: 'inactive',
        seat: 'none',
        held: 'email_taken',
        first_name: 'Second',
      });
      expect((await at.scim.get(`/Users/${second}`)).body).toMatchObject({
        active: true,
        emails: [{ value: email.toUpperCase() }],
      });
      expect(await changes(second)).toEqual(['created (not told)']);
      expect((await at.api.post(`/held/${second}/release`, {})).body.code).toBe('cannot_be_released');
      expect((await free(at, first)).status).toBeLessThan(300);
      expect(await until(at, second, null)).toMatchObject({
        status: 'active',
        seat: 'held',
        email: email.toUpperCase(),
      });
      expect((await changes(second)).at(-1)).toBe('created');
    }
  });

  it('is listed with the reason in words, the next step, and the user in the way', async () => {
    const at = await house();
    const first = await madeUser(at.scim, user(mail(), { name: { givenName: 'Ann', familyName: 'First' } }));
    const { email } = await show(at, first);
    const second = await madeUser(at.scim, user(mail(), { emails: [{ value: email, primary: true }] }));
    const alone = await madeUser(at.scim, user(fresh()));
    const { data } = (await at.api.get('/held')).body;
    expect(data).toHaveLength(2);
    expect(data.find(({ user_id }: { user_id: string }) => user_id === second)).toMatchObject({
      reason: 'email_taken',
      words: expect.stringContaining('Another active user has the e-mail address.'),
      next: expect.stringContaining('Change the e-mail of one of the two users'),
      releasable: false,
      conflicts: [{ field: 'email', value: email, user_id: first, name: 'Ann First', email }],
    });
    expect(data.find(({ user_id }: { user_id: string }) => user_id === alone)).toMatchObject({ conflicts: [] });
  });

  it('keeps the former values in force until the address is free', async () => {
    const at = await house();
    const [taken, own] = [mail(), mail()];
    const first = await madeUser(at.scim, withMail(taken));
    const second = await madeUser(at.scim, withMail(own));
    expect(
      (
        await at.scim.patch(
          `/Users/${second}`,
          patch(
            { op: 'replace', path: 'emails', value: [{ value: taken }] },
            { op: 'add', path: 'name.givenName', value: 'New' },
          ),
        )
      ).status,
    ).toBe(200);
    expect(await show(at, second)).toMatchObject({
      email: own, first_name: 'New', status: 'active', seat: 'held', held: 'email_taken',
    }); // prettier-ignore
    const { data } = (await at.api.get('/held')).body;
    expect(data).toMatchObject([
      {
        user_id: second,
        reason: 'email_taken',
        written: { email: taken, first_name: 'New', status: 'active' },
        in_force: { email: own },
      },
    ]);
    await at.scim.delete(`/Users/${first}`);
    expect(await until(at, second, null)).toMatchObject({ email: taken, first_name: 'New' });
  });

  it('is held by an e-mail of the users API too', async () => {
    const at = await house({ on_match: 'link' });
    const email = mail();
    // In force for a directory that is another one's: nothing to link with.
    const second = scim(service.url, (await service.newDirectory(at.tenantId)).token);
    await madeUser(second, withMail(email));
    const id = await madeUser(at.scim, withMail(email));
    expect(await show(at, id)).toMatchObject({ held: 'email_taken' });
    const refused = await at.api.post('/users', { email, first_name: 'A', last_name: 'B' });
    expect(refused.body.code).toBe('email_taken');
  });
});

describe('a user held as external_id_taken', () => {
  long('comes into force when the key is free; a release puts the user name in its place', async () => {
    const at = await house();
    const externalId = fresh('E');
    const first = await madeUser(at.scim, withMail(mail(), { externalId }));
    const second = await madeUser(at.scim, withMail(mail(), { externalId }));
    const name = fresh();
    const third = await madeUser(at.scim, user(name, { emails: [{ value: mail() }], externalId }));
    for (const id of [second, third])
      expect(await show(at, id)).toMatchObject({ status: 'inactive', held: 'external_id_taken' });
    const released = await at.api.post(`/held/${third}/release`, {});
    expect([released.status, released.body]).toEqual([
      200,
      expect.objectContaining({ status: 'active', seat: 'held', held: null, external_id: name }),
    ]);
    // It stays released: a later write holds no user again.
    await at.scim.patch(`/Users/${third}`, replace('title', 'T'));
    expect(await show(at, third)).toMatchObject({ status: 'active', held: null, external_id: name });
    await at.scim.delete(`/Users/${first}`);
    expect(await until(at, second, null)).toMatchObject({ status: 'active', external_id: externalId });
    const audit = (await at.api.get('/audit?limit=5')).body.data.find(
      (each: { action: string }) => each.action === 'held.released',
    );
    expect(audit).toMatchObject({
      target_id: third,
      before: { held: 'external_id_taken' },
      after: { held: null },
      actor: { kind: 'key' },
    });
  });
});

describe('the key of a user', () => {
  it('is externalId, else userName; stays when it is left out, and changes when another one comes', async () => {
    const at = await house();
    const [a, name] = [fresh('A'), fresh()];
    const id = await madeUser(at.scim, user(name, { externalId: a }));
    const key = async () => (await show(at, id)).external_id;
    expect(await key()).toBe(a);
    await at.scim.put(`/Users/${id}`, user(name, { title: 'T' }));
    expect((await at.scim.get(`/Users/${id}`)).body.externalId).toBeUndefined();
    expect(await key()).toBe(a);
    await at.scim.put(`/Users/${id}`, user(`${name}2`, { externalId: 'B' }));
    expect(await key()).toBe('B');
    expect((await at.api.get(`/resolve?type=user&external_id=${a}`)).body.id).toBe(id);

    const plain = await madeUser(at.scim, user(`${name}3`));
    expect((await show(at, plain)).external_id).toBe(`${name}3`);
    await at.scim.patch(`/Users/${plain}`, replace('userName', `${name}4`));
    expect((await show(at, plain)).external_id).toBe(`${name}4`);
    await at.scim.patch(`/Users/${plain}`, replace('externalId', 'C'));
    expect((await show(at, plain)).external_id).toBe('C');
  });
});

describe('a user held as no_role', () => {
  long('has no seat, and comes into force when a rule or roles give a role', async () => {
    const at = await house({ default_role: null });
    const id = await madeUser(at.scim, withMail(mail()));
    expect(await show(at, id)).toMatchObject({ status: 'inactive', seat: 'none', held: 'no_role', role: null });
    expect(await changes(id)).toEqual(['created (not told)']);
    const [admins, watchers] = [await madeGroup(at.scim), await madeGroup(at.scim)];
    await at.api.put(`/directories/${at.directoryId}/rules`, {
      rules: [
        { group_id: admins, role: 'Admin' },
        { group_id: watchers, role: 'Observer' },
      ],
    });
    const join = (group: string, op = 'add') =>
      at.scim.patch(`/Groups/${group}`, patch({ op, path: 'members', value: [{ value: id }] }));
    await join(watchers);
    expect(await show(at, id)).toMatchObject({ status: 'active', seat: 'none', role: 'Observer', held: null });
    await join(admins);
    expect(await show(at, id)).toMatchObject({ seat: 'held', role: 'Admin' });
    await at.scim.patch(
      `/Users/${id}`,
      patch({ op: 'add', path: 'roles', value: [{ value: 'Boss' }, { value: '{"value":"User"}', primary: true }] }),
    );
    expect(await show(at, id)).toMatchObject({ role: 'User' });
    await at.scim.patch(`/Users/${id}`, patch({ op: 'remove', path: 'roles' }));
    expect(await show(at, id)).toMatchObject({ role: 'Admin' });
    await join(admins, 'remove');
    expect(await show(at, id)).toMatchObject({ role: 'Observer', seat: 'none' });
    // A group that goes, or a rule that changes, is worked off afterwards.
    expect((await at.scim.delete(`/Groups/${watchers}`)).status).toBe(204);
    await eventually(
      () => show(at, id),
      ({ held }) => held === 'no_role',
    );
    expect(await show(at, id)).toMatchObject({ status: 'inactive', role: null, seat: 'none' });
    await join(admins);
    expect(
      (
        await at.api.put(`/directories/${at.directoryId}/rules`, {
          rules: [{ group_id: admins, role: 'User' }],
          administrators: 1,
        })
      ).status,
    ).toBe(200);
    await eventually(
      () => show(at, id),
      ({ role }) => role === 'User',
    );
    expect((await at.api.patch(`/directories/${at.directoryId}`, { default_role: 'Observer' })).status).toBe(200);
    await at.api.put(`/directories/${at.directoryId}/rules`, { rules: [] });
    await eventually(
      () => show(at, id),
      ({ role }) => role === 'Observer',
    );
    // Renaming keeps a rule, a re-created group does not inherit it.
    await at.api.put(`/directories/${at.directoryId}/rules`, { rules: [{ group_id: admins, role: 'Admin' }] });
    await eventually(
      () => show(at, id),
      ({ role }) => role === 'Admin',
    );
    const name = fresh('Renamed ');
    await at.scim.patch(`/Groups/${admins}`, replace('displayName', name));
    expect(await show(at, id)).toMatchObject({ role: 'Admin' });
    await at.scim.delete(`/Groups/${admins}`);
    await eventually(
      () => show(at, id),
      ({ role }) => role === 'Observer',
    );
    await madeGroup(at.scim, [id], { displayName: name });
    await at.scim.patch(`/Users/${id}`, replace('title', 'T'));
    expect(await show(at, id)).toMatchObject({ role: 'Observer' });
  });
});

describe('a user held as no_seat', () => {
  it('comes into force as overage by a release, and does not wait any more after a discard', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 0 });
    const [a, b] = [await madeUser(at.scim, withMail(mail())), await madeUser(at.scim, withMail(mail()))];
    expect(await heldIn(at, '&reason=no_seat')).toEqual([
      [a, 'no_seat'],
      [b, 'no_seat'],
    ]);
    expect((await at.api.post(`/held/${a}/release`, {})).body).toMatchObject({
      status: 'active',
      seat: 'held',
      held: null,
    });
    expect((await at.api.get('/seats')).body).toMatchObject({ used: 1, overage: 1, waiting: 1 });
    expect((await at.api.post(`/held/${b}/discard`, {})).body).toMatchObject({
      status: 'inactive',
      seat: 'none',
      held: null,
    });
    expect((await at.api.get('/seats')).body).toMatchObject({ waiting: 0 });
    expect(await heldIn(at)).toEqual([]);
    const actions = (await at.api.get('/audit?limit=2')).body.data.map((each: { action: string }) => each.action);
    expect(actions).toEqual(['held.discarded', 'held.released']);
  });

  long('comes into force after a discard by a new write of the directory, and not by a changed role', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 0 });
    const [a, b] = [await madeUser(at.scim, withMail(mail())), await madeUser(at.scim, withMail(mail()))];
    await at.api.post(`/held/${a}/discard`, {});
    await at.api.put('/seats/limit', { limit: 9 });
    await until(at, b, null);
    await at.api.post('/roles', { name: 'Recruiter', takes_seat: true });
    await at.api.patch(`/directories/${at.directoryId}`, { default_role: 'Recruiter' });
    await eventually(
      () => show(at, b),
      (each) => each.role === 'Recruiter',
    );
    expect(await show(at, a)).toMatchObject({ status: 'inactive', seat: 'none', held: null });
    await at.scim.patch(`/Users/${a}`, replace('title', 'T'));
    expect((await at.scim.get(`/Users/${a}`)).body.active).toBe(false);
    expect(await show(at, a)).toMatchObject({ status: 'inactive', seat: 'none', held: null });
    await at.scim.patch(`/Users/${a}`, replace('active', true));
    expect(await show(at, a)).toMatchObject({ status: 'active', seat: 'held', role: 'Recruiter' });
  });

  it('gives a default role that administers only where the directory may grant it, and says why not', async () => {
    const at = await house();
    await at.api.patch(`/directories/${at.directoryId}`, { default_role: 'Admin' });
    const id = await madeUser(at.scim, withMail(mail()));
    expect(await show(at, id)).toMatchObject({ status: 'inactive', role: null, held: 'no_role' });
    const { refused_roles } = (await at.api.get(`/users/${id}/explain`)).body;
    expect(refused_roles).toEqual([expect.objectContaining({ role: 'Admin', reason: 'role_needs_admin' })]);
    await at.api.patch(`/directories/${at.directoryId}`, { may_grant_console: true });
    await eventually(
      () => show(at, id),
      (each) => each.role === 'Admin' && each.status === 'active',
    );
  });

  it('waits like others again when the seat of a release was given back', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 0 });
    const id = await madeUser(at.scim, withMail(mail()));
    await at.api.post(`/held/${id}/release`, {});
    await at.scim.patch(`/Users/${id}`, replace('title', 'T'));
    expect(await show(at, id)).toMatchObject({ seat: 'held', held: null });
    await at.scim.patch(`/Users/${id}`, replace('active', false));
    await at.scim.patch(`/Users/${id}`, replace('active', true));
    expect(await show(at, id)).toMatchObject({ status: 'inactive', seat: 'waiting', held: 'no_seat' });
  });
});

describe('users who wait for a seat', () => {
  it('read their place among those who wait', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 0 });
    const [first, second] = [await madeUser(at.scim), await madeUser(at.scim)];
    const queueOf = async (id: string) => (await at.api.get(`/users/${id}/explain`)).body.seat_queue;
    expect([await queueOf(first), await queueOf(second)]).toEqual([
      { place: 1, of: 2 },
      { place: 2, of: 2 },
    ]);
    await at.api.put('/seats/limit', { limit: 2 });
    expect(
      await eventually(
        () => queueOf(first),
        (queue) => queue === null,
      ),
    ).toBeNull();
  });

  /** Limit 1, everybody waits; `a` has the seat. */
  const full = async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 1, policy: { api: 'wait' } });
    const made = async (more: object = {}) =>
      (await at.api.post('/users', { email: mail(), first_name: 'Ann', last_name: 'Other', ...more })).body
        .id as string;
    return { at, made, a: await made() };
  };

  long('are not stopped by one of them whose e-mail was given to another user', async () => {
    const { at, made } = await full();
    const email = mail();
    const [x, y, z] = [await made({ email }), await made({ email }), await made()];
    await at.api.put('/seats/limit', { limit: 10 });
    for (const id of [x, z]) expect(await until(at, id, null)).toMatchObject({ status: 'active', seat: 'held' });
    expect(await show(at, y)).toMatchObject({ status: 'inactive', seat: 'none', held: 'email_taken' });
    await at.api.patch(`/users/${x}`, { status: 'inactive' });
    expect(await until(at, y, null)).toMatchObject({ status: 'active', seat: 'held' });
  });

  it('wait no longer than the policy of their own channel says, also after a user of another channel', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 0, policy: { directory: 'wait', api: 'wait' } });
    const first = await madeUser(at.scim, user(mail()));
    const { id } = (await at.api.post('/users', { email: mail(), first_name: 'A', last_name: 'B' })).body;
    expect(await show(at, id)).toMatchObject({ held: 'no_seat' });
    await at.api.put('/seats/limit', { policy: { api: 'allow' } });
    expect(await until(at, id, null)).toMatchObject({ status: 'active', seat: 'held' });
    expect(await show(at, first)).toMatchObject({ held: 'no_seat' });
  });

  it('do not wait any more once they are deactivated', async () => {
    const { at, made } = await full();
    const external_id = fresh('K');
    const [b, c] = [await made(), await made({ external_id })];
    expect((await at.api.patch(`/users/${b}`, { status: 'inactive' })).body).toMatchObject({
      seat: 'none',
      held: null,
    });
    const { email, first_name, last_name } = await show(at, c);
    const put = { email, first_name, last_name, status: 'inactive' };
    expect((await at.api.put(`/users/by-external-id/${external_id}`, put)).body).toMatchObject({
      seat: 'none',
      held: null,
    });
    expect((await at.api.get('/seats')).body).toMatchObject({ waiting: 0 });
  });

  it('are not held any more when their effective values are written again', async () => {
    const { at, a } = await full();
    const watcher = (await at.api.post('/users', { email: mail(), first_name: 'W', last_name: 'O', role: 'Observer' }))
      .body;
    const moved = { email: mail(), last_name: 'New' };
    await at.api.patch(`/users/${watcher.id}`, { role: 'User', ...moved });
    expect(await show(at, watcher.id)).toMatchObject({
      held: 'no_seat',
      status: 'inactive',
      seat: 'waiting',
      ...moved,
    });
    const { email, last_name } = watcher;
    await at.api.patch(`/users/${watcher.id}`, { email, last_name });
    await at.api.patch(`/users/${a}`, { status: 'inactive' });
    expect(await until(at, watcher.id, null)).toMatchObject({ role: 'User', email, last_name });
  });

  it('keep the requested state when the users API repeats effective values of a directory’s user', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 0, policy: { directory: 'wait' } });
    const id = await madeUser(at.scim, user(mail()));
    const shown = await show(at, id);
    expect(shown).toMatchObject({ status: 'inactive', held: 'no_seat' });
    expect((await at.api.patch(`/users/${id}`, { status: 'inactive', email: shown['email'] })).status).toBe(200);
    expect((await at.scim.get(`/Users/${id}`)).body.active).toBe(true);
    await at.api.put('/seats/limit', { limit: null });
    expect(await until(at, id, null)).toMatchObject({ status: 'active' });
  });
});

describe('a protected user', () => {
  long('is held when a directory deactivates the owner, until released or discarded', async () => {
    const at = await house();
    const name = mail();
    const owner = await madeUser(at.scim, user(name));
    await at.api.patch('/tenant', { owner_user_id: owner });
    expect((await at.scim.patch(`/Users/${owner}`, replace('active', false))).body.active).toBe(false);
    expect(await show(at, owner)).toMatchObject({ status: 'active', seat: 'held', held: 'protected' });
    await at.scim.patch(`/Users/${owner}`, replace('active', true));
    expect(await show(at, owner)).toMatchObject({ held: null });

    expect((await at.scim.delete(`/Users/${owner}`)).status).toBe(204);
    expect((await at.scim.get(`/Users/${owner}`)).status).toBe(404);
    expect((await at.scim.delete(`/Users/${owner}`)).status).toBe(404);
    expect((await at.scim.get('/Users')).body.totalResults).toBe(0);
    expect(await show(at, owner)).toMatchObject({ status: 'active', seat: 'held', held: 'protected' });
    expect((await at.api.get('/held')).body.data).toMatchObject([{ user_id: owner, written: { status: 'deleted' } }]);
    expect((await at.api.post(`/held/${owner}/discard`, {})).body).toMatchObject({ status: 'active', held: null });
    expect((await at.scim.get(`/Users/${owner}`)).status).toBe(200);
    expect((await at.scim.get('/Users')).body.totalResults).toBe(1);

    // Its name is free meanwhile, for another directory too; then neither way back nor out ends in an error.
    await at.scim.delete(`/Users/${owner}`);
    const other = scim(service.url, (await service.newDirectory(at.tenantId)).token);
    const second = await other.post('/Users', user(name));
    expect(second.status).toBe(201);
    expect(await show(at, second.body.id)).toMatchObject({ held: 'email_taken' });
    expect((await at.api.post(`/held/${owner}/release`, {})).body).toEqual({ user_id: owner, status: 'deleted' });
    expect((await at.api.get(`/users/${owner}`)).status).toBe(404);
    await until(at, second.body.id, null);
    expect((await other.get('/Users')).body.totalResults).toBe(1);
  });
});

describe('a released user', () => {
  it('is protected again after a reactivation', async () => {
    const at = await house();
    const owner = await madeUser(at.scim, user(mail()));
    await at.api.patch('/tenant', { owner_user_id: owner });
    await at.scim.patch(`/Users/${owner}`, replace('active', false));
    await at.api.post(`/held/${owner}/release`, {});
    await at.scim.patch(`/Users/${owner}`, replace('title', 'T'));
    expect(await show(at, owner)).toMatchObject({ status: 'inactive', held: null });
    await at.scim.patch(`/Users/${owner}`, replace('active', true));
    expect(await show(at, owner)).toMatchObject({ status: 'inactive', held: 'needs_admin' });
    await at.api.post(`/held/${owner}/release`, {});
    expect(await show(at, owner)).toMatchObject({ status: 'active', held: null });
    await at.scim.patch(`/Users/${owner}`, replace('active', false));
    expect(await show(at, owner)).toMatchObject({ status: 'active', held: 'protected' });
  });

  it('is released for one key, and for no other', async () => {
    const at = await house();
    const [one, two] = [fresh('E'), fresh('E')];
    for (const externalId of [one, two]) await madeUser(at.scim, withMail(mail(), { externalId }));
    const third = await madeUser(at.scim, withMail(mail(), { externalId: one }));
    await at.api.post(`/held/${third}/release`, {});
    expect(await show(at, third)).toMatchObject({ status: 'active', held: null });
    await at.scim.patch(`/Users/${third}`, replace('externalId', two));
    expect(await show(at, third)).toMatchObject({ status: 'active', held: 'external_id_taken' });
  });
});

describe('a preview', () => {
  it('accepts all writes without effect; going live applies the net difference', async () => {
    const at = await house({ state: 'preview' });
    const [stays, goes] = [await madeUser(at.scim, withMail(mail())), await madeUser(at.scim, withMail(mail()))];
    await at.scim.delete(`/Users/${goes}`);
    expect(await show(at, stays)).toMatchObject({ status: 'inactive', seat: 'none', held: 'preview' });
    expect((await at.scim.get(`/Users/${stays}`)).body.active).toBe(true);
    expect((await at.api.get('/seats')).body.used).toBe(0);
    expect(await changes(stays)).toEqual(['created (not told)']);
    expect((await at.api.patch(`/directories/${at.directoryId}`, { state: 'live' })).status).toBe(200);
    expect(await until(at, stays, null)).toMatchObject({ status: 'active', seat: 'held' });
    expect((await changes(stays)).filter((each) => !each.includes('not told'))).toEqual(['created']);
    expect(await changes(goes)).not.toContain('created');
  });
});

describe('the list of held users', () => {
  it('is filtered by reason and paged, oldest first, of one tenant alone', async () => {
    const [at, other] = [await house(), await house()];
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await madeUser(at.scim, user(fresh())));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: { data: { user_id: string }[]; next_cursor: string | null } } = await at.api.get(
        `/held?limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
      );
      seen.push(...body.data.map((each) => each.user_id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(ids);
    expect((await at.api.get('/held?reason=no_role')).body.data).toEqual([]);
    expect((await at.api.get('/held?reason=nothing')).status).toBe(422);
    expect(await heldIn(other)).toEqual([]);
    for (const what of ['release', 'discard']) {
      expect((await other.api.post(`/held/${ids[0]}/${what}`, {})).status).toBe(404);
      expect((await at.api.post(`/held/usr_unknown/${what}`, {})).status).toBe(404);
    }
  });
});
