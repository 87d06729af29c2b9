import { newId } from '../../../src/base/ids.js';
import { loggedOperationsOf, loggedRequestOf } from '../../../src/overview/requests/logged-request.mapping.js';

const USER = newId('usr');
const GROUP = newId('grp');
const OWN = { tenantId: 'ten_1', credentialId: 'tok_1', directoryId: 'dir_1' };

const logged = (originalUrl: string, more: object = {}) =>
  loggedRequestOf({ id: 'req_1', method: 'GET', headers: {}, body: undefined, originalUrl, ...OWN, ...more }, 200, 1.5);

it.each([
  ['/scim/v2/Users', '/scim/v2/Users', null, null],
  ['/scim/v2/Users?filter=userName%20eq%20%22ann%22', '/scim/v2/Users', null, null],
  [`/scim/v2/Users/${USER}`, '/scim/v2/Users/{id}', USER, null],
  [`/scim/v2/Groups/${GROUP}?attributes=id`, '/scim/v2/Groups/{id}', null, GROUP],
  ['/scim/v2/Users/ann@x.example', '/scim/v2/Users/:id', null, null],
  [`/scim/v2/Users/${GROUP}x`, '/scim/v2/Users/:id', null, null],
  ['/scim/v2/Users/.search', '/scim/v2/Users/.search', null, null],
  ['/scim/v2/.search', '/scim/v2/.search', null, null],
  ['/scim/v2', '/scim/v2', null, null],
  ['/scim/v2/Bulk/', '/scim/v2/Bulk', null, null],
  ['/scim/v2/secret-token/a', 'unmatched', null, null],
  [`/scim/v2/Users/${USER}/x`, 'unmatched', null, null],
])('logs %s as %s', (url, path, userId, groupId) => {
  expect(logged(url)).toMatchObject({ path, userId, groupId });
});

it('logs what an accepted request did', () => {
  const effect = { outcome: 'linked', userId: USER, held: 'no_seat', linkedBy: 'email' };
  const headers = { 'user-agent': 'Okta SCIM Client 1.0.0' };
  expect(logged('/scim/v2/Users', { effect, headers })).toMatchObject({ ...effect, dialect: 'okta' });
});

it('logs why a request was refused, cut to 500 characters that the database accepts', () => {
  const refusal = { code: 'invalid_filter', scim_type: 'invalidFilter', reason: `a\0${'b'.repeat(600)}` };
  const row = logged('/scim/v2/Users', { refusal })!;
  expect(row).toMatchObject({ code: 'invalid_filter', scimType: 'invalidFilter' });
  expect(row.detail).toBe(`a\ufffd${'b'.repeat(498)}`);
});

it('logs the body of a request, and of a longer one its length alone', () => {
  const rawBody = Buffer.from('{"userName":"ann"}');
  expect(logged('/scim/v2/Users', { rawBody, body: {} })).toMatchObject({
    body: '{"userName":"ann"}',
    bodyBytes: 18,
  });
  expect(logged('/scim/v2/Users', { body: {}, headers: { 'content-length': '70000' } })).toMatchObject({
    body: null,
    bodyBytes: 70_000,
  });
});

it('logs no body that is no JSON', () => {
  expect(logged('/scim/v2/Users', { rawBody: Buffer.from('{"a') })).toMatchObject({ body: null, bodyBytes: 3 });
});

it('logs no request of another channel, and none without a valid token', () => {
  expect(logged('/api/v1/users')).toBeNull();
  expect(logged('/scim/v2/Users', { directoryId: undefined })).toBeNull();
});

it('logs the operations of a Bulk request that were run', () => {
  const of = { method: 'PATCH', status: 200, scimType: undefined };
  const done = { ...of, path: `/scim/v2/Users/${USER}`, effect: { outcome: 'changed', userId: USER } };
  const refused = { ...of, path: '/scim/v2/Groups/x', status: 404, scimType: 'noTarget', effect: undefined };
  const bulk = logged('/scim/v2/Bulk', { rawBody: Buffer.from('{}'), body: {} })!;
  const common = { ...OWN, method: 'PATCH', body: null, bodyBytes: null, durationMs: 1.5 };
  expect(loggedOperationsOf(bulk, [done, undefined, refused])).toMatchObject([
    { ...common, id: 'req_1.0001', path: '/scim/v2/Users/{id}', userId: USER, outcome: 'changed', status: 200 },
    { ...common, id: 'req_1.0003', path: '/scim/v2/Groups/:id', groupId: null, scimType: 'noTarget', status: 404 },
  ]);
});
