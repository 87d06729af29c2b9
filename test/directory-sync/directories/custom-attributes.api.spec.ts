import { sharedApp, type TestApp } from '../../support/app.js';
import { send, type Answer, type Client } from '../../support/http.js';
import { bulk, failure, fresh, madeUser, patch, replace, scim, user, USER } from '../../support/scim.js';

const CUSTOM = 'urn:ietf:params:scim:schemas:extension:custom:2.0:User';
const DECLARED = [
  { name: 'badge', type: 'string', description: 'The number on the badge.' },
  { name: 'level', type: 'integer' },
  { name: 'rate', type: 'decimal' },
  { name: 'isOnSite', type: 'boolean' },
  { name: 'startsAt', type: 'dateTime' },
  { name: 'sites', type: 'string', multi_valued: true },
  { name: 'floors', type: 'integer', multi_valued: true },
];

let service: TestApp;
let directory: Client;
let strict: Client;
let strictId: string;
const api = (method: string, path: string, body?: object) =>
  send(method, `${service.url}/api/v1/directories${path}`, service.tenant.apiKey, body);
const declare = (custom_attributes: unknown) => api('PATCH', `/${service.tenant.directoryId}`, { custom_attributes });
beforeAll(async () => {
  service = await sharedApp();
  directory = scim(service.url, service.tenant.scimToken);
  const made = await api('POST', '', { name: 'Strict', profile: 'strict' });
  strictId = made.body.id as string;
  strict = scim(service.url, made.body.scim_token as string);
  expect((await declare(DECLARED)).status).toBe(200);
});
afterAll(() => service.close());

const part = (value: object) => ({ schemas: [USER, CUSTOM], [CUSTOM]: value });
const made = async (value: object): Promise<string> => madeUser(directory, user(`${fresh()}@x.example`, part(value)));
const shown = async (id: string): Promise<unknown> => (await directory.get(`/Users/${id}`)).body[CUSTOM];
const path = (name: string) => `${CUSTOM}:${name}`;
const change = async (id: string, ...operations: object[]): Promise<Answer> =>
  directory.patch(`/Users/${id}`, patch(...operations));
const found = async (filter: string): Promise<string[]> => {
  const { body } = await directory.get(`/Users?filter=${encodeURIComponent(filter)}`);
  return (body.Resources as { id: string }[]).map(({ id }) => id);
};

it('names the attributes in /Schemas and /ResourceTypes of the directory, and of no other', async () => {
  const { body } = await directory.get(`/Schemas/${CUSTOM}`);
  const named = (body.attributes as Record<string, unknown>[]).map(({ name, type, multiValued }) => [
    name,
    type,
    multiValued,
  ]);
  expect(named).toEqual(DECLARED.map(({ name, type, multi_valued }) => [name, type, multi_valued ?? false]));
  expect(body.attributes[0].description).toBe('The number on the badge.');
  const types = await directory.get('/ResourceTypes/User');
  expect(types.body.schemaExtensions).toContainEqual({ schema: CUSTOM, required: false });
  expect((await strict.get(`/Schemas/${CUSTOM}`)).status).toBe(404);
  expect((await strict.get('/ResourceTypes/User')).body.schemaExtensions).toHaveLength(1);
});

it('takes the attributes back as it shows them', async () => {
  const { custom_attributes: declared } = (await api('GET', `/${service.tenant.directoryId}`)).body;
  expect(declared).toContainEqual({ name: 'level', type: 'integer', multi_valued: false, description: '' });
  const again = await declare(declared);
  expect([again.status, again.body.custom_attributes]).toEqual([200, declared]);
});

it('reads back every type as written', async () => {
  const value = {
    badge: 'B-7',
    level: 3,
    rate: 1.5,
    isOnSite: true,
    startsAt: '2026-01-31T12:00:00+01:00',
    sites: ['Rome', 'Oslo'],
    floors: [1, 2],
  };
  const id = await made(value);
  const { body } = await directory.get(`/Users/${id}`);
  expect([body.schemas, body[CUSTOM]]).toEqual([[USER, CUSTOM], value]);
});

it('changes single values by path, with and without the schema, by a path as a key, and as a part of the resource', async () => {
  const id = await made({ badge: 'B-1' });
  const answer = await change(
    id,
    { op: 'Replace', path: path('badge'), value: 'B-2' },
    { op: 'Add', path: 'level', value: 4 },
    { op: 'Add', path: path('isOnSite'), value: 'True' },
    { op: 'add', value: { [path('rate')]: 2 } },
    { op: 'add', value: { [CUSTOM]: { startsAt: '2026-02-01T00:00:00Z' } } },
  );
  expect([answer.status, answer.body[CUSTOM]]).toEqual([
    200,
    { badge: 'B-2', level: 4, isOnSite: true, rate: 2, startsAt: '2026-02-01T00:00:00Z' },
  ]);
  // The last value that goes takes the schema with it.
  await change(id, { op: 'remove', path: path('badge') }, { op: 'replace', path: path('level'), value: null });
  const emptied = await change(
    id,
    ...['isOnSite', 'rate', 'startsAt'].map((name) => ({ op: 'replace', path: path(name), value: '' })),
  );
  expect([emptied.body[CUSTOM], emptied.body.schemas]).toEqual([undefined, [USER]]);
});

it('adds to, replaces and removes from several values, each once', async () => {
  const id = await made({ sites: ['Rome', 'Rome'], floors: 1 });
  expect(await shown(id)).toEqual({ sites: ['Rome'], floors: [1] });
  await change(
    id,
    { op: 'add', path: path('sites'), value: ['Oslo', 'Rome'] },
    { op: 'add', path: 'floors', value: 2 },
  );
  expect(await shown(id)).toEqual({ sites: ['Rome', 'Oslo'], floors: [1, 2] });
  await change(id, { op: 'add', path: path('sites'), value: [{ value: 'Bern' }] });
  await change(
    id,
    { op: 'remove', path: path('sites'), value: ['Rome'] },
    { op: 'Remove', path: 'floors', value: [{ value: 1 }] },
  );
  expect(await shown(id)).toEqual({ sites: ['Oslo', 'Bern'], floors: [2] });
  await change(id, { op: 'replace', path: path('sites'), value: ['Lima'] }, { op: 'remove', path: 'floors' });
  expect(await shown(id)).toEqual({ sites: ['Lima'] });
  const before = (await directory.get(`/Users/${id}`)).body.meta.version;
  const same = await change(id, { op: 'add', path: path('sites'), value: ['Lima'] });
  expect(same.body.meta.version).toBe(before);
  await change(id, { op: 'replace', path: path('sites'), value: [] });
  expect(await shown(id)).toBeUndefined();
});

it('filters, sorts and selects by every type', async () => {
  const mark = fresh('mark');
  const [low, high] = [
    await made({
      badge: `${mark} a`,
      level: 3,
      isOnSite: true,
      startsAt: '2026-01-01T00:00:00Z',
      sites: [`${mark} Rome`],
    }),
    await made({ badge: `${mark} b`, level: 20, isOnSite: false, startsAt: '2027-01-01T00:00:00Z', floors: [77] }),
  ];
  const both = `${path('badge')} sw "${mark}"`;
  expect((await found(both)).sort()).toEqual([low, high].sort());
  expect(await found(`${both} and ${path('level')} gt 5`)).toEqual([high]);
  expect(await found(`${both} and level lt 5`)).toEqual([low]);
  expect(await found(`${both} and isOnSite eq true`)).toEqual([low]);
  expect(await found(`${both} and ${path('startsAt')} gt "2026-06-01T00:00:00Z"`)).toEqual([high]);
  expect(await found(`${both} and ${path('sites')} eq "${mark.toUpperCase()} ROME"`)).toEqual([low]);
  expect(await found(`${both} and ${path('floors')} eq 77`)).toEqual([high]);
  expect(await found(`${both} and not (${path('sites')} pr)`)).toEqual([high]);
  const query = `filter=${encodeURIComponent(both)}&sortBy=${path('badge')}&sortOrder=descending&attributes=${path('level')}`;
  const { body } = await directory.get(`/Users?${query}`);
  expect(body.Resources.map((one: Record<string, unknown>) => one[CUSTOM])).toEqual([{ level: 20 }, { level: 3 }]);
  const without = await directory.get(`/Users/${low}?excludedAttributes=${path('badge')},${path('sites')}`);
  expect(without.body[CUSTOM]).toEqual({ level: 3, isOnSite: true, startsAt: '2026-01-01T00:00:00Z' });
  const root = await directory.post('/.search', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
    filter: both,
  });
  expect(root.body.totalResults).toBe(2);
});

it('creates and changes them in a Bulk request', async () => {
  const id = await made({ badge: 'old' });
  const answer = await directory.post(
    '/Bulk',
    bulk([
      { method: 'POST', path: '/Users', bulkId: 'one', data: user(`${fresh()}@x.example`, part({ level: 9 })) },
      { method: 'PATCH', path: `/Users/${id}`, data: replace(path('badge'), 'new') },
    ]),
  );
  expect(answer.body.Operations.map(({ status }: { status: string }) => status)).toEqual(['201', '200']);
  expect(await shown(id)).toEqual({ badge: 'new' });
});

it('refuses a value of another type, an unknown attribute in a path or filter, and a value path into plain values', async () => {
  for (const wrong of [
    { level: '3' },
    { level: 1.5 },
    { isOnSite: 'maybe' },
    { startsAt: 'soon' },
    { sites: [1] },
    { floors: ['1'] },
  ]) {
    const answer = await directory.post('/Users', user(`${fresh()}@x.example`, part(wrong)));
    expect([Object.keys(wrong)[0], ...failure(answer)]).toEqual([Object.keys(wrong)[0], 400, 'invalidValue', '400']);
  }
  const id = await made({ sites: ['Rome'] });
  expect(failure(await change(id, { op: 'add', path: path('other'), value: 1 }))).toEqual([400, 'invalidPath', '400']);
  expect(failure(await change(id, { op: 'remove', path: `${path('sites')}[value eq "Rome"]` }))).toEqual([
    400,
    'invalidPath',
    '400',
  ]);
  const filter = encodeURIComponent(`${path('other')} eq "x"`);
  expect(failure(await directory.get(`/Users?filter=${filter}`))).toEqual([400, 'invalidFilter', '400']);
  expect(failure(await strict.post('/Users', user(`${fresh()}@x.example`, part({ badge: '1' }))))).toEqual([
    400,
    'invalidSyntax',
    '400',
  ]);
});

it('hides the values of a removed attribute, and shows them again when it comes back', async () => {
  const id = await made({ badge: 'kept', level: 1 });
  await declare(DECLARED.filter(({ name }) => name !== 'badge'));
  expect(await shown(id)).toEqual({ level: 1 });
  expect(failure(await directory.get(`/Users?filter=${encodeURIComponent(`${path('badge')} pr`)}`))).toEqual([
    400,
    'invalidFilter',
    '400',
  ]);
  await declare([]);
  const bare = await directory.get(`/Users/${id}`);
  expect([bare.body[CUSTOM], bare.body.schemas]).toEqual([undefined, [USER]]);
  await change(id, { op: 'replace', path: 'displayName', value: 'Still here' });
  await declare(DECLARED);
  expect(await shown(id)).toEqual({ badge: 'kept', level: 1 });
});

it('422 by place: names of SCIM, reserved and repeated names, an unknown type, and a name with another type', async () => {
  const fieldOf = async (list: object[]) => (await declare(list)).body.errors[0].field as string;
  const good = { name: 'good', type: 'string' };
  expect(await fieldOf([good, { name: 'userName', type: 'string' }])).toBe('custom_attributes[1].name');
  for (const name of ['department', 'members', 'constructor', 'toString', '__proto__', '1x', 'a b', 'x.y']) {
    expect([name, await fieldOf([{ name, type: 'string' }])]).toEqual([name, 'custom_attributes[0].name']);
  }
  expect(await fieldOf([good, { name: 'GOOD', type: 'string' }])).toBe('custom_attributes[1].name');
  expect(await fieldOf([good, { name: 'x', type: 'complex' }])).toMatch(/custom_attributes.1.*type/);
  // The type of a name holds for the tenant: a user can come from one directory into another.
  const other = await api('PATCH', `/${strictId}`, { custom_attributes: [{ name: 'Badge', type: 'integer' }] });
  expect([other.status, other.body.errors[0].field, other.body.errors[0].message]).toEqual([
    422,
    'custom_attributes[0]',
    expect.stringContaining('badge (string)'),
  ]);
  expect((await declare(Array.from({ length: 51 }, (_, i) => ({ name: `a${i}`, type: 'string' })))).status).toBe(422);
  expect((await api('GET', `/${service.tenant.directoryId}`)).body.custom_attributes).toHaveLength(DECLARED.length);
});
