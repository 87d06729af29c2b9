import { SandboxPlatform } from '../../../src/sandbox/sandbox-platform.js';
import { startApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { newHouse } from '../../support/house.js';
import { eventually } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { madeUser } from '../../support/scim.js';

let service: TestApp;
let sandbox: SandboxPlatform;
beforeAll(async () => {
  service = await startApp();
  sandbox = new SandboxPlatform({ databaseUrl: service.databaseUrl, port: 0 });
  await sandbox.start();
});
afterAll(async () => {
  await sandbox.stop();
  await service.close();
});

long('sends one user again, with a line in the audit log, and no other user', async () => {
  const { api, scim, apiKey, tenantId } = await newHouse(service);
  await api.put('/platform', { base_url: sandbox.url, api_key: `key-${tenantId}` });
  const [id, other] = [await madeUser(scim), await madeUser(scim)];
  const calls = async (userId: string): Promise<number> => {
    const { body } = await api.get(`/users/${userId}/history?kind=delivery`);
    return body.data.length as number;
  };
  await eventually(
    async () => [await calls(id), await calls(other)],
    ([one, two]) => one === 1 && two === 1,
  );
  expect((await api.post(`/users/${id}/resend`, {})).status).toBe(204);
  await eventually(
    () => calls(id),
    (n) => n === 2,
  );
  expect(await calls(other)).toBe(1);
  const { body } = await api.get(`/audit?action=user.resent`);
  expect(body.data).toMatchObject([{ target_type: 'user', target_id: id }]);
  const again = await commandLine(service, apiKey)('user', 'resend', id, '--json');
  expect([again.code, again.json]).toEqual([0, { id, sent: 'again' }]);
});

it('answers 404 for an unknown user, a user of another tenant, and a user without any change to send', async () => {
  const [at, other] = [await newHouse(service, { default_role: null }), await newHouse(service)];
  const held = await madeUser(at.scim);
  const foreign = await madeUser(other.scim);
  for (const id of ['usr_01k0000000abcdefghjkmnpqrs', foreign, held]) {
    expect((await at.api.post(`/users/${id}/resend`, {})).status).toBe(404);
  }
});
