import { sharedApp, type TestApp } from '../../support/app.js';
import { send, type Client } from '../../support/http.js';
import { failure, madeUser, patch, scim } from '../../support/scim.js';

let service: TestApp;
let directory: Client;
beforeAll(async () => {
  service = await sharedApp();
  directory = scim(service.url, service.tenant.scimToken);
});
afterAll(() => service.close());

const setting = (body?: object) =>
  send(
    body ? 'PATCH' : 'GET',
    `${service.url}/api/v1/directories/${service.tenant.directoryId}`,
    service.tenant.apiKey,
    body,
  );
// Entra believes that the value is there; it is not.
const replaceHome = async () =>
  directory.patch(
    `/Users/${await madeUser(directory)}`,
    patch({ op: 'Replace', path: 'emails[type eq "home"].value', value: 'jane@home.example' }),
  );

it('refuses a replace that matches nothing, unless the setting of the directory lets it create the value', async () => {
  expect((await setting()).body.replace_creates_missing).toBe(false);
  expect(failure(await replaceHome())).toEqual([400, 'noTarget', '400']);

  expect((await setting({ replace_creates_missing: true })).body.replace_creates_missing).toBe(true);
  const made = await replaceHome();
  expect([made.status, made.body.emails]).toEqual([200, [{ type: 'home', value: 'jane@home.example' }]]);

  // Another change leaves it as it is.
  expect((await setting({ name: 'Entra' })).body.replace_creates_missing).toBe(true);
  expect((await setting({ replace_creates_missing: false })).status).toBe(200);
  expect(failure(await replaceHome())).toEqual([400, 'noTarget', '400']);
});

it('422: a text in place of a boolean', async () => {
  const answer = await setting({ replace_creates_missing: 'true' });
  expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'replace_creates_missing']);
});
