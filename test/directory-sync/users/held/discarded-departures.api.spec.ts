import { sharedApp, type TestApp } from '../../../support/app.js';
import { eventually, type Answer } from '../../../support/http.js';
import { newHouse, show, type House } from '../../../support/house.js';
import { fresh, mail, madeGroup, madeUser, membersOf, patch, replace, user } from '../../../support/scim.js';

/** Two users may leave; the next ones are held. */
const GUARD = { percent: 1, people: 2, at_least: 2, within_minutes: 60, day_percent: 1 };
const LIMIT = 2;

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

interface Ruled {
  house: House;
  ids: string[];
  group: string;
}

/** Users of whom each gets the role of the one group. */
async function ruled(count: number, role: string, settings: object = {}): Promise<Ruled> {
  const house = await newHouse(service, { guard: GUARD, ...settings });
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await madeUser(house.scim, user(mail(), { externalId: fresh('E') })));
  const group = await madeGroup(house.scim, ids);
  await house.api.put(`/directories/${house.directoryId}/rules`, { rules: [{ group_id: group, role }] });
  await eventually(
    () => Promise.all(ids.map((id) => show(house, id))),
    (all) => all.every((one) => one.role === role && one.status === 'active'),
  );
  return { house, ids, group };
}

const done = async ({ api }: House, { status, body }: Answer) => {
  expect(status).toBe(202);
  const finished = await eventually(
    () => api.get(`/tasks/${body.id}`),
    ({ body: task }) => task.state === 'done' || task.state === 'failed',
  );
  return finished.body;
};

const guardPath = ({ directoryId }: House, act: string): string => `/directories/${directoryId}/guard/${act}`;
const heldOf = async ({ house, ids }: Ruled): Promise<string[]> => {
  const all = await Promise.all(ids.map((id) => house.api.get(`/users/${id}`)));
  return all.flatMap(({ status, body }) => (status === 200 && body.held === 'guard' ? [body.id as string] : []));
};
const IN_FORCE = { status: 'active', seat: 'held', held: null };

describe('a discard', () => {
  it.each([
    ['deletion', (house: House, id: string) => house.scim.delete(`/Users/${id}`)],
    ['deactivation', (house: House, id: string) => house.scim.patch(`/Users/${id}`, replace('active', false))],
  ])('of a held %s keeps the memberships, and the role that they give', async (_, leave) => {
    const { house, ids, group } = await ruled(LIMIT + 2, 'Admin');
    for (const id of ids) await leave(house, id);
    const [held] = await heldOf({ house, ids, group });
    await done(house, await house.api.post(guardPath(house, 'discard'), { user_ids: [held] }));
    expect(await show(house, held!)).toMatchObject({ ...IN_FORCE, role: 'Admin' });
    expect(await membersOf(house.scim, group)).toContain(held);
    await house.scim.patch(`/Users/${held}`, replace('title', 'Lead'));
    expect(await show(house, held!)).toMatchObject({ ...IN_FORCE, role: 'Admin' });
  });

  it.each<[string, (at: Ruled) => Promise<unknown>, boolean]>([
    [
      'was emptied',
      ({ house, group }) => house.scim.patch(`/Groups/${group}`, patch({ op: 'remove', path: 'members' })),
      true,
    ],
    ['was deleted', ({ house, group }) => house.scim.delete(`/Groups/${group}`), false],
  ])('keeps all users whose group %s, where no default role applies, and counts them', async (_, change, isThere) => {
    const at = await ruled(LIMIT + 6, 'User', { default_role: null });
    await change(at);
    const held = await eventually(() => heldOf(at), ({ length }) => length === 6); // prettier-ignore
    const task = await done(at.house, await at.house.api.post(guardPath(at.house, 'discard'), {}));
    expect(task.result).toEqual({ discarded: 6, left_out: 0 });
    for (const id of held) expect(await show(at.house, id)).toMatchObject({ ...IN_FORCE, role: 'User' });
    if (isThere) expect(await membersOf(at.house.scim, at.group)).toEqual([...held].sort());
    const { body } = await at.house.api.post(guardPath(at.house, 'release'), { dry_run: true });
    expect(body).toEqual({ count: 0 });
    await at.house.scim.patch(`/Users/${held[0]}`, replace('title', 'Lead'));
    expect(await show(at.house, held[0]!)).toMatchObject({ ...IN_FORCE, role: 'User' });
  });

  it('keeps a membership that the user lost while the departure was held', async () => {
    const at = await ruled(LIMIT + 1, 'User', { default_role: 'Observer' });
    for (const id of at.ids) await at.house.scim.patch(`/Users/${id}`, replace('active', false));
    const [held] = await heldOf(at);
    await at.house.scim.patch(`/Groups/${at.group}`, patch({ op: 'remove', path: `members[value eq "${held}"]` }));
    await at.house.api.post(`/held/${held}/discard`, {});
    expect(await show(at.house, held!)).toMatchObject({ ...IN_FORCE, role: 'User' });
    expect(await membersOf(at.house.scim, at.group)).toContain(held);
  });

  it.each([
    ['the owner', (id: string) => ({ owner_user_id: id })],
    ['a break-glass account', (id: string) => ({ break_glass: [id] })],
  ])('keeps role and memberships of %s', async (_, setting) => {
    const { house, ids, group } = await ruled(1, 'Admin');
    const [id] = ids as [string];
    await house.api.patch('/tenant', setting(id));
    expect((await house.scim.delete(`/Users/${id}`)).status).toBe(204);
    expect(await show(house, id)).toMatchObject({ held: 'protected' });
    await house.api.post(`/held/${id}/discard`, {});
    expect(await show(house, id)).toMatchObject({ ...IN_FORCE, role: 'Admin' });
    expect(await membersOf(house.scim, group)).toEqual([id]);
  });

  it('brings nothing back that the directory took after a release', async () => {
    const at = await ruled(LIMIT + 1, 'User', { default_role: 'Observer' });
    for (const id of at.ids) await at.house.scim.patch(`/Users/${id}`, replace('active', false));
    const [held] = await heldOf(at);
    await at.house.scim.patch(`/Groups/${at.group}`, patch({ op: 'remove', path: 'members' }));
    await at.house.api.post(`/held/${held}/release`, {});
    expect(await show(at.house, held!)).toMatchObject({ status: 'inactive', held: null });
    await at.house.scim.patch(`/Users/${held}`, replace('active', true));
    expect(await show(at.house, held!)).toMatchObject({ status: 'active', role: 'Observer' });
    expect(await membersOf(at.house.scim, at.group)).toEqual([]);
  });
});

describe('an undo', () => {
  it('counts whom it brought back, and leaves out whom a rule keeps in another role', async () => {
    const at = await ruled(LIMIT + 2, 'User');
    const { house, ids, group } = at;
    await house.api.put(`/directories/${house.directoryId}/rules`, { rules: [{ group_id: group, role: 'Observer' }] });
    await eventually(() => heldOf(at), ({ length }) => length === 2); // prettier-ignore
    const dry = await house.api.post(guardPath(house, 'undo'), { dry_run: true });
    expect(dry.body).toEqual({ count: LIMIT, rule_still_applies: LIMIT });
    const task = await done(house, await house.api.post(guardPath(house, 'undo'), {}));
    expect(task.result).toEqual({ brought_back: 0, left_out: LIMIT });
    const { body } = await house.api.get(`/tasks/${task.id}/left-out`);
    expect(body.data.map(({ reason }: { reason: string }) => reason)).toEqual([
      'rule_still_applies',
      'rule_still_applies',
    ]);

    await house.api.put(`/directories/${house.directoryId}/rules`, { rules: [{ group_id: group, role: 'User' }] });
    await eventually(
      () => Promise.all(ids.map((id) => show(house, id))),
      (all) => all.every(({ role, seat }) => role === 'User' && seat === 'held'),
    );
  });

  it('of a deletion leaves the id and when the user was created', async () => {
    const house = await newHouse(service, { guard: GUARD });
    const id = await madeUser(house.scim, user(mail()));
    const before = await show(house, id);
    const created = (await house.scim.get(`/Users/${id}`)).body.meta.created as string;
    expect((await house.scim.delete(`/Users/${id}`)).status).toBe(204);
    const task = await done(house, await house.api.post(guardPath(house, 'undo'), {}));
    expect(task.result).toEqual({ brought_back: 1, left_out: 0 });
    const after = await show(house, id);
    expect(after).toMatchObject({ ...IN_FORCE, created_at: before.created_at });
    expect((await house.scim.get(`/Users/${id}`)).body.meta).toMatchObject({ created });
    expect(Date.parse(after.updated_at as string)).toBeGreaterThan(Date.parse(before.created_at as string));
  });
});
