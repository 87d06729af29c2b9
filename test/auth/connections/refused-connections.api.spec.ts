import { ConnectionStore } from '../../../src/auth/connections/store.js';
import { long } from '../../support/rounds.js';
import { authAdmin, type AuthAdmin } from './support/auth-admin.js';
import { fields, makeConnection, oidc, samlWith } from './support/connections.js';
import { certificate } from './support/metadata.js';

let edge: AuthAdmin;
let store: ConnectionStore;
let pem: string;
beforeAll(async () => {
  edge = await authAdmin();
  store = edge.app.get(ConnectionStore);
  pem = await certificate();
});
afterAll(() => edge.close());

const saml = (more: object = {}) => samlWith(pem, more);
const made = (body: object, tenant = edge.tenant) => makeConnection(tenant, body);
const change = (id: string, body: object) => edge.tenant.api.patch(`/connections/${id}`, body);

describe('refused settings', () => {
  beforeAll(() => made(oidc()));
  afterAll(() => made(saml()));

  it.each<[string, object, string[]]>([
    ['an issuer that is no address', { issuer: 'idp' }, ['issuer']],
    ['an issuer with a query', { issuer: 'https://idp.example.com?x' }, ['issuer']],
    ['metadata at no address', { discovery_url: '/openid' }, ['discovery_url']],
    ['metadata from a script', { discovery_url: 'javascript:alert(1)' }, ['discovery_url']],
    ['a name with a tick', { name: 'Okta ✓' }, ['name']],
    ['a name that claims a check', { name: 'Verified by Okta' }, ['name']],
    ['no issuer', { issuer: undefined }, ['issuer']],
    ['no client', { client_id: undefined }, ['client_id']],
    ['no secret', { client_secret: undefined }, ['client_secret']],
    ['a secret beside a key', { token_auth: 'private_key_jwt' }, ['client_secret']],
    ['no proof of who we are', { token_auth: 'none' }, ['token_auth']],
    ['an ID token without a signature', { id_token_alg: 'none' }, ['id_token_alg']],
    ['an ID token under the secret', { id_token_alg: 'HS256' }, ['id_token_alg']],
    ['a scope with a space', { scopes: ['openid profile'] }, ['scopes']],
    ['fields of SAML', { sso_url: 'https://x.example', signed: 'both' }, ['sso_url', 'signed']],
    ['a role that there is not', { default_role: 'Unknown' }, ['default_role']],
    ['a mapped role that there is not', { role_map: { staff: 'Unknown' } }, ['role_map']],
    ['a role map whose order is lost', { role_map: { staff: 'User', 42: 'Admin' } }, ['role_map']],
    ['a role map that is none', { role_map: ['User'] }, ['role_map']],
    ['an unknown directory', { directory_id: 'dir_none' }, ['directory_id']],
    ['an origin with a path', { return_origins: ['https://app.example.com/'] }, ['return_origins']],
    ['an origin that is a script', { return_origins: ['javascript:alert(1)'] }, ['return_origins']],
    ['a slug with capitals', { slug: 'Okta' }, ['slug']],
    ['a slug that is too short', { slug: 'ok' }, ['slug']],
    ['an unknown field', { colour: 'red' }, ['colour']],
  ])('OIDC: %s', async (_, more, expected) => {
    const answer = await edge.tenant.api.post('/connections', oidc(more));
    expect([answer.status, fields(answer.body)]).toEqual([422, expected]);
  });

  it.each<[string, object, string[]]>([
    ['no source', { idp_entity_id: undefined, sso_url: undefined, certificates: undefined }, ['metadata_xml']],
    ['two sources', { metadata_xml: '<x/>' }, ['metadata_xml']],
    ['no entity id', { idp_entity_id: undefined }, ['idp_entity_id']],
    ['no address', { sso_url: undefined }, ['sso_url']],
    ['a script as address', { sso_url: 'javascript:alert(1)' }, ['sso_url']],
    ['a script as address of logout', { slo_url: 'data:text/html,x' }, ['slo_url']],
    ['no certificate', { certificates: undefined }, ['certificates']],
    ['an empty list', { certificates: [] }, ['certificates']],
    ['what is no certificate', { certificates: ['aGVsbG8='] }, ['certificates']],
    ['too much skew', { clock_skew_seconds: 181 }, ['clock_skew_seconds']],
    ['nothing signed', { signed: 'none' }, ['signed']],
    [
      'fields of OIDC',
      { issuer: 'https://x.example', discovery_url: 'https://x.example', client_secret: 'x' },
      ['issuer', 'discovery_url', 'client_secret'],
    ],
  ])('SAML: %s', async (_, more, expected) => {
    const answer = await edge.tenant.api.post('/connections', saml(more));
    expect([answer.status, fields(answer.body)]).toEqual([422, expected]);
  });

  it('SAML: a key that is too weak, and two certificates as one', async () => {
    const weak = await certificate(undefined, 1024);
    for (const bad of [weak, pem + pem]) {
      const answer = await edge.tenant.api.post('/connections', saml({ certificates: [pem, bad] }));
      expect([answer.status, fields(answer.body)]).toEqual([422, ['certificates']]);
    }
  });

  it('another type, another slug, a directory of another tenant', async () => {
    const body = await made(oidc());
    const theirs = await edge.newDirectory(await edge.newTenant());
    expect(fields((await change(body.id, { type: 'saml' })).body)).toEqual(['type']);
    expect(fields((await change(body.id, { slug: 'another-one' })).body)).toEqual(['slug']);
    expect(fields((await change(body.id, { directory_id: theirs })).body)).toEqual(['directory_id']);
    expect((await edge.tenant.api.get(`/connections/${body.id}`)).body).toEqual(body);
  });

  long('http and private addresses, when tenants may not name them', async () => {
    const strict = await authAdmin({ ALLOW_PRIVATE_DESTINATIONS: 'off' });
    try {
      const post = (body: object) => strict.tenant.api.post('/connections', body);
      const issuers = [
        'http://idp.example.com', 'https://127.0.0.1', 'https://[::1]', 'https://localhost', 'https://169.254.169.254',
        'https://user:pass@idp.example.com', 'https://idp.example.com:22',
      ]; // prettier-ignore
      for (const issuer of issuers) expect(fields((await post(oidc({ issuer }))).body)).toEqual(['issuer']);
      for (const discovery_url of ['http://idp.example.com/d', 'https://10.0.0.1/d', 'https://169.254.169.254/d']) {
        expect(fields((await post(oidc({ discovery_url }))).body)).toEqual(['discovery_url']);
      }
      const none = { idp_entity_id: undefined, sso_url: undefined, certificates: undefined };
      for (const url of ['http://idp.example.com/m', 'https://10.0.0.1/m', 'https://169.254.169.254/latest']) {
        const answer = await post(saml({ ...none, metadata_url: url }));
        expect([answer.status, fields(answer.body)]).toEqual([422, ['metadata_url']]);
      }
      expect(fields((await post(saml({ sso_url: 'http://idp.example.com/sso' }))).body)).toEqual(['sso_url']);
      expect(fields((await post(oidc({ return_origins: ['http://app.example.com'] }))).body)).toEqual([
        'return_origins',
      ]);
      // Browsers may go where we do not.
      expect((await post(saml({ sso_url: 'https://10.0.0.1/sso' }))).status).toBe(201);
      expect((await post(oidc({ return_origins: ['https://app.example.com'] }))).status).toBe(201);
    } finally {
      await strict.close();
    }
  });

  it('404: another tenant’s connection, on every route, like an unknown one', async () => {
    const other = await edge.newTenant();
    const theirs = await made(oidc(), other);
    const { api } = edge.tenant;
    const ask = (id: string) =>
      Promise.all([
        api.get(`/connections/${id}`),
        api.patch(`/connections/${id}`, { enabled: false }),
        api.delete(`/connections/${id}`),
        api.post(`/connections/${id}/refresh-metadata`, {}),
        api.post(`/connections/${id}/check`, {}),
      ]);
    const [foreign, unknown] = await Promise.all([ask(theirs.id), ask('con_none')]);
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(foreign.map(({ body }) => body.detail)).toEqual(unknown.map(({ body }) => body.detail));
    expect((await api.get('/connections?limit=200')).text).not.toContain(theirs.id);
    expect(await store.byId(edge.tenant.id, theirs.id)).toBeNull();
    expect((await other.api.get(`/connections/${theirs.id}`)).body).toEqual(theirs);
  });
});
