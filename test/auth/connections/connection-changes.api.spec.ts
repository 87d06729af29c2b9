import type { SqlRunner } from '../../../src/base/database/database.js';
import { waitingForLock } from '../../support/locks.js';
import { ConnectionStore } from '../../../src/auth/connections/store.js';
import { long } from '../../support/rounds.js';
import { authAdmin, type AuthAdmin } from './support/auth-admin.js';
import { makeConnection, oidc, samlWith } from './support/connections.js';
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

describe('a change of a connection', () => {
  it('ends no session when the name changes, and all when it is disabled', async () => {
    const { id } = await made(oidc());
    await signedIn(id, 'u1');
    await change(id, { name: 'Other', scopes: ['openid', 'groups'], client_id: 'other' });
    expect(await ends(id)).toEqual([[null, true]]);
    await change(id, { enabled: false });
    expect(await ends(id)).toEqual([['connection_disabled', true]]);
    await change(id, { enabled: true });
    expect(await ends(id)).toEqual([['connection_disabled', true]]);
  });

  it('ends bindings and sessions when the IdP changes', async () => {
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

  long('ends bindings and sessions when it is paired: from then on the directory decides on subjects', async () => {
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

  long('ends a sign-in that is being written at that moment', async () => {
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
      await edge.db.transaction(null, async (tx) => {
        expect(await store.holds(tx, connection)).toBe(true);
        changed = next === null ? edge.tenant.api.delete(`/connections/${id}`) : change(id, next);
        await waitingForLock(edge.db);
        await signedIn(id, 'u4', tx);
      });
      expect((await changed!).status).toBe(next === null ? 204 : 200);
      expect((await ends(id))[0]![0]).toMatch(/^connection_(changed|disabled|deleted)$/);
      expect(await store.holds(edge.db, connection)).toBe(false);
    }
  });

  it('ends sessions, secrets and the slug when it is deleted, and gives its domains to no other connection', async () => {
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
      connection_id: body.id,
    });
    expect([await store.bySlug(body.slug), await store.byId(edge.tenant.id, body.id)]).toEqual([null, null]);
    expect((await edge.tenant.api.get(`/connections/${body.id}`)).status).toBe(404);
    expect((await edge.tenant.api.delete(`/connections/${body.id}`)).status).toBe(404);
  });
});
