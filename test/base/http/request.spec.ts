import { loggedPath } from '../../../src/base/http/request.js';
import { newId } from '../../../src/base/ids.js';

const id = newId('usr');

it.each([
  ['the pattern', '/v1/users/by-external-id/:external_id', { external_id: 'jane@example.com' }, '/v1/users/by-external-id/:external_id'],
  ['our own id', '/scim/v2/Users/:id', { id }, `/scim/v2/Users/${id}`],
  ['no id that only looks like ours', '/scim/v2/Users/:id', { id: `${id}@example.com` }, '/scim/v2/Users/:id'],
  ['several parts', '/a/:one/b/:two', { one: 'ada', two: id }, `/a/:one/b/${id}`],
  ['a pattern without parts', '/v1/me', {}, '/v1/me'],
])('holds %s', (_, path, params, expected) => {
  expect(loggedPath({ route: { path, methods: { get: true } }, params })).toBe(expected);
}); // prettier-ignore

it('has nothing of an unknown address', () => {
  expect(loggedPath({})).toBe('unmatched');
  expect(loggedPath({ route: { path: '*path', methods: { _all: true } }, params: { path: 'secret' } })).toBe(
    'unmatched',
  );
  expect(loggedPath({ route: { path: /x/ } })).toBe('unmatched');
});
