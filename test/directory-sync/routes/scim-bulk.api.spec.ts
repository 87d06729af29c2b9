import { sharedApp, type TestApp } from '../../support/app.js';
import type { Client } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import {
  bulk,
  ENTERPRISE,
  failure,
  fresh,
  group,
  madeGroup,
  madeUser,
  membersOf,
  patch,
  scim,
  user,
} from '../../support/scim.js';

let service: TestApp;
let directory: Client;
beforeAll(async () => {
  service = await sharedApp();
  directory = scim(service.url, service.tenant.scimToken);
});
afterAll(() => service.close());

interface Result {
  method: string;
  status: string;
  bulkId?: string;
  version?: string;
  location?: string;
  response?: { status: string; scimType?: string; detail: string };
}

const send = async (operations: object[], more: object = {}, by = directory): Promise<Result[]> => {
  const answer = await by.post('/Bulk', bulk(operations, more));
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.stringContaining('BulkResponse')]);
  return answer.body.Operations;
};
const idOf = (result: Result | undefined) => result!.location!.split('/').at(-1)!;
const statuses = (results: Result[]) => results.map(({ status }) => status);
const post = (bulkId: string, data: object, path = '/Users') => ({ method: 'POST', path, bulkId, data });
const exists = async (filter: string, type = 'Users') =>
  ((await directory.get(`/${type}?filter=${encodeURIComponent(filter)}`)).body.totalResults as number) > 0;

describe('a bulk request', () => {
  it('carries out every method, each as if it had come alone', async () => {
    const [a, b] = [await madeUser(directory), await madeUser(directory)];
    const groupId = await madeGroup(directory, [a]);
    const name = fresh();
    const version = (await directory.get(`/Users/${a}`)).headers.get('etag');
    const results = await send([
      post('q', user(name)),
      { method: 'put', path: `/Users/${a}`, data: user(fresh(), { title: 'put' }), version },
      {
        method: 'PATCH',
        path: `Users/${b}`,
        data: patch({ op: 'add', path: 'title', value: 'patched' }),
        bulkId: 'echo',
      },
      {
        method: 'PATCH',
        path: `/Groups/${groupId}`,
        data: patch({ op: 'add', path: 'members', value: [{ value: 'bulkId:q' }] }),
      },
      { method: 'DELETE', path: `/Users/${a}` },
    ]);
    expect(results.map(({ method, status, bulkId }) => [method, status, bulkId])).toEqual([
      ['POST', '201', 'q'],
      ['PUT', '200', undefined],
      ['PATCH', '200', 'echo'],
      ['PATCH', '204', undefined],
      ['DELETE', '204', undefined],
    ]);
    expect(results[0]).toMatchObject({ version: 'W/"1"', location: expect.stringMatching(/\/scim\/v2\/Users\/usr_/) });
    // The second version of the resource, with the hash of its groups.
    expect(results[1]!.version).toMatch(/^W\/"2-[0-9a-f]{12}"$/);
    for (const result of results) expect(result.response).toBeUndefined();
    expect(await membersOf(directory, groupId)).toEqual([idOf(results[0])]);
    expect((await directory.get(`/Users/${b}`)).body.title).toBe('patched');
    expect((await directory.get(`/Users/${a}`)).status).toBe(404);
  });

  it('continues after errors and reports each of them', async () => {
    const name = fresh();
    const id = await madeUser(directory, user(name));
    const other = scim(service.url, (await service.newTenant()).scimToken);
    const theirs = await madeUser(other);
    const results = await send([
      post('dup', user(name)),
      post('bad', user('')),
      { method: 'PUT', path: `/Users/${id}`, data: user(name, { title: 'x' }), version: 'W/"9"' },
      { method: 'PATCH', path: `/Users/${id}`, data: patch({ op: 'add', path: 'hue', value: 1 }) },
      { method: 'PATCH', path: `/Users/${id}`, data: patch({ op: 'replace', path: 'id', value: 'x' }) },
      { method: 'DELETE', path: '/Users/usr_unknown' },
      { method: 'DELETE', path: `/Users/${theirs}` },
      { method: 'DELETE', path: '/Nothing/1' },
      { method: 'PUT', path: '/Users', data: user(name) },
      { method: 'POST', path: '/Users', data: user(fresh()) },
      post('deep', { userName: 'x', a: { ['__proto__x']: 1 } }, '/Users/x'),
      post('ok', user(fresh())),
    ]);
    expect(results.map(({ status, response }) => [status, response?.scimType])).toEqual([
      ['409', 'uniqueness'],
      ['400', 'invalidValue'],
      ['412', undefined],
      ['400', 'invalidPath'],
      ['400', 'mutability'],
      ['404', undefined],
      ['404', undefined],
      ['404', undefined],
      ['400', 'invalidValue'],
      ['400', 'invalidValue'],
      ['400', 'invalidValue'],
      ['201', undefined],
    ]);
    expect(results[0]!.location).toBeUndefined();
    expect(results[0]!.response).toMatchObject({ status: '409', detail: expect.any(String) });
    expect(results[5]!.response).toEqual(results[6]!.response);
    expect((await other.get(`/Users/${theirs}`)).status).toBe(200);
    expect((await directory.get(`/Users/${id}`)).body.meta.version).toBe('W/"1"');
  });

  it('stops when failOnErrors operations have failed, and returns their results', async () => {
    const names = [fresh(), fresh(), fresh()];
    const results = await send(
      [post('1', user(names[0]!)), post('2', user('')), post('3', user('')), post('4', user(names[1]!))],
      {
        failOnErrors: 2,
      },
    );
    expect(statuses(results)).toEqual(['201', '400', '400']);
    expect(await exists(`userName eq "${names[1]}"`)).toBe(false);
    expect(statuses(await send([post('1', user('')), post('2', user(names[2]!))], { failOnErrors: 2 }))).toEqual([
      '400',
      '201',
    ]);
  });
});

describe('references', () => {
  it('forward and backward, in data and in paths, of users and of groups', async () => {
    const names = [fresh('G '), fresh(), fresh(), fresh('G ')];
    const results = await send([
      post('g1', group(names[0]!, { members: [{ value: 'bulkId:u1' }, { value: 'bulkId:u2' }] }), '/Groups'),
      post('u1', user(names[1]!)),
      {
        method: 'PATCH',
        path: '/Users/bulkId:u1',
        data: patch({ op: 'add', path: `${ENTERPRISE}:manager`, value: { value: 'bulkId:u2' } }),
      },
      {
        method: 'PATCH',
        path: '/Groups/bulkId:g1',
        data: patch({ op: 'remove', path: 'members[value eq "bulkId:u2"]' }),
      },
      post('u2', user(names[2]!)),
      post('g2', group(names[3]!, { members: [{ value: 'bulkId:g1' }] }), '/Groups'),
    ]);
    expect(statuses(results)).toEqual(['201', '201', '200', '204', '201', '201']);
    const [g1, u1, , , u2, g2] = results.map((each) => each.location!.split('/').at(-1)!);
    expect(await membersOf(directory, g1!)).toEqual([u1]);
    expect(await membersOf(directory, g2!)).toEqual([g1]);
    expect((await directory.get(`/Users/${u1}`)).body[ENTERPRISE].manager.value).toBe(u2);
    expect(JSON.stringify(results.map(({ location }) => location))).not.toContain('bulkId:');
  });

  it('circular: two groups that hold each other, people who are each other’s manager', async () => {
    const manager = (of: string) => ({ [ENTERPRISE]: { manager: { value: `bulkId:${of}` } } });
    const results = await send([
      post('a', group(fresh('A '), { members: [{ value: 'bulkId:b' }] }), '/Groups'),
      post('b', group(fresh('B '), { members: [{ value: 'bulkId:a' }] }), '/Groups'),
      post('x', user(fresh(), manager('y'))),
      post('y', user(fresh(), manager('z'))),
      post('z', user(fresh(), { title: 'Z', ...manager('x') })),
      post('self', user(fresh(), manager('self'))),
    ]);
    expect(statuses(results)).toEqual(['201', '201', '201', '201', '201', '201']);
    const [a, b, x, y, z, self] = results.map((each) => each.location!.split('/').at(-1)!);
    expect(await membersOf(directory, a!)).toEqual([b]);
    expect(await membersOf(directory, b!)).toEqual([a]);
    for (const [of, is] of [
      [x, y],
      [y, z],
      [z, x],
      [self, self],
    ]) {
      const { body } = await directory.get(`/Users/${of}`);
      expect(body[ENTERPRISE].manager.value).toBe(is);
      expect(results.find((each) => each.location!.endsWith(of!))!.version).toBe(body.meta.version);
    }
    expect((await directory.get(`/Users/${z}`)).body.title).toBe('Z');
  });

  it('unknown: 400, and nothing with the unresolved text is stored', async () => {
    const name = fresh('G ');
    const results = await send([
      post('g', group(name, { members: [{ value: 'bulkId:unknown' }] }), '/Groups'),
      { method: 'PATCH', path: '/Users/bulkId:unknown', data: patch({ op: 'add', path: 'title', value: 'x' }) },
    ]);
    expect(results.map(({ status, response }) => [status, response!.scimType])).toEqual([
      ['400', 'invalidValue'],
      ['400', 'invalidValue'],
    ]);
    expect(await exists(`displayName eq "${name}"`, 'Groups')).toBe(false);
  });

  it('to an operation that failed: 409, along the whole chain', async () => {
    const results = await send([
      post('c', group(fresh('C '), { members: [{ value: 'bulkId:b' }] }), '/Groups'),
      post('b', group(fresh('B '), { members: [{ value: 'bulkId:a' }] }), '/Groups'),
      post('a', user('')),
    ]);
    expect(statuses(results)).toEqual(['409', '409', '400']);
  });

  it.each([
    ['the first', 0],
    ['the second', 1],
  ])('a circle of which %s fails: the other one is gone again, and its result is 409', async (_, failing) => {
    const names = [fresh('A '), fresh('B '), fresh('C ')];
    const made = (at: number, refersTo: string) =>
      post(
        String(at),
        group(at === failing ? '' : names[at]!, { members: [{ value: `bulkId:${refersTo}` }] }),
        '/Groups',
      );
    for (const more of [{}, { failOnErrors: 1 }]) {
      const results = await send(
        [made(0, '1'), made(1, '0'), post('2', group(names[2]!, { members: [{ value: 'bulkId:1' }] }), '/Groups')],
        more,
      );
      const result = (bulkId: number) => results.find((each) => each.bulkId === String(bulkId));
      const [broken, partner] = [result(failing), result(1 - failing)];
      // Where the broken one came first and stopped everything, its partner was not even begun.
      expect(broken!.status).toBe('400');
      if (partner !== undefined) expect(partner).toMatchObject({ status: '409', response: { status: '409' } });
      if (partner !== undefined) expect([partner.location, partner.version]).toEqual([undefined, undefined]);
      for (const name of names)
        expect([name, await exists(`displayName eq "${name}"`, 'Groups')]).toEqual([name, false]);
    }
  });

  it('a display name may hold "bulkId:" somewhere', async () => {
    const name = fresh('about bulkId:x ');
    const [result] = await send([post('g', group(name), '/Groups')]);
    expect(result!.status).toBe('201');
  });
});

describe('400 and 413', () => {
  it('the message itself', async () => {
    for (const [body, scimType] of [
      [[], 'invalidSyntax'],
      [{ schemas: ['urn:x'], Operations: [] }, 'invalidValue'],
      [bulk([]), 'invalidValue'],
      [bulk([{ method: 'GET', path: '/Users/1' }]), 'invalidSyntax'],
      [bulk([{ method: 'DELETE' }]), 'invalidSyntax'],
      [bulk([7 as unknown as object]), 'invalidSyntax'],
      [bulk([post('a', user(fresh())), post('a', user(fresh()))]), 'invalidValue'],
      [bulk([post('a', user(fresh()))], { failOnErrors: 0 }), 'invalidValue'],
      [bulk([post('a', user(fresh()))], { failOnErrors: 'x' }), 'invalidValue'],
    ] as const) {
      const answer = await directory.post('/Bulk', body);
      expect([JSON.stringify(body), ...failure(answer)]).toEqual([JSON.stringify(body), 400, scimType, '400']);
    }
  });

  long('1 000 operations, and not one more', async () => {
    const operations = (count: number) => Array.from({ length: count }, () => ({ method: 'DELETE', path: '/Users/x' }));
    const tooMany = await directory.post('/Bulk', bulk(operations(1001)));
    expect(failure(tooMany)).toEqual([413, undefined, '413']);
    expect(tooMany.body.detail).toContain('1000');
    expect(await send(operations(1000))).toHaveLength(1000);
  });

  it('4 MiB, and not one more', async () => {
    const padded = (bytes: number) => {
      const text = JSON.stringify(bulk([{ method: 'DELETE', path: '/Users/x' }]));
      return text + ' '.repeat(bytes - Buffer.byteLength(text));
    };
    expect(failure(await directory.post('/Bulk', padded(4 * 1024 * 1024 + 1)))).toEqual([413, undefined, '413']);
    expect((await directory.post('/Bulk', padded(4 * 1024 * 1024))).status).toBe(200);
  });
});
