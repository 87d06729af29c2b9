import { sharedApp, type TestApp } from '../../../support/app.js';
import { client } from '../../../support/http.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import { hostileOp, type HostileOp } from '../../../protocols/oidc/support/op.js';
import { newKey } from '../../../protocols/saml/support/keys.js';
import { long } from '../../../support/rounds.js';
import { OidcWay, SamlWay, trustDomain } from '../../../support/sign-in/connections.js';

let service: TestApp;
let house: House;
let op: HostileOp;
let sub: string;
let works: OidcWay;
beforeAll(async () => {
  service = await sharedApp();
  op = await hostileOp(() => new Date());
});
beforeEach(async () => {
  house = await newHouse(service);
  sub = fresh('sub');
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
  works = await open();
  expect((await works.signIn(works.tab(), { sub })).status).toBe(303);
});
afterAll(async () => {
  await op.stop();
  await service.close();
});

const open = (more: object = {}): Promise<OidcWay> =>
  OidcWay.open(service, house, { directory_id: house.directoryId, ...more }, op);
const testedAt = async ({ id }: { id: string }) =>
  (await house.api.get(`/connections/${id}`)).body.tested_at as unknown;
/** A test sign-in through a connection, as an admin makes one. */
const test = async (door: OidcWay, claims: Record<string, unknown> = { sub }): Promise<string> =>
  (await door.test(house, claims)).text;
const disable = ({ id }: { id: string }) => house.api.patch(`/connections/${id}`, { enabled: false });
const remove = ({ id }: { id: string }) => house.api.delete(`/connections/${id}`);

describe('a connection becomes the only way to sign in after a successful sign-in through it, and not before', () => {
  it.each([
    ['disabled', disable, 200],
    ['deleted', remove, 204],
  ] as const)('when the working connection is %s', async (_, act, done) => {
    const next = await open();
    const refused = await act(works);
    expect([refused.status, refused.body.code, refused.body.id]).toEqual([409, 'untested_connection', next.id]);
    expect(refused.body.detail).toContain(`/connections/${next.id}/test-sign-in`);
    expect((await works.signIn(works.tab(), { sub })).status).toBe(303);
    // A test that fails is no proof.
    expect(await test(next, { sub: 'unknown' })).toContain('The test sign-in is refused');
    expect((await act(works)).status).toBe(409);
    expect(await test(next)).toContain('The test sign-in works');
    expect(await testedAt(next)).toEqual(expect.any(String));
    expect((await act(works)).status).toBe(done);
  });

  long('by a real sign-in too, and also while it is disabled', async () => {
    const next = await open();
    await next.signIn(next.tab(), { sub });
    expect((await disable(works)).status).toBe(200);
    expect((await house.api.patch(`/connections/${works.id}`, { enabled: true })).status).toBe(200);
    const third = await open({ enabled: false });
    expect(await test(third)).toContain('works');
    expect(await testedAt(third)).toEqual(expect.any(String));
  });

  long('when a domain is bound to it', async () => {
    const domain = `${fresh('d')}.example.com`;
    await trustDomain(service, house.tenantId, domain);
    const next = await open();
    const bind = (body: object) => house.api.patch(`/domains/${domain}`, body);
    const refused = await bind({ connection_id: next.id });
    expect([refused.status, refused.body.code]).toEqual([409, 'untested_connection']);
    const operator = client(`${service.url}/api/v1`, service.operatorToken);
    const trusted = await operator.put(`/tenants/${house.tenantId}/domains/${domain}`, { connection_id: next.id });
    expect([trusted.status, trusted.body.connection_id]).toEqual([200, next.id]);
    await operator.put(`/tenants/${house.tenantId}/domains/${domain}`, { connection_id: null });
    expect((await bind({ connection_id: works.id })).status).toBe(200);
    expect((await bind({ connection_id: next.id })).status).toBe(409);
    await test(next);
    expect((await bind({ connection_id: next.id })).status).toBe(200);
    expect((await bind({ connection_id: null })).status).toBe(200);
  });

  it('an unverified domain leads no user to a connection, and can be bound to an untested one', async () => {
    const domain = `${fresh('d')}.example.com`;
    const next = await open();
    expect((await house.api.post('/domains', { domain, connection_id: works.id })).status).toBe(201);
    expect((await house.api.patch(`/domains/${domain}`, { connection_id: next.id })).status).toBe(200);
  });

  long('a change of the settings of sign-ins needs a new test', async () => {
    const next = await open();
    await test(next);
    const patch = (body: object) => house.api.patch(`/connections/${next.id}`, body);
    await patch({ name: 'Another name', return_origins: ['https://app.example.com'] });
    expect(await testedAt(next)).not.toBeNull();
    await patch({ client_secret: 'another-secret' });
    expect(await testedAt(next)).toBeNull();
    expect((await disable(works)).status).toBe(409);
    await test(next);
    expect((await disable(works)).status).toBe(200);
  });

  long('a further certificate of the IdP needs no new test, and the loss of one needs it', async () => {
    const saml = await SamlWay.open(service, house, { directory_id: house.directoryId });
    expect((await saml.signIn(saml.tab(), { nameId: sub })).status).toBe(303);
    expect(await testedAt(saml)).not.toBeNull();
    const further = (await newKey('further')).certificate;
    const known = saml.idp.key.certificate;
    await house.api.patch(`/connections/${saml.id}`, { certificates: [known, further] });
    expect(await testedAt(saml)).not.toBeNull();
    await house.api.patch(`/connections/${saml.id}`, { certificates: [further] });
    expect(await testedAt(saml)).toBeNull();
    expect((await disable(works)).status).toBe(409);
  });

  it('keeps the last working connection when two are disabled at the same moment', async () => {
    const second = await open();
    await test(second);
    await open();
    const statuses = (await Promise.all([disable(works), disable(second)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
  });

  it('locks no user out by the first connection, an untested one beside it, or the last one', async () => {
    const other = await newHouse(service);
    const [one, two] = [await OidcWay.open(service, other, {}, op), await OidcWay.open(service, other, {}, op)];
    expect((await other.api.delete(`/connections/${one.id}`)).status).toBe(204);
    expect((await other.api.delete(`/connections/${two.id}`)).status).toBe(204);
    const third = await open();
    expect((await remove(third)).status).toBe(204);
    expect((await remove(works)).status).toBe(204);
  });
});
