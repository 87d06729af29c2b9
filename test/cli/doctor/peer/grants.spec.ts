import { credentialsOf } from '../../../../src/cli/doctor/peer/grants.js';

const CLIENT = { client_id: 'c' };
const FEDERATED = { ...CLIENT, private_key: 'PEM', issuer: 'i', subject: 's', audience: 'a' };

it.each<[string, string, unknown]>([
  ['a token', 'tbs_1\n', [{ kind: 'token', token: 'tbs_1' }]],
  ['two lines', 'client\r\nsecret\r\n', [{ kind: 'secret', clientId: 'client', secret: 'secret' }]],
  ['credentials.json', '{"scim_token":"tbs_1","api_key":"tbk_1"}', [{ kind: 'token', token: 'tbs_1' }]],
  [
    'a secret',
    JSON.stringify({ ...CLIENT, client_secret: 's', token_url: 'https://x/t' }),
    [{ kind: 'secret', clientId: 'c', secret: 's', tokenUrl: 'https://x/t' }],
  ],
  [
    'a key',
    JSON.stringify({ ...CLIENT, private_key: { kty: 'EC' }, key_id: 'k' }),
    [{ kind: 'private_key_jwt', clientId: 'c', key: { kty: 'EC' }, keyId: 'k' }],
  ],
  [
    'an assertion',
    JSON.stringify({ ...CLIENT, assertion: 'ey.' }),
    [{ kind: 'federated', clientId: 'c', assertion: { signed: 'ey.' } }],
  ],
  [
    'a key of an IdP',
    JSON.stringify(FEDERATED),
    [{ kind: 'federated', clientId: 'c', assertion: { key: 'PEM', issuer: 'i', subject: 's', audience: 'a' } }],
  ],
  [
    'several methods',
    JSON.stringify([{ token: 't' }, { ...CLIENT, client_secret: 's' }]),
    [
      { kind: 'token', token: 't' },
      { kind: 'secret', clientId: 'c', secret: 's' },
    ],
  ],
])('reads %s', (_, text, credentials) => {
  expect(credentialsOf(text)).toEqual(credentials);
});

it.each([
  ['nothing', ' \n'],
  ['words', 'my token'],
  ['three lines', 'a\nb\nc'],
  ['broken JSON', '{"token":'],
  ['an empty list', '[]'],
  ['a client without a secret', '{"client_id":"c"}'],
  ['a number', '{"token":1}'],
  ['an issuer alone', JSON.stringify({ ...FEDERATED, subject: undefined })],
  ['one wrong method of two', '[{"token":"t"},{}]'],
])('reads no credential from %s', (_, text) => {
  expect(credentialsOf(text)).toBeNull();
});
