import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { long } from '../../support/rounds.js';
import { fresh, madeUser, user } from '../../support/scim.js';
import { OidcWay, reasonOf, SamlWay, trustDomain } from '../../support/sign-in/connections.js';

let service: TestApp;
let house: House;
let domain: string;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
  domain = `${fresh('d')}.example.com`;
  await trustDomain(service, house.tenantId, domain);
});
afterAll(() => service.close());

describe('a sign-in', () => {
  long('lets a provisioned user in by OIDC', async () => {
    const door = await OidcWay.open(service, house, { directory_id: house.directoryId });
    const id = await madeUser(house.scim, user(`${fresh()}@${domain}`, { externalId: 'ext-1' }));
    const tab = door.tab();
    const seen = await door.signIn(tab, { sub: 'ext-1' });
    expect([seen.status, seen.location]).toEqual([303, `${service.app.config.appUrl}/`]);
    expect((await tab.who())?.user.id).toBe(id);
    await door.op.stop();
  });

  long('lets a provisioned user in by SAML', async () => {
    const door = await SamlWay.open(service, house, { directory_id: house.directoryId });
    const id = await madeUser(house.scim, user(`${fresh()}@${domain}`, { externalId: 'ext-2' }));
    const tab = door.tab();
    const seen = await door.signIn(tab, { nameId: 'ext-2' });
    expect([seen.status, seen.text]).toEqual([303, expect.anything()]);
    expect((await tab.who())?.user.id).toBe(id);
  });

  long('refuses an unknown user, with a reason in the log', async () => {
    const door = await OidcWay.open(service, house);
    await trustDomain(service, house.tenantId, domain, { connection_id: door.id });
    const tab = door.tab();
    const seen = await door.signIn(tab, { email: `unknown@${domain}` });
    expect(seen.status).toBe(403);
    expect(await reasonOf(house, seen)).toBe('unknown_account');
    expect(await tab.who()).toBeNull();
    await door.op.stop();
  });
});
