import { sharedApp, type TestApp } from '../../../support/app.js';
import { newHouse } from '../../../support/house.js';
import { madeUser } from '../../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

it.each(['release', 'discard'])('does nothing when the number of a %s has changed since its dry run', async (act) => {
  const { api, scim } = await newHouse(service, {
    guard: { percent: 1, people: 100, at_least: 1, within_minutes: 60, day_percent: 100 },
  });
  const ids = [await madeUser(scim), await madeUser(scim), await madeUser(scim)];
  for (const id of ids) await scim.delete(`/Users/${id}`);
  const { count } = (await api.post(`/held/${act}`, { reason: 'guard', dry_run: true })).body;
  expect(count).toBe(2);
  const other = await api.post(`/held/${act}`, { reason: 'guard', count: 3 });
  expect([other.status, other.body.code, other.body.count]).toEqual([409, 'count_changed', 2]);
  expect((await api.get('/held?reason=guard')).body.data).toHaveLength(2);
  expect((await api.post(`/held/${act}`, { reason: 'guard', count })).status).toBe(202);
});
