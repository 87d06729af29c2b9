import { SandboxPlatform } from '../../src/sandbox/sandbox-platform.js';
import { startApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { eventually } from '../support/http.js';
import { long } from '../support/rounds.js';
import { fresh, madeUser, patch, user } from '../support/scim.js';

// The platform receives no new names of an inactive user, so the account of a leaver keeps names that other users need.
let service: TestApp;
let sandbox: SandboxPlatform;
beforeAll(async () => {
  service = await startApp({ ROLE: 'all' });
  sandbox = new SandboxPlatform({ databaseUrl: service.databaseUrl, port: 0 });
  await sandbox.start();
});
afterAll(async () => {
  await sandbox.stop();
  await service.close();
});

async function forwardingHouse(): Promise<House> {
  const house = await newHouse(service);
  const set = await house.api.put('/platform', { base_url: sandbox.url, api_key: `key-${house.tenantId}` });
  expect(set.status).toBeLessThan(300);
  return house;
}

const delivered = ({ api }: House) =>
  eventually(
    () => api.get('/platform'),
    ({ body }) => body.waiting === 0,
    20_000,
  );

const write = (house: House, id: string, value: object) =>
  house.scim.patch(`/Users/${id}`, patch({ op: 'replace', value }));

/** The account that is bound to a user, as the platform shows it. */
async function accountOf({ tenantId }: House, id: string): Promise<Record<string, unknown>> {
  const { rows } = await service.db.query<{ platform_id: string; parked_reason: string | null }>(
    'select platform_id, parked_reason from lanes where tenant_id = $1 and subject = $2',
    [tenantId, id],
  );
  expect(rows[0]).toMatchObject({ platform_id: expect.any(String) as string, parked_reason: null });
  const headers = { authorization: `Bearer key-${tenantId}` };
  const answer = await fetch(`${sandbox.url}/v1/users/${rows[0]!.platform_id}`, { headers });
  return (await answer.json()) as Record<string, unknown>;
}

const named = (givenName: string, more: object = {}) => ({ name: { givenName, familyName: 'X' }, ...more });

long('takes a key from the account of a leaver when an active user gets the key', async () => {
  const house = await forwardingHouse();
  const [first, second] = [fresh('k'), fresh('k')];
  const ann = await madeUser(house.scim, user(`${fresh()}@x.example`, named('Ann', { externalId: first })));
  const bob = await madeUser(house.scim, user(`${fresh()}@x.example`, named('Bob', { externalId: second })));
  await delivered(house);
  const [annBefore, bobBefore] = [await accountOf(house, ann), await accountOf(house, bob)];
  await write(house, ann, { active: false });
  await delivered(house);
  await write(house, bob, { externalId: first });
  await delivered(house);
  expect(await accountOf(house, bob)).toMatchObject({ id: bobBefore['id'], external_id: first, first_name: 'Bob' });
  expect(await accountOf(house, ann)).toMatchObject({
    id: annBefore['id'],
    external_id: `${ann}#stand-in`,
    first_name: 'Ann',
    status: 'inactive',
  });
  // The account gets the names of its user again when the user comes back.
  await write(house, ann, { active: true, externalId: second });
  await delivered(house);
  expect(await accountOf(house, ann)).toMatchObject({ id: annBefore['id'], external_id: second, status: 'active' });
});

long('gives a newcomer no account of a leaver who was renamed', async () => {
  const house = await forwardingHouse();
  const name = `${fresh('ann')}@x.example`;
  const leaver = await madeUser(house.scim, user(name, named('Ann')));
  await delivered(house);
  const before = await accountOf(house, leaver);
  await write(house, leaver, { active: false });
  await delivered(house);
  // Okta renames the accounts that it deactivates, so that the name is free.
  await write(house, leaver, { userName: `${fresh('old')}@x.example` });
  const newcomer = await madeUser(house.scim, user(name, named('Nan')));
  await delivered(house);
  expect(await accountOf(house, leaver)).toMatchObject({ id: before['id'], first_name: 'Ann', status: 'inactive' });
  const account = await accountOf(house, newcomer);
  expect(account).toMatchObject({ external_id: name, email: name, first_name: 'Nan', status: 'active' });
  expect(account['id']).not.toBe(before['id']);
});

long('takes a key from the account of a leaver who has it no longer', async () => {
  const house = await forwardingHouse();
  const [first, second] = [fresh('k'), fresh('k')];
  const ann = await madeUser(house.scim, user(`${fresh()}@x.example`, named('Ann', { externalId: first })));
  const bob = await madeUser(house.scim, user(`${fresh()}@x.example`, named('Bob', { externalId: second })));
  await delivered(house);
  await write(house, ann, { active: false });
  await delivered(house);
  await write(house, ann, { externalId: fresh('k') });
  await write(house, bob, { externalId: first });
  await delivered(house);
  expect(await accountOf(house, bob)).toMatchObject({ external_id: first, first_name: 'Bob' });
  expect(await accountOf(house, ann)).toMatchObject({ first_name: 'Ann', status: 'inactive' });
});

long('makes a new account for a newcomer with the key of a leaver, who keeps the old one', async () => {
  const house = await forwardingHouse();
  const key = fresh('k');
  const ann = await madeUser(house.scim, user(`${fresh()}@x.example`, named('Ann', { externalId: key })));
  await delivered(house);
  const before = await accountOf(house, ann);
  await write(house, ann, { active: false });
  await delivered(house);
  const nan = await madeUser(house.scim, user(`${fresh()}@x.example`, named('Nan', { externalId: key })));
  await delivered(house);
  const account = await accountOf(house, nan);
  expect(account).toMatchObject({ external_id: key, first_name: 'Nan', status: 'active' });
  expect(account['id']).not.toBe(before['id']);
  expect(await accountOf(house, ann)).toMatchObject({ id: before['id'], first_name: 'Ann', status: 'inactive' });
  // The leaver who comes back under a key of their own gets the old account back.
  const back = fresh('k');
  await write(house, ann, { active: true, externalId: back });
  await delivered(house);
  expect(await accountOf(house, ann)).toMatchObject({ id: before['id'], external_id: back, status: 'active' });
  expect(await accountOf(house, nan)).toEqual(account);
});
