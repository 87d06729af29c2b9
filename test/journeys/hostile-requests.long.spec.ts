import http from 'node:http';
import net from 'node:net';
import { mintToken } from '../../src/base/crypto/tokens.js';
import { newId } from '../../src/base/ids.js';
import { startApp, type TestApp, type TestTenant } from '../support/app.js';
import { client, type Client } from '../support/http.js';
import { bulk, ENTERPRISE, fresh, group, madeGroup, madeUser, patch, scim, user, USER } from '../support/scim.js';
import { patience } from '../support/speed.js';

let service: TestApp;
let tenant: TestTenant;
let directory: Client;
let api: Client;
let id: string;
let groupId: string;
beforeAll(async () => {
  service = await startApp();
  tenant = service.tenant;
  directory = scim(service.url, tenant.scimToken);
  api = client(`${service.url}/api/v1`, tenant.apiKey);
  id = await madeUser(directory, user('victim@x.example', { title: 'T' }));
  groupId = await madeGroup(directory, [id]);
});
afterAll(() => service.close());

/** A request whose target is sent as it is written here, with headers that may come twice. */
function raw(
  method: string,
  target: string,
  headers: http.OutgoingHttpHeaders | string[] = {},
  body?: string,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const req = http.request({ hostname, port, method, path: target, headers }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => {
        resolve({ status: res.statusCode!, text: Buffer.concat(chunks).toString() });
      });
    });
    req.on('error', reject);
    req.end(body);
  });
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** What a server answers to bytes that are no request, or one that no client library would send. */
function bytes(text: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('close', () => {
      resolve(answer);
    });
    socket.on('error', () => {
      resolve(answer);
    });
    socket.setTimeout(3000, () => socket.destroy());
  });
}

const NASTY = [
  `' or '1'='1`,
  `"; drop table users; --`,
  `$1`,
  `\${7*7}`,
  `%27%20or%201=1--`,
  `\\`,
  `\\"`,
  `) or (1=1`,
  `*`,
  `{{7*7}}`,
  `<script>alert(1)</script>`,
  `../../etc/passwd`,
  `\u202e\u0000`,
  `\ud800`,
  'x'.repeat(4000),
  '('.repeat(3000),
  `a[`.repeat(500),
  `not `.repeat(500),
];

describe('injection', () => {
  it('finds nothing as a value of a filter, and is refused as a filter', async () => {
    for (const text of NASTY) {
      for (const [type, name] of [
        ['Users', 'userName'],
        ['Users', 'title'],
        ['Users', 'emails.value'],
        ['Users', 'groups.display'],
        ['Groups', 'members'],
        ['Groups', 'displayName'],
        ['Users', `${ENTERPRISE}:manager`],
      ]) {
        for (const op of ['eq', 'co', 'sw', 'ew', 'gt']) {
          const filter = `${name} ${op} ${JSON.stringify(text)}`;
          const answer = await directory.get(`/${type}?filter=${encodeURIComponent(filter)}`);
          expect([filter.slice(0, 60), [200, 400, 414, 431].includes(answer.status)]).toEqual([
            filter.slice(0, 60),
            true,
          ]);
          if (answer.status === 200 && op !== 'gt')
            expect([filter.slice(0, 60), answer.body.totalResults]).toEqual([filter.slice(0, 60), 0]);
        }
      }
      for (const parameter of ['filter', 'sortBy']) {
        const { status } = await directory.post('/Users/.search', { [parameter]: text });
        expect([parameter, text.slice(0, 40), status]).toEqual([parameter, text.slice(0, 40), 400]);
      }
      const { status } = await directory.get(
        `/Users?attributes=${encodeURIComponent(text.slice(0, 500).replace('\ud800', '?'))}&filter=id%20eq%20%22x%22`,
      );
      expect([200, 400]).toContain(status);
    }
    expect((await directory.get('/Users')).body.totalResults).toBe(1);
  });

  it('is refused in a PATCH path, and text in a value', async () => {
    for (const text of NASTY) {
      for (const path of [
        text,
        `emails[type eq "${text}`,
        `emails[${text}].value`,
        `name.${text}`,
        `${USER}:${text}`,
      ]) {
        const answer = await directory.patch(`/Users/${id}`, patch({ op: 'add', path, value: 'x' }));
        expect([path.slice(0, 60), answer.status]).toEqual([path.slice(0, 60), 400]);
        expect(
          (await directory.patch(`/Groups/${groupId}`, patch({ op: 'remove', path: `members[value eq "${text}` })))
            .status,
        ).toBe(400);
      }
      if (text.includes('\u0000') || text === '\ud800') continue;
      const stored = await directory.patch(`/Users/${id}`, patch({ op: 'replace', path: 'title', value: text }));
      expect([text.slice(0, 40), stored.status, stored.body.title === text]).toEqual([text.slice(0, 40), 200, true]);
      const found = await directory.post('/Users/.search', { filter: `title eq ${JSON.stringify(text)}` });
      if (text.length < 1000) expect([text.slice(0, 40), found.body.totalResults]).toEqual([text.slice(0, 40), 1]);
    }
  });

  it('is refused in ids, cursors and options of the API', async () => {
    for (const text of NASTY) {
      const value = encodeURIComponent(text.slice(0, 1000).replace('\ud800', '�'));
      for (const path of [
        `/users/${value}`,
        `/users?email=${value}`,
        `/users?cursor=${value}`,
        `/users?role=${value}`,
        `/users?external_id=${value}`,
        `/resolve?type=user&external_id=${value}`,
        `/seats?as_of=${value}`,
        `/seats/events?user_id=${value}`,
        `/held?cursor=${value}`,
        `/seats/holders?cursor=${value}`,
        `/users?${value}=1`,
        `/directories/${value}`,
      ]) {
        const { status } = await api.get(path);
        expect([path.slice(0, 60), status < 500]).toEqual([path.slice(0, 60), true]);
      }
      for (const path of [`/Users/${value}`, `/Groups/${value}`, `/Schemas/${value}`]) {
        expect([path.slice(0, 60), [400, 404].includes((await directory.get(path)).status)]).toEqual([
          path.slice(0, 60),
          true,
        ]);
      }
    }
  });
});

describe('bodies', () => {
  it(
    'odd, deep and large ones are refused',
    async () => {
      const bodies = [
      'null', 'true', '0', '"x"', '[]', '[[]]', '{}', '{"a":1}', '\ufeff{}', '{"schemas":[]}', '{"schemas":{}}', '{"schemas":null}', '{"schemas":[[]]}',
      '{"Operations":{}}', '{"Operations":[null]}', '{"Operations":[[]]}', '{"Operations":"x"}', '{"userName":{"$gt":""}}', '{"userName":["a"]}',
      `{"userName":${'9'.repeat(400)}}`, '{"userName":1e999}', '{,}', "{'a':1}", '{"a":NaN}', '{"a":1}{"b":2}', '{"userName":"a",}', '\u0000', '\xff',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`, `{"a":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`, `{${Array.from({ length: 3000 }, (_, i) => `"k${i}":1`).join(',')}}`,
      JSON.stringify(patch(...Array.from({ length: 1001 }, () => ({ op: 'add', path: 'title', value: 'x' })))),
      JSON.stringify(patch({ op: 'add', path: ['title'], value: 'x' })), JSON.stringify(patch({ op: { toString: 1 }, path: 'title', value: 'x' })),
      JSON.stringify(patch({ op: 'add', path: 'emails', value: 5 })), JSON.stringify(patch({ op: 'add', path: 'name', value: 'x' })),
      JSON.stringify(patch({ op: 'add', path: 'active', value: 1 })), JSON.stringify(patch({ op: 'add', path: 'active', value: [] })),
      JSON.stringify(bulk([{ method: 'POST', path: '/Bulk', bulkId: 'a', data: {} }])), JSON.stringify({ ...bulk([]), failOnErrors: -1 }),
    ]; // prettier-ignore
      const addresses: [string, string][] = [
        ['POST', '/Users'],
        ['PUT', `/Users/${id}`],
        ['PATCH', `/Users/${id}`],
        ['POST', '/Groups'],
        ['PUT', `/Groups/${groupId}`],
        ['PATCH', `/Groups/${groupId}`],
        ['POST', '/Bulk'],
      ];
      const before = (await directory.get(`/Users/${id}`)).body;
      for (const body of bodies) {
        for (const [method, path] of addresses) {
          const answer = await raw(
            method,
            `/scim/v2${path}`,
            { ...bearer(tenant.scimToken), 'content-type': 'application/scim+json' },
            body,
          );
          const expected =
            path === '/Bulk' ? answer.status >= 400 || /"status":"4/.test(answer.text) : answer.status >= 400;
          expect([method, path, body.slice(0, 60), answer.status < 500 && expected]).toEqual([
            method,
            path,
            body.slice(0, 60),
            true,
          ]);
        }
        for (const [method, path] of [
          ['POST', '/users'],
          ['PUT', `/users/by-external-id/${fresh()}`],
          ['PATCH', `/users/${id}`],
          ['PUT', '/seats/limit'],
        ] as const) {
          const { status } = await raw(
            method,
            `/api/v1${path}`,
            { ...bearer(tenant.apiKey), 'content-type': 'application/json' },
            body,
          );
          const harmless =
            ['{}', '\ufeff{}'].includes(body) && ['PATCH', 'PUT'].includes(method) && !path.startsWith('/users/by');
          expect([method, path, body.slice(0, 60), status]).toEqual([
            method,
            path,
            body.slice(0, 60),
            harmless ? 200 : expect.any(Number),
          ]);
          expect([method, path, body.slice(0, 60), status < 500 && (harmless || status >= 400)]).toEqual([
            method,
            path,
            body.slice(0, 60),
            true,
          ]);
        }
      }
      expect((await directory.get(`/Users/${id}`)).body).toEqual(before);
    },
    patience(120_000),
  );

  it('are refused when compressed, cut short, or of another declared type', async () => {
    const text = JSON.stringify(user(fresh()));
    const post = (headers: Record<string, string>) =>
      raw('POST', '/scim/v2/Users', { ...bearer(tenant.scimToken), ...headers }, text);
    for (const type of [
      '',
      'json',
      'application/',
      'application/jsonx',
      'text/json',
      'application/scim+json/x',
      'application/json, text/html',
      'application/vnd.api+json',
      'application/json;charset=utf-16',
      'application/json; charset="latin1"',
    ]) {
      expect([type, (await post({ 'content-type': type })).status]).toEqual([type, 415]);
    }
    expect((await post({})).status).toBe(415);
    for (const encoding of ['gzip', 'br', 'deflate', 'x', 'identity, gzip']) {
      expect([
        encoding,
        (await post({ 'content-type': 'application/json', 'content-encoding': encoding })).status,
      ]).toEqual([encoding, 415]);
    }
    const chunked = await bytes(
      `POST /scim/v2/Users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.scimToken}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\n{"a":\r\n0\r\n\r\n`,
    );
    expect(chunked).toMatch(/^HTTP\/1\.1 400 /);
    const hosts = await bytes('GET /healthz HTTP/1.1\r\nHost: x\r\nhOST: y\r\nConnection: close\r\n\r\n');
    expect(hosts).toMatch(/^HTTP\/1\.1 400 [^]*more than one Host/);
    const both = await bytes(
      `POST /scim/v2/Users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.scimToken}\r\nContent-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    );
    expect(both).not.toMatch(/^HTTP\/1\.1 2/);
  });
});

describe('addresses', () => {
  it('lead nowhere with doubled slashes, dots and encoded tricks', async () => {
    const targets = [
      '//scim/v2/Users', '/scim//v2/Users', '/scim/v2/./Users', '/scim/v2/Users/../Groups', '/scim/v2/%2e%2e/v2/Users', '/scim/v2/Users%2f' + id,
      '/scim/v2/Users/%2e%2e/Groups', '/scim/v2/Users/..%2fGroups', '/scim/v2/Users;x=1', '/scim/v2/Users/.', '/scim/v2\\Users', '/scim/v2/Users%00', '/scim/v2/Users%20', '/scim/v2/Users/%',
      '/scim/v2/Users/%zz', '/scim/v2/Users/%ff', '/scim/v1/Users', '/scim/v2/Users.json', '/api/v2/users', '/api/v1//users', '/api/v1/users/../directories', '/api/v1/users/%2e%2e/directories',
    ]; // prettier-ignore
    for (const target of targets) {
      for (const token of [tenant.scimToken, tenant.apiKey]) {
        const { status } = await raw('GET', target, bearer(token));
        expect([target, status, [400, 401, 404].includes(status)]).toEqual([target, status, true]);
      }
    }
    expect((await raw('GET', '/scim/v2/Users/', bearer(tenant.scimToken))).status).toBe(200);
    // A base address with a slash at its end, as an admin pastes it into the IdP.
    expect((await raw('GET', '/scim/v2//Users', bearer(tenant.scimToken))).status).toBe(200);
    expect((await raw('GET', `http://elsewhere.example/scim/v2/Users`, bearer(tenant.scimToken))).status).toBeLessThan(
      500,
    );
  });

  it('lead nowhere with other letters than those of the address', async () => {
    for (const target of ['/scim/v2/users', '/SCIM/V2/Users', '/scim/v2/GROUPS']) {
      expect([target, (await raw('GET', target, bearer(tenant.scimToken))).status]).toEqual([target, 404]);
    }
  });

  it('take the method from the request line alone', async () => {
    for (const headers of [
      { 'x-http-method-override': 'DELETE' },
      { 'x-http-method': 'DELETE' },
      { 'x-method-override': 'DELETE' },
    ]) {
      expect((await raw('GET', `/scim/v2/Users/${id}`, { ...bearer(tenant.scimToken), ...headers })).status).toBe(200);
      expect(
        (
          await raw(
            'POST',
            `/scim/v2/Users/${id}?_method=DELETE`,
            { ...bearer(tenant.scimToken), ...headers, 'content-type': 'application/json' },
            '{}',
          )
        ).status,
      ).toBe(405);
    }
    expect((await directory.get(`/Users/${id}`)).status).toBe(200);
    for (const method of ['TRACE', 'PROPFIND', 'MOVE', 'LINK', 'PURGE']) {
      for (const path of ['/scim/v2/Users', `/scim/v2/Users/${id}`, '/api/v1/users']) {
        const { status } = await raw(method, path, bearer(tenant.scimToken));
        expect([method, path, status >= 400 && status < 500]).toEqual([method, path, true]);
      }
    }
    const head = await raw('HEAD', `/scim/v2/Users/${id}`, bearer(tenant.scimToken));
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('are refused when the bytes are no request', async () => {
    for (const text of [
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01',
      `GET /scim/v2/Users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'x'.repeat(50_000)}\r\n\r\n`,
      'GET /scim/v2/Users HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: -1\r\n\r\n',
    ]) {
      expect(await bytes(text)).not.toMatch(/^HTTP\/1\.1 (2|5)/);
    }
    expect((await directory.get(`/Users/${id}`)).status).toBe(200);
  });
});

describe('parameters and headers', () => {
  it('that come twice are refused when two readers could take different ones', async () => {
    for (const query of [
      'count=1&count=1',
      'filter=id%20pr&filter=id%20pr',
      'startIndex=1&startIndex=2',
      'sortOrder=ascending&sortOrder=descending',
      'excludedAttributes=id&excludedAttributes=meta',
    ]) {
      expect([query, (await directory.get(`/Users?${query}`)).status]).toEqual([query, 400]);
    }
    for (const path of [`/Users/${id}?attributes=id&attributes=meta`])
      expect((await directory.get(path)).status).toBe(400);
    const twice = await raw('GET', '/scim/v2/Users', [
      'Host',
      'x',
      'Authorization',
      `Bearer ${tenant.scimToken}`,
      'Authorization',
      'Bearer other',
    ]);
    expect([400, 401]).toContain(twice.status);
    const query = await raw('GET', `/scim/v2/Users?access_token=${tenant.scimToken}`);
    expect(query.status).toBe(401);
    for (const [name, value] of [
      ['if-match', 'nonsense'],
      ['if-match', '"'],
      ['if-match', 'W/"1'],
      ['if-match', ',,,'],
    ] as const) {
      const { status } = await raw(
        'PATCH',
        `/scim/v2/Users/${id}`,
        { ...bearer(tenant.scimToken), 'content-type': 'application/json', [name]: value },
        JSON.stringify(patch({ op: 'add', path: 'nickName', value: 'x' })),
      );
      expect([value, [400, 412].includes(status)]).toEqual([value, true]);
    }
    for (const accept of ['*/*', 'application/*', 'text/html, */*;q=0.1', 'application/scim+json;q=0.5']) {
      expect([accept, (await directory.get('/Users', undefined, { accept })).status]).toEqual([accept, 200]);
    }
    for (const accept of ['text/html', 'application/xml', 'application/scim+json;q=0', 'nonsense']) {
      expect([accept, (await directory.get('/Users', undefined, { accept })).status]).toEqual([accept, 406]);
    }
  });
});

describe('credentials', () => {
  it('open their own surface alone', async () => {
    const other = await service.newTenant();
    const doors: [string, string][] = [
      ['SCIM', '/scim/v2/Users'],
      ['API', '/api/v1/users'],
      ['operator', '/api/v1/tenants'],
    ];
    const keys: [string, string, string][] = [
      ['SCIM', tenant.scimToken, 'SCIM'],
      ['API', tenant.apiKey, 'API'],
      ['operator', service.operatorToken, 'operator'],
      ['cut', tenant.scimToken.slice(0, -1), ''],
      ['longer', `${tenant.scimToken}x`, ''],
      ['other letters', tenant.scimToken.toUpperCase(), ''],
      ['two in one', `${tenant.scimToken},${other.scimToken}`, ''],
      ['quoted', `"${tenant.scimToken}"`, ''],
      ['nothing', '', ''],
      ['null', 'null', ''],
    ];
    for (const [what, key, opens] of keys) {
      for (const [door, path] of doors) {
        const { status } = await raw('GET', path, { authorization: `Bearer ${key}` });
        // A key that is one, at the operator’s door: known, and not admitted.
        const refused = what === 'API' && door === 'operator' ? 403 : 401;
        expect([what, door, status]).toEqual([what, door, opens === door ? 200 : refused]);
      }
    }
  });

  it('are refused at once when revoked; the answer names no tenant', async () => {
    const own = await service.newTenant();
    const by = client(`${service.url}/api/v1`, own.apiKey);
    const second = (await by.post(`/directories/${own.directoryId}/tokens`, { name: 'second' })).body;
    expect((await scim(service.url, second.scim_token).get('/Users')).status).toBe(200);
    expect((await by.delete(`/directories/${own.directoryId}/tokens/${second.id}?force=true`)).status).toBe(204);
    const refused = await scim(service.url, second.scim_token).get('/Users');
    const unknown = await scim(service.url, mintToken('tbs', own.tenantId).token).get('/Users');
    const ofNoTenant = await scim(service.url, mintToken('tbs', newId('ten')).token).get('/Users');
    expect([refused.status, refused.body.detail]).toEqual([401, unknown.body.detail]);
    expect(ofNoTenant.body.detail).toBe(unknown.body.detail);
  });
});

describe('across tenants', () => {
  it('an id of another tenant is unknown in a bulk request, as a member, a manager or a version', async () => {
    const other = await service.newTenant();
    const theirs = scim(service.url, other.scimToken);
    const [theirUser, theirGroup] = [
      await madeUser(theirs, user(fresh(), { title: 'secret' })),
      await madeGroup(theirs),
    ];
    const answer = await directory.post(
      '/Bulk',
      bulk([
        { method: 'PATCH', path: `/Users/${theirUser}`, data: patch({ op: 'replace', path: 'title', value: 'x' }) },
        { method: 'PUT', path: `/Users/${theirUser}`, data: user(fresh()), version: 'W/"1"' },
        { method: 'DELETE', path: `/Groups/${theirGroup}` },
        {
          method: 'POST',
          path: '/Groups',
          bulkId: 'g',
          data: group(fresh(), { members: [{ value: theirUser }, { value: theirGroup }, { value: 'bulkId:u' }] }),
        },
        {
          method: 'POST',
          path: '/Users',
          bulkId: 'u',
          data: user(fresh(), { [ENTERPRISE]: { manager: { value: theirUser } } }),
        },
      ]),
    );
    expect(answer.body.Operations.map(({ status }: { status: string }) => status)).toEqual([
      '404',
      '404',
      '404',
      '201',
      '201',
    ]);
    const mine = answer.body.Operations[3].location.split('/').at(-1);
    expect((await directory.get(`/Groups/${mine}`)).body.members).toHaveLength(1);
    expect((await theirs.get(`/Users/${theirUser}`)).body).toMatchObject({
      title: 'secret',
      meta: { version: 'W/"1"' },
    });
    expect((await theirs.get(`/Users/${theirUser}`)).body.groups).toBeUndefined();
    expect((await theirs.get(`/Groups/${theirGroup}`)).status).toBe(200);
    for (const path of [
      `/users/${theirUser}`,
      `/held/${theirUser}`,
      `/directories/${other.directoryId}`,
      `/directories/${other.directoryId}/pending-members`,
    ]) {
      expect([path, (await api.get(path)).status]).toEqual([path, 404]);
    }
    const rules = await api.put(`/directories/${tenant.directoryId}/rules`, {
      rules: [{ group_id: theirGroup, role: 'Admin' }],
    });
    expect(rules.status).toBe(422);
    const owner = await api.patch('/tenant', { owner_user_id: theirUser });
    expect(owner.status).toBe(422);
    const takes = await api.post('/directories', { name: 'x', takes_over: other.directoryId });
    expect(takes.status).toBe(422);
  });
});
