import { SeatLimitsService } from '../../src/seats/seat-limits.service.js';
import { sharedApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { fresh, madeUser, user } from '../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const modeOf = async ({ tenantId }: House): Promise<string> => {
  const { rows } = await service.db.query<{ mode: string }>(`select mode from seat_limits where tenant_id = $1`, [
    tenantId,
  ]);
  return rows[0]!.mode;
};

/** A user of the users API that the directory links: a write that counts under the tenant's lock. */
async function link(at: House): Promise<void> {
  const email = `${fresh()}@linked.example`;
  await at.api.post('/users', { email, first_name: 'L', last_name: 'K' });
  await madeUser(at.scim, user(email, { emails: [{ value: email, type: 'work', primary: true }] }));
}

it('comes back to open when the limit is far after a claim that counted', async () => {
  const at = await newHouse(service);
  await at.api.put('/seats/limit', { limit: 1_000_000 });
  expect(await modeOf(at)).toBe('open');
  await service.db.query(`update seat_limits set mode = 'exact' where tenant_id = $1`, [at.tenantId]);
  await link(at);
  await service.app.nest.get(SeatLimitsService).returnAllToOpen();
  expect(await modeOf(at)).toBe('open');
});

it('stays exact while the limit is near, and unlimited without one', async () => {
  const [near, free] = [await newHouse(service), await newHouse(service)];
  await near.api.put('/seats/limit', { limit: 3 });
  await service.app.nest.get(SeatLimitsService).returnAllToOpen();
  expect([await modeOf(near), await modeOf(free)]).toEqual(['exact', 'unlimited']);
});
