import { Sealer } from '../../../src/base/crypto/seal.js';
import { reseal } from '../../../src/base/sealing/reseal.js';
import { SEALED_COLUMNS } from '../../../src/operations/sealed-secrets.js';
import { ConnectionStore } from '../../../src/auth/connections/store.js';
import { authAdmin, type AuthAdmin } from './support/auth-admin.js';
import { fields, makeConnection, oidc, SECRET } from './support/connections.js';

let edge: AuthAdmin;
let store: ConnectionStore;
beforeAll(async () => {
  edge = await authAdmin();
  store = edge.app.get(ConnectionStore);
});
afterAll(() => edge.close());

const made = (body: object, tenant = edge.tenant) => makeConnection(tenant, body);
const change = (id: string, body: object) => edge.tenant.api.patch(`/connections/${id}`, body);

describe('secrets of a connection', () => {
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
      expect(await reseal(edge.db, sealer, column)).toEqual({ resealed: 0, unopened: 0 });
      expect(column.aad({ tenant_id: edge.tenant.id, id })).toBe(
        `${edge.tenant.id}:connections.${column.column.replace('_sealed', '')}:${id}`,
      );
    }
  });

  it('are not sent to another issuer', async () => {
    const { id } = await made(oidc());
    const stolen = await change(id, { issuer: 'https://evil.example' });
    expect([stolen.status, fields(stolen.body)]).toEqual([422, ['client_secret']]);
    expect((await change(id, { issuer: 'https://new.example', client_secret: 'theirs' })).status).toBe(200);
  });

  it('are not sent to another address of the metadata', async () => {
    const { id } = await made(oidc());
    const discovery_url = 'https://evil.example/.well-known/openid-configuration';
    const stolen = await change(id, { discovery_url });
    expect([stolen.status, fields(stolen.body)]).toEqual([422, ['client_secret']]);
    const moved = await change(id, { discovery_url, client_secret: 'theirs' });
    expect([moved.status, moved.body.discovery_url]).toEqual([200, discovery_url]);
    expect((await change(id, { discovery_url })).body.version).toBe(moved.body.version);
    expect(fields((await change(id, { discovery_url: null })).body)).toEqual(['client_secret']);
  });

  it('are a private key for private_key_jwt, made here or by the admin, which replaces the client secret', async () => {
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

  it('are in no answer, no audit line and no log', async () => {
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
