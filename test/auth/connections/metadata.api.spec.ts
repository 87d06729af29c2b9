import { ConnectionStore } from '../../../src/auth/connections/store.js';
import { WorkEngine } from '../../../src/engine/work/work.engine.js';
import { long } from '../../support/rounds.js';
import { authAdmin, type AuthAdmin } from './support/auth-admin.js';
import { certificate, metadataXml, MetadataServer } from './support/metadata.js';

let edge: AuthAdmin;
let idp: MetadataServer;
let store: ConnectionStore;
let certificates: string[];
beforeAll(async () => {
  edge = await authAdmin();
  idp = await MetadataServer.start();
  store = edge.app.get(ConnectionStore);
  certificates = await Promise.all(Array.from({ length: 4 }, () => certificate()));
});
afterAll(async () => {
  await edge.close();
  await idp.close();
});

const post = (more: object) => edge.tenant.api.post('/connections', { type: 'saml', name: 'IdP', ...more });
const get = async (id: string) => (await edge.tenant.api.get(`/connections/${id}`)).body;
const refresh = (id: string, body: object = {}) => edge.tenant.api.post(`/connections/${id}/refresh-metadata`, body);
const xml = (...which: number[]) => metadataXml({ certificates: which.map((i) => certificates[i]!) });
const pems = (body: { certificates: { pem: string }[] }) =>
  body.certificates.map(({ pem }) =>
    certificates.findIndex((one) => one.replace(/\s/g, '') === pem.replace(/\s/g, '')),
  );
async function byUrl(...which: number[]) {
  idp.say(xml(...which));
  const made = await post({ metadata_url: idp.url });
  expect([made.status, made.body.errors]).toEqual([201, undefined]);
  return made.body;
}
async function signedIn(connectionId: string) {
  await edge.db.query(
    `insert into identities (tenant_id, connection_id, subject, user_id, made_by, made_of) values ($1, $2, 's', 'u', 'email', 'x')`,
    [edge.tenant.id, connectionId],
  );
  return async () =>
    (
      await edge.db.query<{ bound: boolean }>(
        `select ended_at is null as bound from identities where connection_id = $1`,
        [connectionId],
      )
    ).rows[0]!.bound;
}

describe('metadata of a new connection', () => {
  it('is read from its address', async () => {
    idp.say(metadataXml({ certificates: [certificates[0]!], slo: 'https://idp.example.com/slo' }));
    const { status, body } = await post({ metadata_url: idp.url, signed: 'both' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      metadata_url: idp.url,
      metadata_checked_at: expect.any(String),
      metadata_problem: null,
      idp_entity_id: 'https://idp.example.com',
      sso_url: 'https://idp.example.com/sso',
      sso_binding: 'redirect',
      slo_url: 'https://idp.example.com/slo',
      signed: 'both',
    });
    expect(pems(body)).toEqual([0]);
  });

  it('is taken as text, which is not kept', async () => {
    const { status, body } = await post({ metadata_xml: xml(0, 1) });
    expect([status, pems(body), body.metadata_url]).toEqual([201, [0, 1], null]);
    expect(JSON.stringify(body)).not.toContain('metadata_xml');
  });

  it('is refused with the reason when it cannot be read', async () => {
    const ask = () => post({ metadata_url: idp.url });
    const why = async () => {
      const { status, body } = await ask();
      expect([status, body.errors?.[0]?.field]).toEqual([422, 'metadata_url']);
      return body.errors[0].message as string;
    };
    idp.say(xml(0));
    expect((await ask()).status).toBe(201);
    idp.say('gone', 404);
    expect(await why()).toContain('answered 404');
    idp.say('', 302, { location: idp.url });
    const before = idp.hits;
    expect(await why()).toContain('redirects are not followed');
    expect(idp.hits).toBe(before + 1);
    idp.say(`<!--${'x'.repeat(1024 * 1024)}-->${xml(0)}`);
    expect(await why()).toContain('longer than 1 MiB');
    const closed = await MetadataServer.start();
    const { url } = closed;
    await closed.close();
    const dead = await post({ metadata_url: url });
    expect([dead.status, dead.body.errors[0].message]).toEqual([
      422,
      expect.stringContaining('does not take connections'),
    ]);
    idp.say(xml(0));
    expect((await ask()).status).toBe(201);
  });

  it.each<[string, () => string, RegExp]>([
    ['no XML', () => 'hello', /./],
    ['a DTD', () => xml(0).replace('<md:', '<!DOCTYPE x [<!ENTITY a "b">]><md:'), /document type/],
    [
      'metadata that has expired',
      () => metadataXml({ certificates: [certificates[0]!], validUntil: '2020-01-01T00:00:00Z' }),
      /valid until/,
    ],
    ['no certificate', () => metadataXml({ certificates: [] }), /certificate/],
    [
      'a script as address',
      () => metadataXml({ certificates: [certificates[0]!], sso: 'javascript:alert(1)' }),
      /address/,
    ],
    [
      'an address that no admin could set',
      () => metadataXml({ certificates: [certificates[0]!], sso: `https://idp.example.com/${'x'.repeat(2000)}` }),
      /too long/,
    ],
  ])('is refused with the reason: %s', async (_, bad, reason) => {
    expect((await post({ metadata_xml: xml(0) })).status).toBe(201);
    const { status, body } = await post({ metadata_xml: bad() });
    expect([status, body.errors[0]]).toEqual([422, { field: 'metadata_xml', message: expect.stringMatching(reason) }]);
  });
});

describe('a connection that follows its metadata', () => {
  it('takes its keys from the metadata alone, until the address is removed', async () => {
    const body = await byUrl(0);
    const patch = (more: object) => edge.tenant.api.patch(`/connections/${body.id}`, more);
    for (const more of [
      { certificates: [certificates[1]] },
      { sso_url: 'https://x.example' },
      { idp_entity_id: 'x' },
    ]) {
      const refused = await patch(more);
      expect([refused.status, refused.body.errors[0].field]).toEqual([422, Object.keys(more)[0]]);
    }
    expect((await patch(body)).body).toEqual(body);
    const free = await patch({ metadata_url: null, certificates: [...body.certificates, certificates[1]] });
    expect([free.status, free.body.metadata_url, pems(free.body)]).toEqual([200, null, [0, 1]]);
    expect((await refresh(body.id)).body.errors[0].field).toBe('metadata_url');
  });

  it('adds and drops keys without an admin, and keeps the time since when it knows each', async () => {
    const body = await byUrl(0);
    const bound = await signedIn(body.id);
    idp.say(xml(0, 1));
    const both = await refresh(body.id);
    expect([both.status, pems(both.body), both.body.version]).toEqual([200, [0, 1], 2]);
    expect(both.body.certificates[0]).toEqual(body.certificates[0]);
    expect(await store.bySlug(body.slug)).toMatchObject({ version: 2 });
    idp.say(xml(1));
    expect(pems((await refresh(body.id)).body)).toEqual([1]);
    expect((await refresh(body.id)).body.version).toBe(3);
    expect(await bound()).toBe(true);
  });

  it.each<[string, () => string, RegExp]>([
    ['none of the known keys', () => xml(2), /none of the known certificates/],
    [
      'another IdP',
      () => metadataXml({ entityId: 'https://evil.example', certificates: [certificates[0]!] }),
      /evil\.example/,
    ],
  ])('waits for an admin: %s', async (_, next, reason) => {
    const body = await byUrl(0);
    const bound = await signedIn(body.id);
    idp.say(next());
    const refused = await refresh(body.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'metadata_needs_confirmation']);
    expect(refused.body.detail).toMatch(reason);
    const waiting = await get(body.id);
    expect(waiting).toMatchObject({ version: 1, metadata_problem: expect.stringMatching(reason) });
    expect(waiting.certificates).toEqual(body.certificates);
    const confirmed = await refresh(body.id, { confirm: true });
    expect(confirmed.body).toMatchObject({ version: 2, metadata_problem: null });
    // Another IdP's subjects are other people.
    expect(await bound()).toBe(confirmed.body.idp_entity_id === body.idp_entity_id);
  });

  it('is not changed by metadata that has expired or cannot be read', async () => {
    const body = await byUrl(0);
    const late = new Date(edge.clock.now().getTime() - 60_000).toISOString();
    idp.say(metadataXml({ certificates: [certificates[1]!, certificates[0]!], validUntil: late }));
    const expired = await refresh(body.id, { confirm: true });
    expect([expired.status, expired.body.errors[0].field]).toEqual([422, 'metadata_url']);
    expect(await get(body.id)).toMatchObject({ version: 1, metadata_problem: expect.stringContaining('valid until') });
    idp.say('down', 503);
    expect((await refresh(body.id)).status).toBe(422);
    expect(pems(await get(body.id))).toEqual([0]);
    idp.say(xml(0));
    expect((await refresh(body.id)).body).toMatchObject({ version: 1, metadata_problem: null });
  });
});

describe('the daily reading of metadata', () => {
  const all = () => edge.app.get(WorkEngine).drain('connections.metadata');

  it('reads each address once a day, for all callers', async () => {
    await byUrl(0);
    await all();
    edge.clock.move(1.01);
    idp.hits = 0;
    const { rows } = await edge.db.query(`select 1 from connections where settings ->> 'metadata_url' is not null`);
    await Promise.all([all(), all(), all()]);
    expect(idp.hits).toBe(rows.length);
    await all();
    expect(idp.hits).toBe(rows.length);
  });

  long('applies allowed changes, keeps those that need an admin, and reports both', async () => {
    const { id } = await byUrl(0);
    edge.clock.move(1.01);
    idp.say(xml(0, 1));
    await all();
    expect([pems(await get(id)), (await get(id)).version]).toEqual([[0, 1], 2]);
    edge.clock.move(1.01);
    idp.say(xml(2));
    await all();
    expect(await get(id)).toMatchObject({ version: 2, metadata_problem: expect.stringContaining('none of the known') });
    edge.clock.move(1.01);
    await all(); // Another look finds the same, which is reported already.
    const { rows: told } = await edge.db.query<{ data: object }>(
      `select data from events where tenant_id = $1 and event = 'connection.metadata_waiting' and data ->> 'connection_id' = $2`,
      [edge.tenant.id, id],
    );
    expect(told.map(({ data }) => data)).toEqual([
      { connection_id: id, problem: expect.stringContaining('none of the known') as string },
    ]);
    edge.clock.move(1.01);
    idp.say('', 500);
    await all();
    expect(await get(id)).toMatchObject({ version: 2, metadata_problem: expect.stringContaining('answered 500') });
    edge.clock.move(1.01);
    idp.say(xml(0, 1));
    await all();
    expect(await get(id)).toMatchObject({ version: 2, metadata_problem: null });
    const said = edge.lines.filter((line) => line.includes(id)).join('\n');
    for (const word of [
      'connection.metadata_changed',
      'connection.metadata_unconfirmed',
      'connection.metadata_failed',
    ]) {
      expect(said).toContain(word);
    }
    const { data } = (await edge.tenant.api.get(`/audit?target_id=${id}`)).body;
    expect(data.map(({ actor }: { actor: { kind: string } }) => actor.kind)).toEqual(['system', 'key']);
  });

  it('leaves disabled connections alone', async () => {
    const { id } = await byUrl(0);
    await edge.tenant.api.patch(`/connections/${id}`, { enabled: false });
    edge.clock.move(1.01);
    const before = await get(id);
    await all();
    expect(await get(id)).toEqual(before);
  });

  long('reminds of a certificate once at 60, 30, 7 and 0 days before its end', async () => {
    const until = new Date(edge.clock.now().getTime() + 61.5 * 86_400_000);
    const ending = await certificate(until);
    const { id } = (
      await post({ idp_entity_id: 'e', sso_url: 'https://idp.example.com', certificates: [ending, certificates[0]] })
    ).body;
    const days: (number | null)[] = [];
    for (let day = 0; day < 64; day++) {
      edge.lines.length = 0;
      await all();
      for (const line of edge.lines.filter((one) => one.includes('connection.certificate_') && one.includes(id))) {
        days.push((JSON.parse(line) as { days: number }).days);
      }
      edge.clock.move(1.01);
    }
    expect(days).toEqual([60, 30, 7, 0]);
    // It is pinned, and still verifies.
    expect(await store.byId(edge.tenant.id, id)).toMatchObject({
      certificates: [expect.any(String), expect.any(String)],
    });
  });
});
