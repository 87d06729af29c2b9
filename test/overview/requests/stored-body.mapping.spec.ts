import { storedBody } from '../../../src/overview/requests/stored-body.mapping.js';

const CANARY = 'canary-1';

it('keeps a body without secrets letter for letter', () => {
  const text = '{ "userName" : "ann@x.example", "active":"False" }';
  expect(storedBody(text)).toBe(text);
});

it.each([
  ['an attribute', { password: CANARY }],
  ['an attribute in another spelling', { PassWord: CANARY }],
  ['an attribute inside of another one', { emails: [{ value: 'a@x.example', accessToken: { of: [CANARY] } }] }],
  ['an attribute with its schema', { 'urn:ietf:params:scim:schemas:core:2.0:User:password': CANARY }],
  ['an operation by its path', { Operations: [{ op: 'replace', path: 'password', value: CANARY }] }],
  ['an operation with capitals', { Operations: [{ OP: 'replace', Path: 'PASSWORD', Value: { of: CANARY } }] }],
  ['an operation without a path', { Operations: [{ op: 'add', value: { password: CANARY } }] }],
  ['an operation of Bulk', { Operations: [{ method: 'POST', path: '/Users', data: { client_secret: CANARY } }] }],
])('removes the secret of %s, and keeps its name', (_, body) => {
  const stored = storedBody(JSON.stringify(body));
  expect(stored).not.toContain(CANARY);
  expect(stored).toContain('(removed)');
});

it('removes a secret whose name is written with escapes', () => {
  expect(storedBody(`{"p\\u0061ssword":"${CANARY}"}`)).toBe('{"password":"(removed)"}');
});

it('keeps the other values of a body with a secret', () => {
  const body = { userName: 'ann@x.example', password: CANARY, active: true, name: null, emails: ['a'] };
  expect(JSON.parse(storedBody(JSON.stringify(body)))).toEqual({ ...body, password: '(removed)' });
});
