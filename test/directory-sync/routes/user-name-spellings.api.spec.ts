import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse } from '../../support/house.js';
import { madeUser, user } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

it('finds a user by every spelling of the user name, and takes none of them twice', async () => {
  const at = await newHouse(service);
  const id = await madeUser(at.scim, user('Barbara Jensen'));
  for (const name of ['barbara jensen', ' Barbara  Jensen', 'Barb\u200bara Jensen\u2060', 'ＢARBARA\u3000JENSEN']) {
    const found = await at.scim.get(`/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`);
    expect([name, found.body.Resources?.[0]?.id]).toEqual([name, id]);
    expect([name, (await at.scim.post('/Users', user(name))).status]).toEqual([name, 409]);
  }
  const blank = await at.scim.post('/Users', user('\u200b \u2060'));
  expect([blank.status, blank.body.scimType]).toEqual([400, 'invalidValue']);
});
