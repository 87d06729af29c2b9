import { Secrets } from '../../../../src/cli/doctor/peer/secrets.js';

it('removes a secret in each of its forms, and the longer one of two first', () => {
  const secrets = new Secrets();
  secrets.add('a"b c');
  secrets.add('abcd');
  secrets.add('abcdef');
  secrets.add('');
  const base64 = Buffer.from('a"b c').toString('base64');
  expect(secrets.without(`a"b c|a\\"b c|a%22b%20c|a%22b+c|${base64}|abcdef|abcd|abc`)).toBe(
    `${'(removed)|'.repeat(7)}abc`,
  );
});
