import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { newClientKey, publicPart } from '../../../src/auth/oidc/client-keys.js';
import { ConnectionStore } from '../../../src/auth/connections/connection.store.js';
import type { SqlRunner } from '../../../src/base/database/database.js';
import { Sealer } from '../../../src/base/crypto/seal.js';
import { reseal } from '../../../src/base/crypto/reseal.js';
import { SEALED_COLUMNS } from '../../../src/operations/key-rotation.controller.js';
import { eventually } from '../../support/http.js';
import { authAdmin, type AdminTenant, type AuthAdmin } from './support/auth-admin.js';
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

const SECRET = 'the-client-secret-canary';
const oidc = (more: object = {}) => ({
  type: 'oidc',
  name: 'Okta',
  issuer: 'https://idp.example.com',
  client_id: 'client',
  client_secret: SECRET,
  ...more,
});
const saml = (more: object = {}) => ({
  type: 'saml',
  name: 'ADFS',
  idp_entity_id: 'https://idp.example.com',
  sso_url: 'https://idp.example.com/sso',
  certificates: [pem],
  ...more,
});
async function made(body: object, { api }: AdminTenant = edge.tenant) {
  const answer = await api.post('/connections', body);
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
}
const change = (id: string, body: object) => edge.tenant.api.patch(`/connections/${id}`, body);
const fields = (body: { errors?: { field: string }[] }) => (body.errors ?? []).map(({ field }) => field);

/** A person with a binding and a session through a connection. */
async function signedIn(connectionId: string, user: string, db: SqlRunner = edge.db) {
  const { id: tenantId } = edge.tenant;
  await db.query(
    `insert into identities (tenant_id, connection_id, subject, user_id, made_by, made_of) values ($1, $2, $3, $3, 'email', 'x')`,
    [tenantId, connectionId, user],
  );
  await db.query(
    `insert into sessions (tenant_id, id, hash, user_id, connection_id, subject, idle_seconds, expires_at)
     values ($1, $5, $4, $3, $2, $3, 60, now() + interval '1 hour')`,
    [tenantId, connectionId, user, Buffer.from(`${connectionId} ${user}`), `${connectionId} ${user}`],
  );
}
async function ends(connectionId: string) {
  const { rows } = await edge.db.query<{ end_reason: string | null; bound: boolean }>(
    `select s.end_reason, i.ended_at is null as bound from sessions s
     join identities i on i.tenant_id = s.tenant_id and i.connection_id = s.connection_id and i.subject = s.subject
     where s.connection_id = $1`,
    [connectionId],
  );
  return rows.map(({ end_reason, bound }) => [end_reason, bound]);
}

/** What is in use once the garbage is away. */
async function usedHeap(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < 3; i++) {
    collect();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}

describe('a connection from nothing', () => {
  it('OIDC: with the usual settings, and what the admin of the IdP has to be told', async () => {
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
      directory_id: null,
      link_claim: null,
      claim_map: {},
      role_map: {},
      jit: false,
      default_role: 'User',
      return_origins: [],
      issuer: 'https://idp.example.com',
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
      signed_out_url: `${base}/signed-out`,
      login_url: `${base}/login?connection=${slug}`,
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

  it('SAML: by fields, with certificates in PEM or base64', async () => {
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

  it('is changed field by field, and as it was read; only a change moves the version', async () => {
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

  it('pairs with a directory, and then makes nobody', async () => {
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

  it('comes in pages, newest first; only enabled ones are offered to people', async () => {
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

describe('what is refused', () => {
  beforeAll(() => made(oidc()));
  afterAll(() => made(saml()));

  it.each<[string, object, string[]]>([
    ['an issuer that is no address', { issuer: 'idp' }, ['issuer']],
    ['an issuer with a query', { issuer: 'https://idp.example.com?x' }, ['issuer']],
    ['no issuer', { issuer: undefined }, ['issuer']],
    ['no client', { client_id: undefined }, ['client_id']],
    ['no secret', { client_secret: undefined }, ['client_secret']],
    ['a secret beside a key', { token_auth: 'private_key_jwt' }, ['client_secret']],
    ['no proof of who we are', { token_auth: 'none' }, ['token_auth']],
    ['an ID token without a signature', { id_token_alg: 'none' }, ['id_token_alg']],
    ['an ID token under the secret', { id_token_alg: 'HS256' }, ['id_token_alg']],
    ['a scope with a space', { scopes: ['openid profile'] }, ['scopes']],
    ['fields of SAML', { sso_url: 'https://x.example', signed: 'both' }, ['sso_url', 'signed']],
    ['a role that there is not', { default_role: 'Nobody' }, ['default_role']],
    ['a mapped role that there is not', { role_map: { staff: 'Nobody' } }, ['role_map']],
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
    ['fields of OIDC', { issuer: 'https://x.example', client_secret: 'x' }, ['issuer', 'client_secret']],
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

  it('where tenants may not name private addresses: http, and what is not public', async () => {
    const strict = await authAdmin({ ALLOW_PRIVATE_DESTINATIONS: 'off' });
    try {
      const post = (body: object) => strict.tenant.api.post('/connections', body);
      const issuers = [
        'http://idp.example.com', 'https://127.0.0.1', 'https://[::1]', 'https://localhost', 'https://169.254.169.254',
        'https://user:pass@idp.example.com', 'https://idp.example.com:22',
      ]; // prettier-ignore
      for (const issuer of issuers) expect(fields((await post(oidc({ issuer }))).body)).toEqual(['issuer']);
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

  it('404: another tenant’s connection, on every route, as one that nobody has', async () => {
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

describe('a slug', () => {
  it('is one connection’s over all tenants, whoever comes at once, and free after it', async () => {
    for (let round = 0; round < 5; round++) {
      const slug = `race-${round}`;
      const tenants = [edge.tenant, await edge.newTenant(), edge.tenant];
      const answers = await Promise.all(tenants.map(({ api }) => api.post('/connections', oidc({ slug }))));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
      const winner = answers.findIndex(({ status }) => status === 201);
      const loser = answers.find(({ status }) => status === 409)!;
      expect(loser.body.code).toBe('slug_taken');
      expect(loser.text).not.toContain(answers[winner]!.body.id);
      expect(await store.bySlug(slug)).toMatchObject({ tenantId: tenants[winner]!.id });
      expect((await tenants[winner]!.api.delete(`/connections/${answers[winner]!.body.id}`)).status).toBe(204);
      expect(await store.bySlug(slug)).toBeNull();
      expect((await made(oidc({ slug }))).slug).toBe(slug);
    }
  });

  it('that nobody chose never clashes', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => made(oidc({ name: 'Ünïcode & Söhne' }))));
    expect(new Set(all.map(({ slug }) => slug)).size).toBe(12);
    expect(all[0].slug).toMatch(/^unicode-sohne-[a-z0-9]{8}$/);
    expect((await made(oidc({ name: '日本' }))).slug).toMatch(/^[a-z0-9]{8}$/);
  });

  it('that cannot be one is nobody’s: it is neither asked for nor kept', async () => {
    const { id, slug } = await made(oidc());
    const bad = ['Not a slug', 'ab', slug.toUpperCase(), `${slug}\n`, ` ${slug}`, 'x'.repeat(64), ''];
    for (const one of bad) {
      await edge.db.query(`insert into connection_slugs (slug, tenant_id, connection_id) values ($1, $2, $3)`, [
        one,
        edge.tenant.id,
        id,
      ]);
      expect([one, await store.bySlug(one)]).toEqual([one, null]);
    }
    await edge.db.query(`delete from connection_slugs where connection_id = $1 and slug <> $2`, [id, slug]);
    expect(await store.bySlug(slug)).toMatchObject({ id });
  });

  it('a flood of long ones leaves nothing behind', async () => {
    const { id, slug } = await made(oidc());
    const before = await usedHeap();
    const flood = async (from: number): Promise<void> => {
      for (let i = from; i < 4_000; i += 20) {
        await Promise.all(Array.from({ length: 20 }, (_, k) => store.bySlug(`${i + k}-${'x'.repeat(14_000)}`)));
      }
    };
    await flood(0);
    expect((await usedHeap()) - before).toBeLessThan(15e6);
    expect(await store.bySlug(slug)).toMatchObject({ id });
  });
});

describe('how many', () => {
  it('connections a tenant has is bounded, for those who come at once too; a deleted one counts no more', async () => {
    const tenant = await edge.newTenant();
    const { id } = await made(oidc(), tenant);
    await edge.db.query(
      `insert into connections (tenant_id, id, slug, name, type, enabled, settings)
       select tenant_id, 'con_' || n, 'bulk-' || n, name, type, enabled, settings
       from connections, generate_series(1, 97) n where tenant_id = $1`,
      [tenant.id],
    );
    const answers = await Promise.all(Array.from({ length: 4 }, () => tenant.api.post('/connections', oidc())));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const { status, body } = await tenant.api.post('/connections', oidc());
    expect([status, body.code]).toEqual([409, 'too_many_connections']);
    await made(oidc());
    expect((await tenant.api.delete(`/connections/${id}`)).status).toBe(204);
    await made(oidc(), tenant);
  });

  it('and how long: mapped roles, origins, certificates, keys, and what metadata names', async () => {
    const roles = (count: number, length = 8) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}`.padStart(length, 'r'), 'User']));
    const origins = (count: number) => Array.from({ length: count }, (_, i) => `https://a${i}.example.com`);
    await made(oidc({ role_map: roles(500), return_origins: origins(50) }));
    await made(oidc({ role_map: roles(1, 512) }));
    await made(oidc({ role_map: { 42: 'User' } }));
    await made(oidc({ role_map: { '042': 'User', 4294967295: 'User' } }));
    for (const [more, field] of [
      [{ role_map: roles(501) }, 'role_map'],
      [{ role_map: roles(1, 513) }, 'role_map'],
      [{ return_origins: origins(51) }, 'return_origins'],
      [{ claim_map: { email: 'x'.repeat(513) } }, 'claim_map.email'],
      [{ claim_map: roles(51) }, null],
      [{ link_claim: 'x'.repeat(513) }, 'link_claim'],
    ] as const) {
      const answer = await edge.tenant.api.post('/connections', oidc(more));
      expect([field, answer.status]).toEqual([field, 422]);
      if (field !== null) expect(fields(answer.body)).toEqual([field]);
    }
    const many = await edge.tenant.api.post('/connections', saml({ certificates: Array(21).fill(pem) }));
    expect([many.status, fields(many.body)]).toEqual([422, ['certificates']]);
    const key = { ...(await newClientKey()) };
    const keyed = { token_auth: 'private_key_jwt', client_secret: undefined };
    await made(oidc({ ...keyed, private_key: key }));
    const padded = await edge.tenant.api.post(
      '/connections',
      oidc({ ...keyed, private_key: { ...key, note: 'x'.repeat(20_000) } }),
    );
    expect([padded.status, fields(padded.body)]).toEqual([422, ['private_key']]);
  });
});

describe('what ends with a change', () => {
  it('nothing with a name, the sessions when it is disabled', async () => {
    const { id } = await made(oidc());
    await signedIn(id, 'u1');
    await change(id, { name: 'Other', scopes: ['openid', 'groups'], client_id: 'other' });
    expect(await ends(id)).toEqual([[null, true]]);
    await change(id, { enabled: false });
    expect(await ends(id)).toEqual([['connection_disabled', true]]);
    await change(id, { enabled: true });
    expect(await ends(id)).toEqual([['connection_disabled', true]]);
  });

  it('everything with another IdP', async () => {
    const one = await made(oidc());
    const two = await made(saml());
    const bystander = await made(oidc());
    for (const { id } of [one, two, bystander]) await signedIn(id, 'u2');
    expect((await change(one.id, { issuer: 'https://idp.example.com/', client_secret: 'new' })).status).toBe(200);
    expect((await change(two.id, { idp_entity_id: 'https://other.example.com' })).status).toBe(200);
    expect(await ends(one.id)).toEqual([['connection_changed', false]]);
    expect(await ends(two.id)).toEqual([['connection_changed', false]]);
    expect(await ends(bystander.id)).toEqual([[null, true]]);
  });

  it('everything with a pairing: whom a subject is, the directory says from then on', async () => {
    const [first, second] = [await edge.newDirectory(edge.tenant), await edge.newDirectory(edge.tenant)];
    const { id } = await made(oidc());
    const bystander = await made(oidc({ directory_id: first }));
    await signedIn(bystander.id, 'u5');
    const ended = async () =>
      (
        await edge.db.query<{ end_reason: string | null; live: boolean }>(
          `select end_reason, ended_at is null as live from identities where connection_id = $1 order by subject`,
          [id],
        )
      ).rows.map(({ end_reason: reason, live }) => (live ? 'live' : reason));
    await signedIn(id, 'u51');
    // What was chosen already is no change.
    expect((await change(id, { directory_id: null })).body.version).toBe(1);
    expect(await ends(id)).toEqual([[null, true]]);
    expect((await change(id, { directory_id: first, issuer: 'https://idp.example.com' })).status).toBe(200);
    expect(await ends(id)).toEqual([['connection_changed', false]]);
    expect(await ended()).toEqual(['pairing_changed']);
    await signedIn(id, 'u52');
    expect((await change(id, { directory_id: first, name: 'Same pair' })).status).toBe(200);
    expect(await ended()).toEqual(['pairing_changed', 'live']);
    expect((await change(id, { directory_id: second })).status).toBe(200);
    expect(await ended()).toEqual(['pairing_changed', 'pairing_changed']);
    await signedIn(id, 'u53');
    expect((await change(id, { directory_id: null })).status).toBe(200);
    expect(await ended()).toEqual(['pairing_changed', 'pairing_changed', 'live']);
    expect((await ends(id)).filter(([reason]) => reason === null)).toEqual([[null, true]]);
    // Another IdP is the stronger reason.
    expect(
      (await change(id, { directory_id: first, issuer: 'https://two.example.com', client_secret: 'n' })).status,
    ).toBe(200);
    expect(await ended()).toEqual(['pairing_changed', 'pairing_changed', 'connection_changed']);
    expect(await ends(bystander.id)).toEqual([[null, true]]);
    const { data } = (await edge.tenant.api.get(`/audit?target_id=${id}`)).body as {
      data: { action: string; before: { directory_id: string }; after: object }[];
    };
    expect(data.filter(({ action }) => action === 'connection.changed')).toMatchObject([
      { after: { bindings_ended: 'connection_changed', issuer: 'https://two.example.com' } },
      { before: { directory_id: second }, after: { directory_id: null } },
      { before: { directory_id: first }, after: { directory_id: second, bindings_ended: 'pairing_changed' } },
      { after: { name: 'Same pair' } },
      { before: { directory_id: null }, after: { directory_id: first, bindings_ended: 'pairing_changed' } },
    ]);
    expect(data[1]!.after).not.toHaveProperty('bindings_ended');
  });

  it('also a sign-in that was being written down at that moment', async () => {
    const directory = await edge.newDirectory(edge.tenant);
    for (const next of [
      { issuer: 'https://next.example', client_secret: 'n' },
      { directory_id: directory },
      { enabled: false },
      null,
    ]) {
      const { id } = await made(oidc());
      const connection = (await store.byId(edge.tenant.id, id))!;
      let changed: Promise<{ status: number }> | undefined;
      await edge.db.transaction(async (tx) => {
        expect(await store.holds(tx, connection)).toBe(true);
        changed = next === null ? edge.tenant.api.delete(`/connections/${id}`) : change(id, next);
        const waiting = () =>
          edge.db.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
        await eventually(waiting, ({ rowCount }) => rowCount === 1);
        await signedIn(id, 'u4', tx);
      });
      expect((await changed!).status).toBe(next === null ? 204 : 200);
      expect((await ends(id))[0]![0]).toMatch(/^connection_(changed|disabled|deleted)$/);
      expect(await store.holds(edge.db, connection)).toBe(false);
    }
  });

  it('sessions, secrets, slug and the binding of domains with the connection', async () => {
    const body = await made(oidc());
    await signedIn(body.id, 'u3');
    expect(
      (await edge.operator.put(`/tenants/${edge.tenant.id}/domains/gone.example`, { connection_id: body.id })).status,
    ).toBe(200);
    expect((await edge.tenant.api.delete(`/connections/${body.id}`)).status).toBe(204);
    expect((await ends(body.id))[0]![0]).toBe('connection_deleted');
    const { rows } = await edge.db.query(`select * from connections where id = $1`, [body.id]);
    expect(rows[0]).toMatchObject({
      client_secret_sealed: null,
      private_key_sealed: null,
      deleted_at: expect.any(Date),
    });
    expect((await edge.tenant.api.get('/domains/gone.example')).body).toMatchObject({
      state: 'verified',
      connection_id: null,
    });
    expect([await store.bySlug(body.slug), await store.byId(edge.tenant.id, body.id)]).toEqual([null, null]);
    expect((await edge.tenant.api.get(`/connections/${body.id}`)).status).toBe(404);
    expect((await edge.tenant.api.delete(`/connections/${body.id}`)).status).toBe(404);
  });
});

describe('secrets', () => {
  const row = async (id: string) =>
    (
      await edge.db.query<{
        client_secret_sealed: string | null;
        private_key_sealed: string | null;
        everything: string;
      }>(`select client_secret_sealed, private_key_sealed, c::text as everything from connections c where id = $1`, [
        id,
      ])
    ).rows[0]!;

  it('are sealed at rest, bound to their row, and open by the table of the key rotation', async () => {
    const { id } = await made(oidc());
    const stored = await row(id);
    expect(stored.everything).not.toContain(SECRET);
    const sealer = edge.app.get(Sealer);
    const aad = `${edge.tenant.id}:connections.client_secret:${id}`;
    expect(sealer.unseal(stored.client_secret_sealed!, aad)).toBe(SECRET);
    expect(() => sealer.unseal(stored.client_secret_sealed!, `${aad}x`)).toThrow();
    for (const column of SEALED_COLUMNS.filter(({ table }) => table === 'connections')) {
      expect(await reseal(edge.db, sealer, column)).toBe(0);
      expect(column.aad({ tenant_id: edge.tenant.id, id })).toBe(
        `${edge.tenant.id}:connections.${column.column.replace('_sealed', '')}:${id}`,
      );
    }
  });

  it('another issuer is not shown the secret of the present one', async () => {
    const { id } = await made(oidc());
    const stolen = await change(id, { issuer: 'https://evil.example' });
    expect([stolen.status, fields(stolen.body)]).toEqual([422, ['client_secret']]);
    expect((await change(id, { issuer: 'https://new.example', client_secret: 'theirs' })).status).toBe(200);
  });

  it('private_key_jwt: we make the key, or take the admin’s; the secret goes', async () => {
    const body = await made(oidc({ token_auth: 'private_key_jwt', client_secret: undefined }));
    expect(body).toMatchObject({
      client_secret_set: false,
      private_key_set: true,
      client_keys_url: `https://app.example.com/api/auth/jwks/${body.slug}`,
    });
    const first = await store.bySlug(body.slug);
    const { privateKey } = first as { privateKey: Record<string, unknown> };
    expect(privateKey).toMatchObject({ kty: 'EC', d: expect.any(String), kid: expect.any(String), alg: 'ES256' });
    expect((await row(body.id)).everything).not.toContain(privateKey['d']);

    const renewed = await change(body.id, { private_key: null });
    expect(renewed.body.version).toBe(2);
    expect(await store.bySlug(body.slug)).not.toMatchObject({ privateKey });
    expect((await change(body.id, { private_key: privateKey })).status).toBe(200);
    expect(await store.bySlug(body.slug)).toMatchObject({ privateKey });
    const { d: _, ...publicOnly } = privateKey;
    for (const bad of [publicOnly, { kty: 'oct', k: 'AAAA', kid: 'x', alg: 'HS256' }]) {
      expect(fields((await change(body.id, { private_key: bad })).body)).toEqual(['private_key']);
    }

    expect(fields((await change(body.id, { token_auth: 'client_secret_post' })).body)).toEqual(['client_secret']);
    const back = await change(body.id, { token_auth: 'client_secret_post', client_secret: SECRET });
    expect(back.body).toMatchObject({ client_secret_set: true, private_key_set: false, client_keys_url: null });
    expect((await row(body.id)).private_key_sealed).toBeNull();
    const keyed = await change(body.id, { token_auth: 'private_key_jwt' });
    expect(keyed.body).toMatchObject({ client_secret_set: false, private_key_set: true });
  });

  it('stand in no answer, no audit line and no log', async () => {
    const body = await made(oidc());
    const { api } = edge.tenant;
    const changed = await change(body.id, { client_secret: `${SECRET}-2` });
    expect(changed.body.version).toBe(2);
    const refused = await change(body.id, { client_secret: `${SECRET}-3`, issuer: 'nonsense' });
    expect(refused.status).toBe(422);
    const keyed = await change(body.id, { token_auth: 'private_key_jwt' });
    const key = (await store.bySlug(body.slug)) as unknown as { privateKey: { d: string } };
    const audit = await api.get('/audit?limit=200');
    const answers = [
      body,
      changed.body,
      refused.body,
      keyed.body,
      (await api.get('/connections?limit=200')).body,
      audit.body,
    ];
    for (const text of [...answers.map((one) => JSON.stringify(one)), ...edge.lines]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(key.privateKey.d);
      expect(text).not.toContain('v1.');
    }
    const lines = audit.body.data.filter(({ target_id: id }: { target_id: string }) => id === body.id);
    expect(lines.map(({ action }: { action: string }) => action)).toEqual([
      'connection.changed', 'connection.changed', 'connection.created',
    ]); // prettier-ignore
    expect(lines[1].after.client_secret).toBe('changed');
  });
});

describe('a look at the IdP', () => {
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

  it('says whether people could sign in, and why not; without a secret', async () => {
    const { id } = await made(oidc({ issuer }));
    const check = () => edge.tenant.api.post(`/connections/${id}/check`, {});
    const good = await check();
    expect([good.status, good.body]).toEqual([200, { ok: true, problem: null, keys: 1 }]);
    said.issuer = 'https://other.example';
    const bad = await check();
    expect(bad.body).toEqual({ ok: false, problem: expect.stringContaining('other.example'), keys: null });
    delete said.issuer;
    expect((await check()).body).toEqual(good.body);
    expect((await edge.tenant.api.post(`/connections/${(await made(saml())).id}/check`, {})).status).toBe(422);
  });
});
