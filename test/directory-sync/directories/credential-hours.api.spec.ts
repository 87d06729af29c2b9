import { DirectoryMarks } from '../../../src/directory-sync/directories/directory-marks.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { accessTokenOf, madeClient } from '../../support/clients.js';
import { newHouse } from '../../support/house.js';
import { eventually, send } from '../../support/http.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

it('shows the requests of the last day and the IdP of a SCIM token and of a client', async () => {
  const at = await newHouse(service);
  const client = await madeClient(at);
  const path = `/directories/${at.directoryId}`;
  const [token] = (await at.api.get(`${path}/tokens`)).body.data as { id: string }[];
  const okta = { 'user-agent': 'Okta SCIM Client 1.0.0' };
  const ask = (by: string, headers = {}) => send('GET', `${service.url}/scim/v2/Users`, by, undefined, headers);
  await ask(at.scimToken);
  for (let i = 0; i < 3; i++) await ask(await accessTokenOf(service.url, client), okta);
  const shown = async (which: string) => {
    await service.app.nest.get(DirectoryMarks, { strict: false }).flush();
    return (await at.api.get(`${path}/${which}`)).body as { requests_last_day: number; dialect: string | null };
  };
  const ofClient = await eventually(
    () => shown(`clients/${client.id}`),
    ({ requests_last_day: count }) => count === 3,
  );
  expect(ofClient.dialect).toBe('okta');
  expect(await shown(`tokens/${token!.id}`)).toMatchObject({ requests_last_day: 1, dialect: null });
  await service.db.query(
    `update credential_hours set hour = hour - interval '25 hours' where tenant_id = $1 and credential_id = $2`,
    [at.tenantId, client.id],
  );
  expect(await shown(`clients/${client.id}`)).toMatchObject({ requests_last_day: 0, dialect: 'okta' });
});
