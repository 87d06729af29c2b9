import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse } from '../../support/house.js';
import { fresh, madeUser, user } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

it('accepts a user without e-mail and role as read, and changes nothing', async () => {
  const at = await newHouse(service, { default_role: null });
  const id = await madeUser(at.scim, user(fresh(), { externalId: fresh() }));
  const read = (await at.api.get(`/users/${id}`)).body;
  expect([read.email, read.role]).toEqual([null, null]);
  const patched = await at.api.patch(`/users/${id}`, read);
  expect([patched.status, patched.body]).toEqual([200, read]);
  const put = await at.api.put(`/users/by-external-id/${read.external_id}`, { ...read, last_name: read.last_name });
  expect([put.status, put.body]).toEqual([200, read]);
});

it('treats null for e-mail or role as unchanged beside a change', async () => {
  const at = await newHouse(service);
  const made = (
    await at.api.post('/users', { email: `${fresh()}@x.example`, first_name: 'A', last_name: 'B', role: 'Admin' })
  ).body;
  const patched = await at.api.patch(`/users/${made.id}`, { email: null, role: null, last_name: 'C' });
  expect([patched.status, patched.body.email, patched.body.role, patched.body.last_name]).toEqual([
    200,
    made.email,
    'Admin',
    'C',
  ]);
  const key = fresh();
  const created = await at.api.put(`/users/by-external-id/${key}`, { email: null, first_name: 'A', last_name: 'B' });
  expect([created.status, created.body.errors]).toEqual([422, [{ field: 'email', message: 'is required' }]]);
});
