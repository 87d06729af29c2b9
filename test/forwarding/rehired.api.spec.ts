import { LanesRepository } from '../../src/delivery/lanes.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { fresh, madeUser, user } from '../support/scim.js';

// Somebody who left and is hired again under the same names: the leaver's look at the platform may find the account that
// is just being created for their successor, and must not take it for their own.
let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await startApp({ ROLE: 'api' });
  house = await newHouse(service);
  const set = await house.api.put('/platform', { base_url: 'http://127.0.0.1:9', api_key: 'key' });
  expect(set.status).toBeLessThan(300);
});
afterAll(() => service.close());

it('whoever is just being created under the same names counts, until the outcome is known', async () => {
  const [name, key] = [`${fresh('Again')}@e.com`, fresh('key')];
  const id = await madeUser(house.scim, user(name, { externalId: key, emails: [{ value: name, primary: true }] }));
  const { rowCount } = await service.db.execute(
    `update lanes l set calling = true, calls = 1, call_by = gen_random_uuid(), epoch = d.epoch from destinations d
     where d.tenant_id = l.tenant_id and l.user_id = '${id}'`,
  );
  expect(rowCount).toBe(1);
  const lanes = service.app.nest.get(LanesRepository);
  const asked = (external_id: string | null, email: string | null, by = 'usr_leaver') =>
    lanes.creating(house.tenantId, { external_id, email }, by);
  const found = { user_id: id, target_state: 'active', pending: true };
  expect(await asked(key, null)).toMatchObject(found);
  expect(await asked(null, name)).toMatchObject(found);
  expect(await asked(null, name.toUpperCase())).toMatchObject(found);
  expect([await asked('another', 'other@e.com'), await asked(key, name, id)]).toEqual([null, null]);
  // Once it is known which account is theirs, that is found by its binding.
  await service.db.execute(`update lanes set platform_id = 'hp_1' where user_id = '${id}'`);
  expect(await asked(key, name)).toBeNull();
  await service.db.execute(`update lanes set platform_id = null, calling = false where user_id = '${id}'`);
  expect(await asked(key, name)).toBeNull();
});
