import { readTokenRequest } from '../../../src/directory-sync/clients/token-request.rules.js';

const GRANT = { grant_type: 'client_credentials' };
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
const read = (fields: Record<string, string>, ...headers: string[]) =>
  readTokenRequest(new Map(Object.entries(fields)) as Parameters<typeof readTokenRequest>[0], headers);
const codeOf = (fields: Record<string, string>, ...headers: string[]): string => {
  try {
    read(fields, ...headers);
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'none';
};

it('reads a secret of the form, and of the header', () => {
  const proof = { kind: 'secret', clientId: 'cli_1', secret: 's' };
  expect(read({ ...GRANT, client_id: 'cli_1', client_secret: 's', scope: 'x', other: 'y' })).toEqual(proof);
  expect(read(GRANT, basic('cli_1:s'))).toEqual(proof);
  expect(read({ ...GRANT, client_id: 'cli_1' }, basic('cli_1:s'))).toEqual(proof);
  expect(read(GRANT, basic('cli%5F1:a%3Ab+c'))).toEqual({ ...proof, secret: 'a:b c' });
});

it('reads an assertion with the id of the client, or without', () => {
  const fields = { ...GRANT, client_assertion: 'a.b.c', client_assertion_type: TYPE };
  expect(read({ ...fields, client_id: 'cli_1' })).toEqual({ kind: 'assertion', clientId: 'cli_1', assertion: 'a.b.c' });
  expect(read(fields)).toMatchObject({ clientId: null });
});

it.each<[string, Record<string, string>, string[], string]>([
  ['without a grant', { client_id: 'c', client_secret: 's' }, [], 'invalid_request'],
  ['with another grant', { grant_type: 'password' }, [], 'unsupported_grant_type'],
  ['without authentication', GRANT, [], 'invalid_client'],
  ['with an id alone', { ...GRANT, client_id: 'c' }, [], 'invalid_client'],
  ['with a secret and a header', { ...GRANT, client_id: 'c', client_secret: 's' }, [basic('c:s')], 'invalid_request'],
  [
    'with a secret and an assertion',
    { ...GRANT, client_id: 'c', client_secret: 's', client_assertion: 'a', client_assertion_type: TYPE },
    [],
    'invalid_request',
  ],
  ['with an assertion and a header', { ...GRANT, client_assertion: 'a' }, [basic('c:s')], 'invalid_request'],
  ['with two headers', GRANT, [basic('c:s'), basic('c:s')], 'invalid_request'],
  ['with a secret without an id', { ...GRANT, client_secret: 's' }, [], 'invalid_request'],
  ['with an assertion without a type', { ...GRANT, client_assertion: 'a' }, [], 'invalid_request'],
  ['with a type without an assertion', { ...GRANT, client_assertion_type: TYPE }, [], 'invalid_request'],
  ['with another id than the header', { ...GRANT, client_id: 'd' }, [basic('c:s')], 'invalid_request'],
  ['with a bearer token', GRANT, ['Bearer x'], 'invalid_client'],
  ['with a header that is no base64', GRANT, ['Basic %%%'], 'invalid_client'],
  ['with a header without a colon', GRANT, [basic('c')], 'invalid_client'],
  ['with a header without an id', GRANT, [basic(':s')], 'invalid_client'],
  ['with a broken percent sign', GRANT, [basic('c:%')], 'invalid_client'],
])('is refused %s', (_, fields, headers, code) => expect(codeOf(fields, ...headers)).toBe(code));
