import { startApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { eventually, type Client } from '../support/http.js';
import { fresh, GROUP, patch, replace, scim, user } from '../support/scim.js';
import { patience } from '../support/speed.js';
import { StandInPlatform, type Accounts } from './support/stand-in-platform.js';

// A company moves from Okta to Entra ID. Both have groups with rules, and a few users are not assigned in Entra.

const USERS = 300;
/** Who is in which group, by number: the groups of both IdPs have the same members. */
const ADMINS = [0, 50] as const;
const OBSERVERS = [50, 110] as const;
/** Not assigned in Entra at first; the first two come late. */
const LATE = [290, 292] as const;
const LEFT = [292, 300] as const;

let service: TestApp;
let platform: StandInPlatform;
let at: House;
let accounts: Accounts;
let okta: Client;
let entra: { id: string; scim: Client };
const tag = fresh();
const nameOf = (i: number) => `${tag}-${i}@switch.example`;
let ids: string[];

beforeAll(async () => {
  service = await startApp();
  platform = new StandInPlatform();
  await platform.start();
  // Groups follow users in the first sync, and 60 of them give a seat back: the guard is off until then.
  at = await newHouse(service, { name: 'Okta', profile: 'okta' });
  okta = at.scim;
  accounts = platform.of(tag);
  await at.api.put('/platform', { base_url: platform.url, api_key: tag });
});
afterAll(async () => {
  await service.close();
  await platform.stop();
});

async function each(from: number, to: number, act: (i: number) => Promise<unknown>): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) await act(next++);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}
const within = ([from, to]: readonly [number, number]): string[] => ids.slice(from, to);

/** The groups of an IdP with their rules, the first one first. */
async function groupsWithRules(client: Client, directoryId: string): Promise<void> {
  const rules: { group_id: string; role: string }[] = [];
  for (const [name, members, role] of [
    ['Admins', within(ADMINS), 'Admin'],
    ['Observers', within(OBSERVERS), 'Observer'],
  ] as const) {
    const body = { schemas: [GROUP], displayName: name };
    const { status, body: made } = await client.post('/Groups', body);
    expect(status).toBe(201);
    const value = members.map((id) => ({ value: id }));
    const added = await client.patch(`/Groups/${made.id}`, patch({ op: 'add', path: 'members', value }));
    expect(added.status).toBeLessThan(300);
    rules.push({ group_id: made.id, role });
  }
  expect((await at.api.put(`/directories/${directoryId}/rules`, { rules })).status).toBe(200);
}

/** Resolves when all tasks are done and the platform has received all that is due. */
async function settled(): Promise<void> {
  await eventually(
    async () =>
      (
        await service.db.query<{ n: number }>(
          `select (select count(*) from tasks where tenant_id = $1 and state in ('waiting', 'running'))::int
             + (select count(*) from lanes where tenant_id = $1 and first_pending is not null)::int as n`,
          [at.tenantId],
        )
      ).rows[0]!.n,
    (open) => open === 0,
    patience(120_000),
  );
}

/** Role and status of all users, by id. */
async function everyone(): Promise<Record<string, string>> {
  const { rows } = await service.db.query<{ id: string; state: string }>(
    `select id, status || ' ' || coalesce(role, 'none') || ' ' || seat as state from users where tenant_id = $1`,
    [at.tenantId],
  );
  return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
}
const accountStates = (): string[] =>
  [...accounts.users.byId.values()].map(({ id, status, role }) => `${id} ${status} ${role}`).sort();

describe('a switch from Okta to Entra ID', () => {
  let before: Record<string, string>;
  let accountsBefore: string[];

  it(
    '1 begins with 300 users and two groups of Okta, all of them on the platform',
    async () => {
      ids = [];
      await each(0, USERS, async (i) => {
        const made = await okta.post('/Users', user(nameOf(i), { externalId: `okta-${tag}-${i}`, title: 'from Okta' }));
        expect(made.status).toBe(201);
        ids[i] = made.body.id;
      });
      await groupsWithRules(okta, at.directoryId);
      await settled();
      before = await everyone();
      accountsBefore = accountStates();
      expect(accountsBefore).toHaveLength(USERS);
      const roles = Object.values(before).map((state) => state.split(' ')[1]);
      expect(['Admin', 'Observer', 'User'].map((role) => roles.filter((one) => one === role).length)).toEqual([50, 60, 190]); // prettier-ignore
      accounts.otherRole.length = 0; // the rules came after the users
      expect((await at.api.patch(`/directories/${at.directoryId}`, { guard: 'on' })).status).toBe(200);
    },
    patience(180_000),
  );

  it(
    '2 changes nothing while Entra provisions in preview',
    async () => {
      const settings = { name: 'Entra', profile: 'entra', state: 'preview', takes_over: at.directoryId } as const;
      const made = await service.newDirectory(at.tenantId, { ...settings, guard: undefined });
      entra = { id: made.id, scim: scim(service.url, made.token) };
      await each(0, LATE[0], async (i) => {
        const filter = encodeURIComponent(`userName eq "${nameOf(i)}"`);
        expect((await entra.scim.get(`/Users?filter=${filter}`)).body.Resources[0].id).toBe(ids[i]);
        const changed = patch({ op: 'Replace', path: 'title', value: 'from Entra' });
        expect((await entra.scim.patch(`/Users/${ids[i]}`, changed)).status).toBe(200);
      });
      await groupsWithRules(entra.scim, entra.id);
      await settled();
      expect(await everyone()).toEqual(before);
      expect(accountStates()).toEqual(accountsBefore);
    },
    patience(180_000),
  );

  it(
    '3 plans to take over all assigned users, without a departure',
    async () => {
      const { body } = await at.api.get(`/directories/${entra.id}/preview?limit=1`);
      expect(body).toMatchObject({
        stale: false,
        counts: { take_over: LATE[0], create: 0, update: 0, deactivate: 0, delete: 0, find_none: 0, held_by_guard: 0 },
      });
    },
    patience(60_000),
  );

  it(
    '4 goes live without one departure at the platform',
    async () => {
      expect((await at.api.patch(`/directories/${entra.id}`, { state: 'live' })).status).toBe(200);
      await settled();
      expect(await everyone()).toEqual(before);
      expect(accountStates()).toEqual(accountsBefore);
      expect([accounts.left, accounts.otherRole]).toEqual([[], []]);
      const { rows } = await service.db.query<{ directory_id: string; n: number }>(
        `select directory_id, count(*)::int as n from users where tenant_id = $1 group by 1 order by 2`,
        [at.tenantId],
      );
      expect(rows).toEqual([
        { directory_id: at.directoryId, n: USERS - LATE[0] },
        { directory_id: entra.id, n: LATE[0] },
      ]);
    },
    patience(180_000),
  );

  it(
    '5 lists who is left with Okta, links who comes late, and deactivates the others alone',
    async () => {
      const unlinked = async () =>
        (await at.api.get(`/directories/${entra.id}/unlinked`)).body.data.map(
          ({ user_id }: { user_id: string }) => user_id,
        ) as string[];
      expect((await unlinked()).sort()).toEqual([...within(LATE), ...within(LEFT)].sort());
      for (const id of within(LATE)) await entra.scim.patch(`/Users/${id}`, replace('title', 'late'));
      const dry = await at.api.post(`/directories/${entra.id}/unlinked/deactivate`, { dry_run: true });
      expect(dry.body).toEqual({ count: LEFT[1] - LEFT[0] });
      const begun = await at.api.post(`/directories/${entra.id}/unlinked/deactivate`, dry.body);
      expect(begun.status).toBe(202);
      await settled();
      expect(await unlinked()).toEqual([]);
      expect(accounts.left).toHaveLength(LEFT[1] - LEFT[0]);
    },
    patience(120_000),
  );

  it(
    '6 loses no user when Okta is switched off',
    async () => {
      await each(0, LEFT[0], async (i) => {
        const { status } = await okta.patch(`/Users/${ids[i]}`, replace('active', false));
        expect(status).toBe(200);
      });
      expect((await at.api.delete(`/directories/${at.directoryId}?force=true`)).status).toBe(204);
      await settled();
      const after = await everyone();
      for (const id of ids.slice(0, LEFT[0])) expect(after[id]).toBe(before[id]);
      expect(accounts.left).toHaveLength(LEFT[1] - LEFT[0]);
    },
    patience(180_000),
  );
});
