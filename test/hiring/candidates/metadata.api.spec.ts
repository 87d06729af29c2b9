import { sharedApp, type TestApp } from '../../support/app.js';
import { candidate, eventsOf } from '../../support/candidates.js';
import { send } from '../../support/http.js';
import { fresh } from '../../support/scim.js';

// Texts of metadata that parsing would change, or that other programs stumble over.
const TEXTS: [string, string][] = [
  ['number forms', '{"a":1.0,"b":1e2,"c":-0,"d":0.10,"e":123456789012345678,"f":1E400}'],
  ['the order of names', '{"b":1,"10":2,"2":3,"a":4}'],
  ['emoji', '{"🦊":"👩‍👩‍👧 é e\u0301"}'],
  ['half a surrogate pair', String.raw`{"half":"\ud83d","other":"\uDE00"}`],
  ['U+0000', String.raw`{"nul":"a\u0000b"}`],
  ['line separators', '{"ls":"\u2028\u2029"}'],
  ['escapes', String.raw`{"e":"\/ \u0041 \u00e9 \n \" \\"}`],
  ['blanks', '{ "a" : [ 1 ,\n\t2 ] , "b" : { } }'],
  ['texts with braces', '{"a":"}],{\\"metadata\\":1","metadata":{"metadata":2}}'],
  ['any values', '{"n":null,"t":true,"f":false,"o":{},"l":[],"":""}'],
  ['names of Object.prototype', '{"constructor":{"name":"x"},"toString":1,"prototype":{}}'],
];

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: string) =>
  send(method, `${service.url}/api/v1${path}`, service.tenant.apiKey, body);
/** A candidate whose metadata stands between other members. */
const bodyWith = (metadata: string, more: object = {}) => {
  const [head, tail] = [JSON.stringify(candidate(more)).slice(0, -1), '"job_title":"}"'];
  return `${head},"metadata":${metadata},${tail}}`;
};

it.each(TEXTS)('keeps %s letter for letter, in answers, lists and events', async (_, text) => {
  const created = await call('POST', '/candidates', bodyWith(text));
  expect([created.status, created.text]).toEqual([201, expect.stringContaining(`"metadata":${text},"stage":null`)]);
  const { id, external_id } = created.body;
  expect((await call('GET', `/candidates/${id}`)).text).toBe(created.text);
  expect((await call('GET', `/candidates?external_id=${external_id}`)).text).toContain(created.text);
  const [event] = await eventsOf(service, service.tenant.tenantId, id);
  expect(event!.data).toBe(created.text.replace(/}$/, ',"sequence":1}'));
  const patched = await call('PATCH', `/candidates/${id}`, `{"metadata":{"old":1}}`);
  expect(patched.text).toContain('"metadata":{"old":1}');
  expect((await call('PATCH', `/candidates/${id}`, `{"last_name":"N","metadata": ${text} }`)).text).toContain(
    `"metadata":${text},"stage":null`,
  );
  expect((await call('DELETE', `/candidates/${id}`)).status).toBe(204);
  const after = await eventsOf(service, service.tenant.tenantId, id);
  expect(after.map(({ data }) => data)).toEqual(
    [1, 2, 3, 4].map((sequence) => JSON.stringify({ id, external_id, sequence })),
  );
});

it('keeps up to 16 KiB, and records ids alone when the event would be over 20 kB', async () => {
  const filled = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  const full = await call('POST', '/candidates', bodyWith(filled(16_384)));
  expect([full.status, full.text.includes(filled(16_384))]).toEqual([201, true]);
  const over = await call('POST', '/candidates', bodyWith(filled(16_385)));
  expect([over.status, over.body.errors]).toEqual([
    422,
    [{ field: 'metadata', message: 'must have at most 16384 bytes, and has 16385' }],
  ]);
  const [event] = await eventsOf(service, service.tenant.tenantId, full.body.id);
  expect(event!.data).toContain(filled(16_384));
  const name = '🦊'.repeat(200);
  const large = await call(
    'POST',
    '/candidates',
    bodyWith(filled(16_384), { first_name: name, last_name: name, external_id: `${fresh()}${'🦊'.repeat(200)}` }),
  );
  expect(large.status).toBe(201);
  const [thick] = await eventsOf(service, service.tenant.tenantId, large.body.id);
  expect(Buffer.byteLength(thick!.data)).toBeLessThan(20_000);
});

it.each(['{"__proto__":{"admin":true}}', '{"a":{"b":[{"__proto__":1}]}}', String.raw`{"__pr\u006fto__":null}`])(
  'refuses __proto__ at any depth and in any spelling: %s',
  async (text) => {
    const answer = await call('POST', '/candidates', bodyWith(text));
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      [{ field: 'metadata', message: 'must hold no member "__proto__"' }],
    ]);
  },
);

it('refuses a repeated name, like every body: two readers could see two values', async () => {
  const answer = await call('POST', '/candidates', bodyWith('{"a":1,"a":2}'));
  expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json']);
  expect((await call('POST', '/candidates', bodyWith('{}').replace('}"', '}","metadata":{}'))).status).toBe(400);
});

it('reads a body with a byte order mark, and with its name in escapes', async () => {
  const body = `\ufeff${bodyWith('{"a":1.0}').replace('"metadata"', String.raw`"met\u0061data"`)}`;
  const answer = await call('POST', '/candidates', body);
  expect([answer.status, answer.text.includes('"metadata":{"a":1.0},')]).toEqual([201, true]);
});

it('keeps values that no filter can name out of the filters', async () => {
  for (const priority of ['"a\\u0000"', '"\\ud800"', `"${'x'.repeat(256)}"`, '""', '7', '["high"]']) {
    const answer = await call(
      'POST',
      '/candidates',
      bodyWith(`{"ats_priority":${priority},"job_opening_id":${priority}}`),
    );
    expect([priority, answer.status]).toEqual([priority, 201]);
  }
});
