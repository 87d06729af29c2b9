import { DomainsStore } from '../../../../src/auth/connections/domains/domains.store.js';
import { WorkEngine } from '../../../../src/engine/work/work.engine.js';
import { authAdmin, type AdminTenant, type AuthAdmin } from '../support/auth-admin.js';
import { NameServer } from '../../../support/name-server.js';
import { long } from '../../../support/rounds.js';

let names: NameServer;
let edge: AuthAdmin;
let store: DomainsStore;
let count = 0;
beforeAll(async () => {
  names = await NameServer.start();
  edge = await authAdmin({ DNS_SERVERS: names.address });
  store = edge.app.get(DomainsStore);
});
afterAll(async () => {
  await edge.close();
  await names.close();
});

const dueChecks = () => edge.app.get(WorkEngine).drain('domains.checks');
const fresh = () => `d${++count}.example`;
/** Adds a domain; `record` puts its record into the DNS. */
async function added(tenant: AdminTenant, domain = fresh(), connectionId?: string) {
  const body = { domain, ...(connectionId === undefined ? {} : { connection_id: connectionId }) };
  const made = await tenant.api.post('/domains', body);
  expect([made.status, made.body.state]).toEqual([201, 'pending']);
  const record = made.body.dns_record as { name: string; value: string };
  return { domain, record, publish: () => void names.zone.set(record.name, { txt: ['other', record.value] }) };
}
async function verified(tenant: AdminTenant, domain?: string, connectionId?: string) {
  const one = await added(tenant, domain, connectionId);
  one.publish();
  const answer = await tenant.api.post(`/domains/${one.domain}/verify`);
  expect([answer.status, answer.body.state]).toEqual([200, 'verified']);
  return one;
}
const connection = async ({ api }: AdminTenant) =>
  (
    await api.post('/connections', {
      type: 'oidc',
      name: 'C',
      issuer: 'https://idp.example.com',
      client_id: 'x',
      client_secret: 's',
    })
  ).body.id as string;
const verify = ({ api }: AdminTenant, domain: string) => api.post(`/domains/${domain}/verify`);
const audit = async ({ api }: AdminTenant, domain: string) =>
  ((await api.get(`/audit?target_id=${domain}`)).body.data as { action: string }[])
    .map(({ action }) => action)
    .reverse();

describe('a new domain', () => {
  it('is one of 200 at most, for concurrent requests too; a removed one does not count', async () => {
    const tenant = await edge.newTenant();
    await edge.db.query(
      `insert into domains (tenant_id, domain, challenge) select $1, 'bulk' || n || '.example', 'c'
       from generate_series(1, 198) n`,
      [tenant.id],
    );
    const names = Array.from({ length: 4 }, () => fresh());
    const answers = await Promise.all(names.map((domain) => tenant.api.post('/domains', { domain })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const full = await tenant.api.post('/domains', { domain: fresh() });
    expect([full.status, full.body.code]).toEqual([409, 'too_many_domains']);
    // An entry of this tenant answers that it is there already, and another tenant has room.
    expect((await tenant.api.post('/domains', { domain: 'bulk1.example' })).body.code).toBe('domain_exists');
    const operator = await edge.operator.put(`/tenants/${tenant.id}/domains/${fresh()}`, {});
    expect([operator.status, operator.body.code]).toEqual([409, 'too_many_domains']);
    expect((await edge.operator.put(`/tenants/${tenant.id}/domains/bulk2.example`, {})).status).toBe(200);
    await added(edge.tenant);
    expect((await tenant.api.delete('/domains/bulk1.example')).status).toBe(204);
    await added(tenant);
  });

  it('is added, shown, verified, bound and removed, each with its line in the audit log', async () => {
    const { tenant } = edge;
    const { domain, record } = await added(tenant);
    expect(record).toEqual({
      type: 'TXT',
      name: `_talent-bridge.${domain}`,
      value: expect.stringMatching(/^talent-bridge-verification=[\w-]{43}$/),
    });
    const missing = await verify(tenant, domain);
    expect([missing.status, missing.body.code]).toEqual([409, 'domain_not_verified']);
    expect(missing.body.detail).toContain('no TXT record was found');
    expect(missing.body.detail).toContain(record.value);

    names.zone.set(record.name, { txt: [record.value] });
    expect((await verify(tenant, domain)).body).toMatchObject({ state: 'verified', verified_by: 'dns', problem: null });
    expect((await verify(tenant, domain)).status).toBe(200);

    const id = await connection(tenant);
    const bound = await tenant.api.patch(`/domains/${domain}`, { connection_id: id });
    expect([bound.status, bound.body.connection_id]).toEqual([200, id]);
    expect((await tenant.api.get(`/domains/${domain}`)).body).toEqual(bound.body);
    expect((await tenant.api.patch(`/domains/${domain}`, bound.body)).body).toEqual(bound.body);
    expect((await tenant.api.delete(`/domains/${domain}`)).status).toBe(204);
    expect((await tenant.api.get(`/domains/${domain}`)).status).toBe(404);
    expect(await store.owner(domain)).toBeNull();
    expect(await audit(tenant, domain)).toEqual([
      'domain.added', 'domain.verified', 'domain.changed', 'domain.removed',
    ]); // prettier-ignore
  });

  it('may have its record at the domain itself, in parts, or behind an alias', async () => {
    const { tenant } = edge;
    const atItself = await added(tenant);
    const { value } = atItself.record;
    names.zone.set(atItself.domain, { txt: ['v=spf1 -all', [value.slice(0, 30), value.slice(30)]] });
    expect((await verify(tenant, atItself.domain)).status).toBe(200);
    const alias = await added(tenant);
    names.zone.set(alias.record.name, { cname: `txt.${alias.domain}` });
    names.zone.set(`txt.${alias.domain}`, { txt: [alias.record.value] });
    expect((await verify(tenant, alias.domain)).status).toBe(200);
  });

  it('is stored in one form, and found by each spelling', async () => {
    const { api } = edge.tenant;
    const made = await api.post('/domains', { domain: ' MÜNCHEN.example. ' });
    expect([made.status, made.body.domain]).toEqual([201, 'xn--mnchen-3ya.example']);
    for (const form of ['xn--mnchen-3ya.example', 'München.example', 'xn--mnchen-3ya.example.']) {
      expect((await api.get(`/domains/${encodeURIComponent(form)}`)).status).toBe(200);
    }
    const again = await api.post('/domains', { domain: 'münchen.example' });
    expect([again.body.code, again.body.detail]).toEqual([
      'domain_exists',
      'The domain xn--mnchen-3ya.example is in your list already, and is bound to no connection. To bind it: domain bind xn--mnchen-3ya.example --connection-id <slug>.',
    ]);
  });

  it('is listed in pages, by name', async () => {
    const tenant = await edge.newTenant();
    for (const domain of ['b.example', 'a.example', 'c.example']) await added(tenant, domain);
    const first = (await tenant.api.get('/domains?limit=2')).body;
    const second = (await tenant.api.get(`/domains?limit=2&cursor=${first.next_cursor}`)).body;
    const listed = [...first.data, ...second.data].map(({ domain }: { domain: string }) => domain);
    expect([listed, second.next_cursor]).toEqual([['a.example', 'b.example', 'c.example'], null]);
  });
});

describe('a claim that is refused', () => {
  beforeAll(() => verified(edge.tenant));
  afterAll(() => verified(edge.tenant));

  it.each(['gmail.com', 'localhost', '*.example.com', '192.0.2.1', 'exam\u00adple.com', 'https://example.com', 7])(
    '422: %s',
    async (domain) => {
      const answer = await edge.tenant.api.post('/domains', { domain });
      expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'domain']);
    },
  );

  it('422: an unknown connection, of another tenant, or deleted', async () => {
    const { tenant } = edge;
    const theirs = await connection(await edge.newTenant());
    const gone = await connection(tenant);
    expect((await tenant.api.delete(`/connections/${gone}`)).status).toBe(204);
    const { domain } = await added(tenant);
    for (const id of ['con_none', theirs, gone]) {
      const made = await tenant.api.post('/domains', { domain: fresh(), connection_id: id });
      const changed = await tenant.api.patch(`/domains/${domain}`, { connection_id: id });
      expect([made.status, made.body.errors[0].field]).toEqual([422, 'connection_id']);
      expect([changed.status, changed.body.errors]).toEqual([422, made.body.errors]);
    }
  });

  it('409: a record of another tenant, of an earlier claim, or with more text after it', async () => {
    const { tenant } = edge;
    const other = await edge.newTenant();
    const domain = fresh();
    const theirs = await added(other, domain);
    const earlier = await added(tenant, domain);
    await tenant.api.delete(`/domains/${domain}`);
    const now = await added(tenant, domain);
    expect(now.record.value).not.toBe(earlier.record.value);
    for (const value of [
      theirs.record.value,
      earlier.record.value,
      `${now.record.value}x`,
      now.record.value.slice(0, -1),
    ]) {
      names.zone.set(now.record.name, { txt: [value] });
      expect((await verify(tenant, domain)).body.code).toBe('domain_not_verified');
    }
    names.zone.set(now.record.name, { txt: [now.record.value] });
    expect((await verify(tenant, domain)).status).toBe(200);
  });

  it('409: no answer of a name server', async () => {
    const one = await added(edge.tenant);
    names.zone.set(one.record.name, 'servfail');
    const answer = await verify(edge.tenant, one.domain);
    expect([answer.status, answer.body.code]).toEqual([409, 'domain_not_verified']);
    expect(answer.body.detail).toContain('gave no answer');
  });

  it('404: another tenant’s domain, on every route, like an unknown one', async () => {
    const other = await edge.newTenant();
    const { domain } = await verified(other);
    const { api } = edge.tenant;
    const ask = (name: string) =>
      Promise.all([
        api.get(`/domains/${name}`),
        api.patch(`/domains/${name}`, { connection_id: null }),
        api.delete(`/domains/${name}`),
        api.post(`/domains/${name}/verify`),
      ]);
    const [foreign, unknown] = await Promise.all([ask(domain), ask('unknowns.example')]);
    expect(foreign.map(({ status, body }) => [status, body.detail])).toEqual(
      unknown.map(({ status, body }) => [status, body.detail]),
    );
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await api.get('/domains?limit=200')).text).not.toContain(`"${domain}"`);
    expect((await other.api.get(`/domains/${domain}`)).body.state).toBe('verified');
  });
});

describe('a domain of two tenants', () => {
  long('may be claimed by both, is verified for one, and does not show the winner to the other', async () => {
    for (let round = 0; round < 8; round++) {
      const tenants = [await edge.newTenant(), await edge.newTenant()];
      const domain = fresh();
      const claims = await Promise.all(tenants.map((tenant) => added(tenant, domain)));
      names.zone.set(claims[0]!.record.name, { txt: claims.map(({ record }) => record.value) });
      const answers = await Promise.all(tenants.map((tenant) => verify(tenant, domain)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const [loser] = answers.filter(({ status }) => status === 409);
      expect(loser!.body.code).toBe('domain_taken');
      const winner = tenants[answers.findIndex(({ status }) => status === 200)]!;
      expect(loser!.text).not.toContain(winner.id);
      expect(await store.owner(domain)).toEqual({ tenantId: winner.id, connectionId: null });
      const other = tenants.find((tenant) => tenant !== winner)!;
      expect((await other.api.get(`/domains/${domain}`)).body.state).toBe('pending');
      // And it is free again once the winner lets it go.
      await winner.api.delete(`/domains/${domain}`);
      expect((await verify(other, domain)).status).toBe(200);
    }
  });
});

describe('a sign-in by the domain of an e-mail', () => {
  it('is allowed for a verified domain, an exact match, and the bound connection alone', async () => {
    const [tenant, other] = [await edge.newTenant(), await edge.newTenant()];
    const a = await connection(tenant);
    const pending = await added(tenant);
    expect([await store.owner(pending.domain), await store.isOwned(tenant.id, pending.domain, a)]).toEqual([
      null,
      false,
    ]);

    const { domain } = await verified(tenant);
    expect(await store.isOwned(tenant.id, domain, a)).toBe(true);
    expect(await store.isOwned(other.id, domain, a)).toBe(false);
    expect(await store.isOwned(tenant.id, `sub.${domain}`, a)).toBe(false);
    expect(await store.owner(`sub.${domain}`)).toBeNull();
    expect(await store.isOwned(tenant.id, domain.replace('.', 'x.'), a)).toBe(false);

    // The tenant's only connection needs no binding. With a second one, the domain counts for none until it is bound.
    const b = await connection(tenant);
    const both = async () => [await store.isOwned(tenant.id, domain, a), await store.isOwned(tenant.id, domain, b)];
    expect(await both()).toEqual([false, false]);
    await tenant.api.patch(`/connections/${b}`, { enabled: false });
    expect(await both()).toEqual([true, false]);
    await tenant.api.patch(`/connections/${b}`, { enabled: true });
    expect(await both()).toEqual([false, false]);

    await tenant.api.patch(`/domains/${domain}`, { connection_id: a });
    expect([await store.isOwned(tenant.id, domain, a), await store.isOwned(tenant.id, domain, b)]).toEqual([
      true,
      false,
    ]);
    expect(await store.owner(domain)).toEqual({ tenantId: tenant.id, connectionId: a });
    await tenant.api.delete(`/connections/${a}`);
    // Its deletion lets no other IdP vouch for its e-mails.
    expect(await store.owner(domain)).toEqual({ tenantId: tenant.id, connectionId: a });
    expect(await store.isOwned(tenant.id, domain, b)).toBe(false);
    expect((await tenant.api.patch(`/domains/${domain}`, { connection_id: b })).status).toBe(200);
    expect(await store.isOwned(tenant.id, domain, b)).toBe(true);
  });
});

describe('the daily check of a domain', () => {
  const all = dueChecks;
  const state = async (tenant: AdminTenant, domain: string) => (await tenant.api.get(`/domains/${domain}`)).body.state;

  it('reads the record once a day', async () => {
    const one = await verified(edge.tenant);
    await all();
    names.asked.length = 0;
    await all();
    expect(names.asked).toEqual([]);
    edge.clock.move(1.01);
    await Promise.all([all(), all(), all()]);
    expect(names.asked.filter((name) => name === one.record.name)).toHaveLength(1);
  });

  long(
    'stops new links when the record is gone, allows them when it is back, and frees the domain after a week',
    async () => {
      const tenant = await edge.newTenant();
      const other = await edge.newTenant();
      const id = await connection(tenant);
      const one = await verified(tenant);
      const { domain, record } = one;

      names.zone.set(record.name, 'nxdomain');
      edge.clock.move(1.01);
      await all();
      expect((await tenant.api.get(`/domains/${domain}`)).body).toMatchObject({
        state: 'lost',
        problem: expect.stringContaining('no TXT record'),
        lost_at: expect.any(String),
      });
      expect(await store.isOwned(tenant.id, domain, id)).toBe(false);
      expect(await store.owner(domain)).toMatchObject({ tenantId: tenant.id });

      one.publish();
      edge.clock.move(1.01);
      await all();
      expect([await state(tenant, domain), await store.isOwned(tenant.id, domain, id)]).toEqual(['verified', true]);

      names.zone.set(record.name, 'nxdomain');
      const theirs = await added(other, domain);
      names.zone.set(domain, { txt: [theirs.record.value] });
      for (let day = 0; day < 7; day++) {
        edge.clock.move(1.01);
        await all();
        expect(await store.owner(domain)).toMatchObject({ tenantId: tenant.id });
        expect((await verify(other, domain)).body.code).toBe('domain_taken');
      }
      edge.clock.move(1.01);
      await all();
      expect([await state(tenant, domain), await store.owner(domain)]).toEqual(['lost', null]);
      expect((await verify(other, domain)).status).toBe(200);
      expect(await audit(tenant, domain)).toEqual([
      'domain.added', 'domain.verified', 'domain.lost', 'domain.restored', 'domain.lost', 'domain.released',
    ]); // prettier-ignore
      expect(edge.lines.some((line) => line.includes('domain.checked') && line.includes(domain))).toBe(true);
      const { body: events } = await tenant.api.get('/events?event=domain.lost');
      const mine = events.data.filter(({ data }: { data: { domain: string } }) => data.domain === domain);
      expect(mine.map(({ data }: { data: { problem: string } }) => data.problem)).toEqual([
        expect.stringContaining('another value'),
        expect.stringContaining('no TXT record'),
      ]);
    },
  );

  it('changes nothing when a name server does not answer, and asks again within the hour', async () => {
    const one = await verified(edge.tenant);
    names.zone.set(one.record.name, 'servfail');
    edge.clock.move(1.01);
    await all();
    expect(await state(edge.tenant, one.domain)).toBe('verified');
    names.asked.length = 0;
    edge.clock.move(1.01 / 24);
    await all();
    expect(names.asked).toContain(one.record.name);
    expect(await state(edge.tenant, one.domain)).toBe('verified');
    one.publish();
  });
});

describe('trust by the operator', () => {
  const trust = (tenantId: string, domain: string, body: object = {}) =>
    edge.operator.put(`/tenants/${tenantId}/domains/${domain}`, body);

  it('replaces the record, and lasts without one', async () => {
    const tenant = await edge.newTenant();
    const id = await connection(tenant);
    const domain = fresh();
    const set = await trust(tenant.id, domain, { connection_id: id });
    expect([set.status, set.body.state, set.body.verified_by]).toEqual([200, 'verified', 'operator']);
    expect(await store.isOwned(tenant.id, domain, id)).toBe(true);
    expect((await verify(tenant, domain)).status).toBe(200);
    edge.clock.move(10);
    await dueChecks();
    expect((await trust(tenant.id, domain)).body).toEqual(set.body);
    expect((await edge.operator.delete(`/tenants/${tenant.id}/domains/${domain}`)).status).toBe(204);
    expect(await store.isOwned(tenant.id, domain, id)).toBe(false);
    const lines = (await tenant.api.get(`/audit?target_id=${domain}`)).body.data as { actor: { kind: string } }[];
    expect(new Set(lines.map(({ actor }) => actor.kind))).toEqual(new Set(['operator']));
  });

  it('verifies a pending domain, and takes no domain from another tenant', async () => {
    const tenant = await edge.newTenant();
    const { domain } = await added(tenant);
    expect((await trust(tenant.id, domain)).body.state).toBe('verified');
    expect((await trust(edge.tenant.id, domain)).body.code).toBe('domain_taken');
    expect((await edge.tenant.api.get(`/domains/${domain}`)).status).toBe(404);
  });

  it('is given by the operator alone, for existing tenants and domains', async () => {
    const domain = fresh();
    const own = await edge.tenant.api.put(`/tenants/${edge.tenant.id}/domains/${domain}`, {});
    expect([own.status, own.body.code]).toEqual([403, 'operator_only']);
    expect((await trust('ten_none', domain)).status).toBe(404);
    expect((await trust(edge.tenant.id, 'gmail.com')).status).toBe(422);
    expect((await edge.operator.delete(`/tenants/${edge.tenant.id}/domains/${domain}`)).status).toBe(404);
    expect((await trust(edge.tenant.id, domain)).status).toBe(200);
  });
});
