import { startApp, type TestApp } from '../support/app.js';
import { Description, type Ask } from '../support/description.js';
import { newHouse, type House } from '../support/house.js';
import { long } from '../support/rounds.js';
import { declaredRoutes } from '../support/routes.js';
import { bulk, ENTERPRISE, fresh, group, patch, user } from '../support/scim.js';

let service: TestApp;
let at: House;
let api: Description;
beforeAll(async () => {
  service = await startApp();
  at = await newHouse(service);
  api = await Description.of(service.url);
});
afterAll(() => service.close());

/** Pages that a browser is led to by another one, and what their forms send; and lists under a former name. */
const PAGES = [
  / \/api\/auth\/(landing|test)\//,
  / \/api\/auth\/sessions\/end$/,
  / \/console(\/assets\/\{name\})?$/,
  / \/api\/v1\/(platform|directories\/\{directory_id\})\/jobs$/,
  / \/docs\b/,
  / \/favicon\./,
  / \/\.well-known\/security\.txt$/,
];

it('describes every route but pages', () => {
  const described = new Set(api.operations.map(({ method, path }) => `${method} ${path}`));
  const missing = declaredRoutes(service.app.nest)
    .flatMap(({ method, paths }) =>
      (method === 'ALL' ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] : [method]).map((each) => `${each} ${paths[0]!}`),
    )
    .map((route) => route.replace(/:(\w+)/g, '{$1}'))
    .filter((route) => !described.has(route) && !PAGES.some((page) => page.test(route)));
  expect(missing).toEqual([]);
});

long('describes the answers of SCIM, to the last field and status', async () => {
  const ask = async (method: string, path: string, expected: number, more: Ask = {}) => {
    const answer = await api.ask(method, `/scim/v2${path}`, { token: at.scimToken, ...more });
    expect([method, path, answer.status]).toEqual([method, path, expected]);
    return answer.body as { id: string };
  };
  const name = `${fresh()}@x.example`;
  const body = user(name, {
    name: { givenName: 'G', familyName: 'F' },
    emails: [{ value: name, type: 'work', primary: true }],
    [ENTERPRISE]: { department: 'D', manager: { value: 'm' } },
  });
  const { id } = await ask('POST', '/Users', 201, { body });
  await ask('POST', '/Users', 409, { body });
  await ask('POST', '/Users', 400, { body: {} });
  await ask('POST', '/Users', 415, { body: {}, headers: { 'content-type': 'text/plain' } });
  await ask('POST', '/Users', 401, { body, token: null });
  await ask('POST', '/Users', 406, { body, headers: { accept: 'text/html' } });
  await ask('PUT', `/Users/${id}`, 200, { body });
  await ask('PUT', `/Users/${id}`, 412, { body, headers: { 'if-match': 'W/"99"' } });
  const rename = patch({ op: 'replace', path: 'title', value: 'T' });
  await ask('PATCH', `/Users/${id}`, 200, { body: rename });
  await ask('PATCH', '/Users/none', 404, { body: rename });
  const made = await ask('POST', '/Groups', 201, { body: group(fresh('G '), { members: [{ value: id }] }) });
  await ask('GET', `/Groups/${made.id}`, 200);
  await ask('PATCH', `/Groups/${made.id}`, 204, {
    body: patch({ op: 'add', path: 'members', value: [{ value: id }] }),
  });
  await ask('PATCH', `/Groups/${made.id}?attributes=displayName`, 200, {
    body: patch({ op: 'remove', path: 'members' }),
  });
  await ask('GET', '/Users?count=1&startIndex=1&sortBy=userName', 200);
  await ask('GET', '/Users?cursor=&count=1', 200);
  await ask('GET', '/Users?filter=x', 400);
  await ask('GET', '/Groups', 200);
  await ask('GET', '', 200);
  const search = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], count: 1 };
  for (const path of ['/.search', '/Users/.search', '/Groups/.search']) await ask('POST', path, 200, { body: search });
  await ask('POST', '/Bulk', 200, {
    body: bulk([{ method: 'POST', path: '/Users', bulkId: 'b', data: user(fresh()) }]),
  });
  await ask('GET', '/Me', 501);
  for (const path of ['/Schemas', '/ResourceTypes', '/ResourceTypes/User', '/ServiceProviderConfig'])
    await ask('GET', path, 200);
  await ask('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User', 200);
  await ask('GET', '/Schemas?filter=x', 403);
  await ask('DELETE', `/Users/${id}`, 204);
  await ask('DELETE', `/Groups/${made.id}`, 204);
  await ask('GET', `/Users/${id}`, 404, { headers: { accept: 'application/json' } });
});
