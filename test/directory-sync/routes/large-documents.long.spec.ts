import { MAX_PAGE_BYTES } from '../../../src/base/database/byte-cut.js';
import { AnswerBudget } from '../../../src/base/http/answer-budget.js';
import { MAX_DOCUMENT_BYTES } from '../../../src/directory-sync/users/user.row.js';
import { startApp, type TestApp, type TestTenant } from '../../support/app.js';
import { client, eventually, type Client } from '../../support/http.js';
import { bulk, failure, fresh, group, madeGroup, madeUser, patch, scim, user, USER } from '../../support/scim.js';
import { patience } from '../../support/speed.js';

let service: TestApp;
let at: TestTenant;
let directory: Client;
let api: Client;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());
beforeEach(async () => {
  at = await service.newTenant();
  directory = scim(service.url, at.scimToken);
  api = client(`${service.url}/api`, at.apiKey);
});

const KIB = 1024;
/** A list of addresses whose text has about `bytes` bytes; no value has more than 16 384 characters. */
const photos = (bytes: number, from = 0) =>
  Array.from({ length: Math.ceil(bytes / (8 * KIB)) }, (_, i) => ({
    value: `https://${from + i}.example/`.padEnd(8 * KIB - 12, 'x'),
  }));
const stored = async (id: string): Promise<{ bytes: number; doc_bytes: number; version: number }> => {
  const { rows } = await service.db.query<{ bytes: number; doc_bytes: number; version: number }>(
    `select octet_length(doc::text) as bytes, doc_bytes, version from users where tenant_id = $1 and id = $2`,
    [at.tenantId, id],
  );
  return rows[0]!;
};

/** Makes users of a directory by SQL: `count` users, each of about `bytes` bytes. */
async function fill(tenant: TestTenant, count: number, bytes: number): Promise<void> {
  await service.db.execute(
    `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, active, first_name, last_name,
       status, seat)
     select $1, 'usr_' || lpad(i::text, 26, '0'), $2, 'scim',
       jsonb_build_object('schemas', jsonb_build_array($5::text), 'userName', 'u' || i,
         'title', repeat(md5(i::text), ($4::int) / 32)),
       'u' || i, 'u' || i, true, '', '', 'inactive', 'none' from generate_series(1, $3::int) i`,
    [tenant.tenantId, tenant.directoryId, count, bytes, USER],
  );
  await service.db.query(`insert into population_steps (tenant_id, owner, step) values ($1, $2, $3)`, [
    tenant.tenantId,
    tenant.directoryId,
    count,
  ]);
}

describe('a stored document has at most 256 KiB', () => {
  const refused = [400, 'invalidValue', '400'];

  it('by POST, PUT and PATCH, which are refused over it and change nothing', async () => {
    const large = { photos: photos(300 * KIB) };
    const answer = await directory.post('/Users', user(fresh(), large));
    expect(failure(answer)).toEqual(refused);
    expect(answer.body.detail).toMatch(/would have 3\d{5} bytes .* at most 262144/);

    const name = `${fresh()}@x.example`;
    const id = await madeUser(directory, user(name, { photos: photos(200 * KIB) }));
    const before = await stored(id);
    expect(before.doc_bytes).toBeGreaterThan(199 * KIB);
    expect(failure(await directory.put(`/Users/${id}`, user(name, large)))).toEqual(refused);
    const add = patch({ op: 'add', path: 'photos', value: photos(100 * KIB, 1000) });
    expect(failure(await directory.patch(`/Users/${id}`, add))).toEqual(refused);
    expect(await stored(id)).toEqual(before);
    // The control: what fits is written.
    const little = patch({ op: 'add', path: 'photos', value: photos(16 * KIB, 1000) });
    expect((await directory.patch(`/Users/${id}`, little)).status).toBe(200);
    expect((await stored(id)).doc_bytes).toBeLessThanOrEqual(MAX_DOCUMENT_BYTES);
  });

  it('however often a PATCH adds to it', async () => {
    const id = await madeUser(directory);
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) {
      const add = patch({ op: 'add', path: 'photos', value: photos(16 * KIB, i * 100) });
      statuses.push((await directory.patch(`/Users/${id}`, add)).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200, 400]));
    expect((await stored(id)).doc_bytes).toBeLessThanOrEqual(MAX_DOCUMENT_BYTES);
  });

  it('in Bulk, where the other operations are carried out', async () => {
    const { body } = await directory.post(
      '/Bulk',
      bulk([
        { method: 'POST', path: '/Users', bulkId: 'a', data: user(fresh(), { photos: photos(300 * KIB) }) },
        { method: 'POST', path: '/Users', bulkId: 'b', data: user(fresh()) },
      ]),
    );
    expect(body.Operations.map(({ status }: { status: string }) => status)).toEqual(['400', '201']);
  });

  it('through the users API: 422 with a code, the limit and the size', async () => {
    const made = await api.post('/users', { email: `${fresh()}@x.example`, first_name: 'A', last_name: 'B' });
    const id = made.body.id as string;
    await service.db.query(
      `update users set version = version + 1, doc_bytes = null,
         doc = doc || jsonb_build_object('title', repeat('x', $3::int - octet_length(doc::text)))
       where tenant_id = $1 and id = $2`,
      [at.tenantId, id, MAX_DOCUMENT_BYTES - 100],
    );
    const before = await stored(id);
    const { status, body } = await api.patch(`/users/${id}`, { first_name: 'x'.repeat(190) });
    expect([status, body.code, body.limit]).toEqual([422, 'document_too_large', MAX_DOCUMENT_BYTES]);
    expect(body.bytes).toBeGreaterThan(MAX_DOCUMENT_BYTES);
    expect(await stored(id)).toEqual(before);
    expect((await api.patch(`/users/${id}`, { first_name: 'C', status: 'inactive' })).status).toBe(200);
  });

  it('and an older, larger one can be read, kept, made smaller and deleted, but cannot grow', async () => {
    await fill(at, 1, 300 * KIB);
    const id = `usr_${'1'.padStart(26, '0')}`;
    expect((await directory.get(`/Users/${id}`)).body.title).toHaveLength(300 * KIB);
    expect((await directory.get('/Users')).body.Resources).toHaveLength(1);
    const grow = patch({ op: 'add', path: 'nickName', value: 'n' });
    expect(failure(await directory.patch(`/Users/${id}`, grow))).toEqual(refused);
    for (const active of [true, false]) {
      const change = patch({ op: 'replace', path: 'active', value: active });
      expect((await directory.patch(`/Users/${id}`, change)).status).toBe(200);
    }
    expect((await directory.patch(`/Users/${id}`, patch({ op: 'remove', path: 'title' }))).status).toBe(200);
    expect((await stored(id)).doc_bytes).toBeLessThan(KIB);
    expect((await directory.delete(`/Users/${id}`)).status).toBe(204);
  });

  it('of a group, whose members do not count', async () => {
    const wide = { 'urn:x': 1, externalId: 'x'.repeat(200) };
    expect((await directory.post('/Groups', group(fresh('Group '), wide))).status).toBe(201);
    const { rows } = await service.db.query<{ doc_bytes: number }>(
      `select doc_bytes from groups where tenant_id = $1`,
      [at.tenantId],
    );
    expect(rows[0]!.doc_bytes).toBeLessThan(KIB);
  });
});

describe('pages are cut at 2 MiB', () => {
  const ids = (body: { Resources: { id: string }[] }) => body.Resources.map(({ id }) => id);

  it('by startIndex and by cursor, sorted or not: every user once, and fewer than count on a page', async () => {
    await fill(at, 90, 250 * KIB);
    for (const sort of ['', '&sortBy=userName']) {
      const seen: string[] = [];
      for (let startIndex = 1, pages = 0; startIndex <= 90; pages++) {
        const { status, body } = await directory.get(`/Users?count=1000&startIndex=${startIndex}${sort}`);
        expect([status, body.totalResults, pages < 20]).toEqual([200, 90, true]);
        expect(body.itemsPerPage).toBe(body.Resources.length);
        expect(body.itemsPerPage).toBeGreaterThan(0);
        expect(body.itemsPerPage * 250 * KIB).toBeLessThanOrEqual(MAX_PAGE_BYTES);
        seen.push(...ids(body));
        startIndex += body.itemsPerPage as number;
      }
      expect([seen.length, new Set(seen).size]).toEqual([90, 90]);

      const byCursor: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const { body } = await directory.get(`/Users?count=1000&cursor=${encodeURIComponent(cursor)}${sort}`);
        byCursor.push(...ids(body));
        cursor = body.nextCursor as string | undefined;
      }
      expect([byCursor.length, new Set(byCursor).size]).toEqual([90, 90]);
    }
  });

  it('also by search, by filter, and over all types of resources', async () => {
    await fill(at, 40, 250 * KIB);
    const groups = [await madeGroup(directory), await madeGroup(directory)];
    for (const [path, total] of [
      ['/Users/.search', 40],
      ['/.search', 42],
    ] as const) {
      const seen: string[] = [];
      for (let startIndex = 1; startIndex <= total;) {
        const { body } = await directory.post(path, {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
          startIndex,
          count: 1000,
          filter: 'id pr',
        });
        expect(body.totalResults).toBe(total);
        seen.push(...ids(body));
        startIndex += body.itemsPerPage as number;
      }
      expect(new Set(seen).size).toBe(total);
      if (total === 42) expect(seen).toEqual(expect.arrayContaining(groups));
    }
  });

  it('of groups, by their members; a group that is larger than a page is given whole', async () => {
    const made = await Promise.all(Array.from({ length: 4 }, () => madeGroup(directory)));
    made.sort();
    const fillGroup = (id: string, count: number) =>
      service.db.execute(
        `insert into group_members (tenant_id, group_id, member_id, kind, display)
         select $1, $2, 'usr_' || lpad(i::text, 26, '0'), 'User', repeat('d', 40) from generate_series(1, $3::int) i`,
        [at.tenantId, id, count],
      );
    await fillGroup(made[0]!, 3);
    await fillGroup(made[1]!, 60_000);
    await fillGroup(made[2]!, 30_000);
    await fillGroup(made[3]!, 3);
    const pages: [string, number][][] = [];
    for (let startIndex = 1; startIndex <= 4;) {
      const { body } = await directory.get(`/Groups?count=100&startIndex=${startIndex}`);
      expect(body.totalResults).toBe(4);
      const resources = body.Resources as { id: string; members: unknown[] }[];
      pages.push(resources.map(({ id, members }) => [id, members.length]));
      startIndex += body.itemsPerPage as number;
    }
    expect(pages.flat()).toEqual([
      [made[0], 3],
      [made[1], 60_000],
      [made[2], 30_000],
      [made[3], 3],
    ]);
    expect(pages.length).toBeGreaterThan(1);
    expect((await directory.get(`/Groups/${made[1]}`)).body.members).toHaveLength(60_000);
    expect((await directory.get('/Groups?excludedAttributes=members')).body.Resources).toHaveLength(4);
  });

  it('of the users API, which reads no documents for its list, and of those held', async () => {
    await fill(at, 60, 250 * KIB);
    await service.db.query(
      `update users set held = 'no_email', held_since = created_at where tenant_id = $1 and id like 'usr_%'`,
      [at.tenantId],
    );
    expect((await api.get('/users?limit=200')).body.data).toHaveLength(60);
    const seen: string[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const { body } = await api.get(`/v1/held?limit=200&cursor=${encodeURIComponent(cursor)}`);
      seen.push(...body.data.map(({ user_id: id }: { user_id: string }) => id));
      cursor = body.next_cursor as string | null;
    }
    expect([seen.length, new Set(seen).size, pages > 1]).toEqual([60, 60, true]);
  });
});

it(
  'large pages of several tenants at once stay within the memory for answers',
  async () => {
    const tenants = [at, await service.newTenant(), await service.newTenant()];
    for (const tenant of tenants) await fill(tenant, 100, 250 * KIB);
    const budget = service.app.nest.get(AnswerBudget);
    let most = 0;
    const sampler = setInterval(() => {
      const { rss } = process.memoryUsage();
      most = Math.max(most, rss);
    }, 5);
    const before = process.memoryUsage().rss;
    const walk = async (tenant: TestTenant): Promise<string[]> => {
      const from = scim(service.url, tenant.scimToken);
      const seen: string[] = [];
      for (let startIndex = 1; startIndex <= 100;) {
        const { status, body } = await from.get(`/Users?count=1000&startIndex=${startIndex}`);
        if (status === 503) continue; // asked to come again
        expect(status).toBe(200);
        seen.push(...body.Resources.map(({ id }: { id: string }) => id));
        startIndex += body.itemsPerPage as number;
      }
      return seen;
    };
    const walks = await Promise.all(
      tenants.flatMap((tenant) => [walk(tenant), walk(tenant), walk(tenant), walk(tenant)]),
    );
    clearInterval(sampler);
    for (const seen of walks) expect([seen.length, new Set(seen).size]).toEqual([100, 100]);
    // The client is in this process, too, and parses what it gets: of 300 MB that were asked for, a part.
    expect(most - before).toBeLessThan(900 * KIB * KIB);
    await eventually(
      async () => budget.size,
      (size) => size === 0,
    );
  },
  patience(120_000),
);
