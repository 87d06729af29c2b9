import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { newClientKey, publicPart } from '../../../src/protocols/oidc/client-keys.js';
import { ConnectionStore } from '../../../src/auth/connections/store.js';
import { long } from '../../support/rounds.js';
import { authAdmin, type AuthAdmin } from './support/auth-admin.js';
import { fields, makeConnection, oidc, samlWith, SECRET } from './support/connections.js';
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

describe('a new connection', () => {
  it('OIDC: answers with the usual settings and with the values that the admin of the IdP enters', async () => {
    const body = await made(oidc());
    const { slug } = body;
    expect(slug).toMatch(/^okta-[a-z0-9]{8}$/);
    const base = 'https://app.example.com/api/auth';
    expect(body).toEqual({
      id: expect.stringMatching(/^con_/),
      type: 'oidc',
      slug,
      name: 'Okta',
      enabled: true,
      version: 1,
      tested_at: null,
      directory_id: null,
      link_claim: null,
      claim_map: {},
      role_map: {},
      jit: false,
      email_trust: 'domain',
      default_role: 'User',
      return_origins: [],
      issuer: 'https://idp.example.com',
      discovery_url: null,
      client_id: 'client',
      client_secret_set: true,
      private_key_set: false,
      client_keys_url: null,
      token_auth: 'client_secret_basic',
      scopes: ['openid', 'profile', 'email'],
      id_token_alg: null,
      user_info: 'optional',
      max_age_seconds: null,
      acr_values: [],
      callback_url: `${base}/callback/${slug}`,
      backchannel_logout_url: `${base}/backchannel-logout/${slug}`,
      frontchannel_logout_url: `${base}/frontchannel-logout/${slug}`,
      signed_out_url: `${base}/signed-out`,
      login_url: `${base}/login?connection=${slug}`,
      global_token_revocation_url: `${base}/global-token-revocation/${slug}`,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await edge.tenant.api.get(`/connections/${body.id}`)).body).toEqual(body);
    expect(await store.bySlug(slug)).toMatchObject({
      type: 'oidc',
      tenantId: edge.tenant.id,
      id: body.id,
      enabled: true,
      clientSecret: SECRET,
      privateKey: null,
    });
  });

  long('SAML: by fields, with certificates in PEM or base64', async () => {
    const second = await certificate();
    const bare = second.replace(/-----[A-Z ]+-----/g, '');
    const body = await made(saml({ certificates: [pem, bare, pem], slo_url: 'https://idp.example.com/slo' }));
    const base = 'https://app.example.com/api/auth';
    expect(body).toMatchObject({
      metadata_url: null,
      sso_binding: 'redirect',
      signed: 'assertion',
      sign_requests: true,
      allow_idp_initiated: false,
      name_id_format: null,
      sp_entity_id: null,
      clock_skew_seconds: 60,
      authn_contexts: [],
      entity_id: `${base}/metadata/${body.slug}`,
      sp_metadata_url: `${base}/metadata/${body.slug}`,
      sp_slo_url: `${base}/slo/${body.slug}`,
      callback_url: `${base}/callback/${body.slug}`,
    });
    expect(body.certificates).toHaveLength(2);
    expect(body.certificates[0]).toEqual({
      pem: expect.stringContaining('BEGIN CERTIFICATE'),
      fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
      not_after: '2040-01-01T00:00:00.000Z',
      added_at: expect.any(String),
    });
    expect(await store.byId(edge.tenant.id, body.id)).toMatchObject({
      type: 'saml',
      spEntityId: body.entity_id,
      certificates: body.certificates.map((one: { pem: string }) => one.pem),
    });
  });

  long('is changed field by field, and takes its own answer back; only a change moves the version', async () => {
    const body = await made(saml({ claim_map: { email: 'mail', role: 'groups' } }));
    const same = await change(body.id, body);
    expect([same.status, same.body]).toEqual([200, body]);
    const second = await certificate();
    const after = await change(body.id, {
      claim_map: { email: null, first_name: 'given' },
      role_map: { staff: 'User' },
      certificates: [...body.certificates, second],
    });
    expect(after.body).toMatchObject({ version: 2, claim_map: { role: 'groups', first_name: 'given' } });
    expect(after.body.certificates[0]).toEqual(body.certificates[0]);
    expect(after.body.certificates).toHaveLength(2);
    const one = await change(body.id, { certificates: [after.body.certificates[1]] });
    expect(one.body).toMatchObject({ version: 3, certificates: [{ pem: after.body.certificates[1].pem }] });
    expect(await store.bySlug(body.slug)).toMatchObject({ version: 3, roleMap: [['staff', 'User']] });
  });

  it('takes the address of the metadata as issuer, cut, and says so', async () => {
    const pasted = 'https://idp.example.com/t/.well-known/openid-configuration';
    const body = await made(oidc({ issuer: pasted }));
    expect([body.issuer, body.hint]).toEqual([
      'https://idp.example.com/t',
      expect.stringContaining('was given as issuer'),
    ]);
    const { body: changed } = await change(body.id, { issuer: pasted });
    expect([changed.issuer, changed.hint, changed.version]).toEqual([body.issuer, body.hint, body.version]);
    expect((await edge.tenant.api.get(`/connections/${body.id}`)).body.hint).toBeUndefined();
  });

  it('pairs with a directory, and then creates no user', async () => {
    const directory = await edge.newDirectory(edge.tenant);
    const body = await made(oidc({ directory_id: directory }));
    expect(body.directory_id).toBe(directory);
    const jit = await change(body.id, { jit: true });
    expect([jit.status, jit.body.errors]).toEqual([
      422,
      [{ field: 'jit', message: 'never while paired with a directory' }],
    ]);
    const maker = await made(oidc({ jit: true }));
    expect(fields((await change(maker.id, { directory_id: directory })).body)).toEqual(['jit']);
    expect((await change(maker.id, { directory_id: directory, jit: false })).status).toBe(200);
    expect((await change(body.id, { directory_id: null, jit: true })).body).toMatchObject({
      jit: true,
      directory_id: null,
    });
  });

  it('is listed in pages, newest first; only enabled ones are offered to users', async () => {
    const tenant = await edge.newTenant();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await made(oidc({ enabled: i !== 1 }), tenant)).id);
    const first = (await tenant.api.get('/connections?limit=2')).body;
    const second = (await tenant.api.get(`/connections?limit=2&cursor=${first.next_cursor}`)).body;
    expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(ids);
    expect((await store.ofTenant(tenant.id)).map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    expect(await store.byId(tenant.id, ids[1]!)).toMatchObject({ enabled: false });
  });
});

describe('the check of a connection', () => {
  let server: Server;
  let issuer: string;
  let said: { issuer?: string; keys: object[] };
  beforeAll(async () => {
    const key = publicPart(await newClientKey());
    said = { keys: [key] };
    server = createServer((request, response) => {
      const at = (path: string) => `${issuer}/${path}`;
      const discovery = {
        issuer: said.issuer ?? issuer,
        authorization_endpoint: at('authorize'),
        token_endpoint: at('token'),
        jwks_uri: at('jwks'),
        id_token_signing_alg_values_supported: ['ES256'],
        response_types_supported: ['code'],
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(request.url === '/jwks' ? { keys: said.keys } : discovery));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it('reports whether users could sign in, and the obstacle; contains no secret', async () => {
    const { id } = await made(oidc({ issuer }));
    const check = () => edge.tenant.api.post(`/connections/${id}/check`, {});
    const good = await check();
    const logout = { rp_initiated: false, back_channel: false, front_channel: false, front_channel_session: false };
    expect([good.status, good.body]).toEqual([200, { ok: true, problem: null, keys: 1, logout }]);
    said.issuer = 'https://other.example';
    const bad = await check();
    expect(bad.body).toEqual({
      ok: false,
      problem: expect.stringContaining('other.example'),
      keys: null,
      logout: null,
    });
    delete said.issuer;
    expect((await check()).body).toEqual(good.body);
    expect((await edge.tenant.api.post(`/connections/${(await made(saml())).id}/check`, {})).status).toBe(409);
  });
});
