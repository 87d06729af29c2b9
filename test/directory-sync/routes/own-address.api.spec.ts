import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { sharedApp, type TestApp } from '../../support/app.js';
import { madeClient, secretForm } from '../../support/clients.js';
import { client, eventually } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { madeGroup, madeUser } from '../../support/scim.js';

let service: TestApp;
let at: House;
beforeAll(async () => {
  service = await sharedApp();
  at = await newHouse(service);
});
afterAll(() => service.close());

const operator = () => client(`${service.url}/api/v1`, service.operatorToken);

/** A request that names another host than it goes to; with a form it is a POST. */
async function sentTo(host: string, path: string, headers: object, form?: Record<string, string>) {
  const more = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const request = http.request(`${service.url}${path}`, {
    method: form === undefined ? 'GET' : 'POST',
    headers: { host, ...headers, ...more },
  });
  request.end(form === undefined ? '' : new URLSearchParams(form).toString());
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  return { status: answer.statusCode!, body: await text(answer) };
}

const statusAt = async (host: string, path: string, token: string): Promise<number> =>
  (await sentTo(host, path, { authorization: `Bearer ${token}` })).status;

describe('finds shown attributes', () => {
  it('locations and references of users, groups and members', async () => {
    const id = await madeUser(at.scim);
    const group = await madeGroup(at.scim, [id]);
    const user = (await at.scim.get(`/Users/${id}`)).body;
    const shown = (await at.scim.get(`/Groups/${group}`)).body;
    const found = async (type: string, filter: string) =>
      ((await at.scim.get(`/${type}?filter=${encodeURIComponent(filter)}`)).body.Resources ?? []).map(
        (each: { id: string }) => each.id,
      );
    for (const value of [user.meta.location, user.meta.location.toUpperCase()]) {
      expect(await found('Users', `meta.location eq "${value}"`)).toEqual(value === user.meta.location ? [id] : []);
    }
    expect(await found('Users', `groups.$ref eq "${user.groups[0].$ref}"`)).toEqual([id]);
    expect(await found('Users', `meta.location ew "/${id}"`)).toEqual([id]);
    expect(await found('Users', `meta.location sw "${service.url}/nowhere"`)).toEqual([]);
    expect(await found('Users', `meta.created eq "${user.meta.created}" and id eq "${id}"`)).toEqual([id]);
    expect(await found('Users', `meta.lastModified eq "${user.meta.lastModified}" and id eq "${id}"`)).toEqual([id]);
    expect(
      await found('Users', `meta.version eq "${user.meta.version.replaceAll('"', '\\"')}" and id eq "${id}"`),
    ).toEqual([id]);
    expect(await found('Groups', `meta.location eq "${shown.meta.location}"`)).toEqual([group]);
    expect(await found('Groups', `members.$ref eq "${shown.members[0].$ref}"`)).toEqual([group]);
    expect(await found('Groups', `meta.created eq "${shown.meta.created}"`)).toEqual([group]);
    expect(await found('Groups', `meta.lastModified eq "${shown.meta.lastModified}"`)).toEqual([group]);
  });
});

describe('a tenant’s own base address', () => {
  it('is set by the operator alone, must be https, and is unique', async () => {
    const other = await newHouse(service);
    const set = (tenant: string, base_url: unknown) => operator().patch(`/tenants/${tenant}`, { base_url });
    expect((await set(at.tenantId, 'https://ACME.example.com/')).body.base_url).toBe('https://acme.example.com');
    const taken = await set(other.tenantId, 'https://acme.example.com');
    expect([taken.status, taken.body.code]).toEqual([409, 'base_url_taken']);
    for (const wrong of [
      'http://acme.example.com',
      'https://acme.example.com/path',
      'https://u:p@acme.example.com',
      'acme',
      7,
    ]) {
      const { status, body } = await set(other.tenantId, wrong);
      expect([wrong, status, body.errors?.[0]?.field]).toEqual([wrong, 422, 'base_url']);
    }
    expect((await set(other.tenantId, 'https://localhost:3000')).status).toBe(422);
    const own = await other.api.patch('/tenant', { base_url: 'https://other.example.com', name: 'N' });
    expect([own.status, own.body.base_url]).toEqual([200, null]);
  });

  it('is used in links, and gives no access to other tenants', async () => {
    const other = await newHouse(service);
    await operator().patch(`/tenants/${at.tenantId}`, { base_url: 'https://acme.example.com' });
    const made = await eventually(
      async () => at.scim.post('/Users', { userName: `own-${Date.now()}@x.example` }),
      ({ body }) => body.meta?.location.startsWith('https://acme.example.com/scim/v2/Users/'),
    );
    expect(made.headers.get('location')).toBe(made.body.meta.location);
    const filter = encodeURIComponent(`meta.location eq "${made.body.meta.location}"`);
    expect((await at.scim.get(`/Users?filter=${filter}`)).body.totalResults).toBe(1);
    expect((await at.api.get(`/directories/${at.directoryId}`)).body.scim_base_url).toBe(
      'https://acme.example.com/scim/v2',
    );
    expect((await at.scim.get('/Schemas')).body.Resources[0].meta.location).toMatch(
      /^https:\/\/acme\.example\.com\/scim\/v2\//,
    );
    expect((await other.scim.get('/Schemas')).body.Resources[0].meta.location).not.toContain('acme');

    expect(await statusAt('acme.example.com', '/scim/v2/Users', at.scimToken)).toBe(200);
    expect(await statusAt('ACME.example.com', '/api/v1/users', at.apiKey)).toBe(200);
    expect(await statusAt('acme.example.com', '/scim/v2/Users', other.scimToken)).toBe(401);
    expect(await statusAt('acme.example.com', '/api/v1/users', other.apiKey)).toBe(401);
    expect((await operator().patch(`/tenants/${at.tenantId}`, { base_url: null })).body.base_url).toBeNull();
  });

  it('gives access tokens to its own clients alone, and its metadata names it (RFC 8414)', async () => {
    const other = await newHouse(service);
    const [own, foreign] = [await madeClient(at), await madeClient(other)];
    await operator().patch(`/tenants/${at.tenantId}`, { base_url: 'https://acme.example.com' });
    const ask = (form: Record<string, string>) =>
      sentTo('acme.example.com', '/oauth/token', {}, { grant_type: 'client_credentials', ...form });
    expect((await ask(secretForm(own))).status).toBe(200);
    const refused = await ask(secretForm(foreign));
    expect([refused.status, JSON.parse(refused.body).error]).toEqual([401, 'invalid_client']);
    const metadata = JSON.parse((await sentTo('acme.example.com', '/.well-known/oauth-authorization-server', {})).body);
    expect(metadata).toMatchObject({
      issuer: 'https://acme.example.com',
      token_endpoint: 'https://acme.example.com/oauth/token',
    });
    const elsewhere = JSON.parse((await sentTo('x.example.com', '/.well-known/oauth-authorization-server', {})).body);
    expect(elsewhere.issuer).not.toBe(metadata.issuer);
    await operator().patch(`/tenants/${at.tenantId}`, { base_url: null });
  });
});
