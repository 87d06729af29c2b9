import { newClientKey } from '../../../src/protocols/oidc/client-keys.js';
import { ConnectionStore } from '../../../src/auth/connections/store.js';
import { collectGarbage } from '../../support/garbage.js';
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

/** What is in use once the garbage is away. */
async function usedHeap(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}

describe('a slug', () => {
  long(
    'belongs to one connection of all tenants under a race, and stays with its tenant after a deletion',
    async () => {
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
        const others = tenants.filter(({ id }) => id !== tenants[winner]!.id);
        for (const other of others) {
          const { status, body } = await other.api.post('/connections', oidc({ slug }));
          expect([status, body.code]).toEqual([409, 'slug_taken']);
        }
        const again = await made(oidc({ slug }), tenants[winner]);
        expect(await store.bySlug(slug)).toMatchObject({ tenantId: tenants[winner]!.id, id: again.id });
        const twice = await tenants[winner]!.api.post('/connections', oidc({ slug }));
        expect([twice.status, twice.body.code]).toEqual([409, 'slug_taken']);
      }
    },
  );

  it('of a deleted connection goes to its own tenant alone when several ask at once', async () => {
    const [owner, other] = [edge.tenant, await edge.newTenant()];
    const { id } = await made(oidc({ slug: 'deleted-race' }), owner);
    expect((await owner.api.delete(`/connections/${id}`)).status).toBe(204);
    const asking = [other, owner, other, owner];
    const answers = await Promise.all(
      asking.map(({ api }) => api.post('/connections', oidc({ slug: 'deleted-race' }))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await store.bySlug('deleted-race')).toMatchObject({ tenantId: owner.id });
  });

  it('that is generated never clashes', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => made(oidc({ name: 'Ünïcode & Söhne' }))));
    expect(new Set(all.map(({ slug }) => slug)).size).toBe(12);
    expect(all[0].slug).toMatch(/^unicode-sohne-[a-z0-9]{8}$/);
    expect((await made(oidc({ name: '日本' }))).slug).toMatch(/^[a-z0-9]{8}$/);
  });

  it('that is invalid is neither queried nor cached', async () => {
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

  long('leaves no memory in use after a flood of long ones', async () => {
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

describe('limits of connections', () => {
  it('bound the connections of a tenant, for concurrent requests too; a deleted one does not count', async () => {
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

  it('bound mapped roles, origins, certificates, keys, and the values of metadata', async () => {
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
