import { mintToken } from '../../../src/base/crypto/tokens.js';
import { credentialForm, wordsOfForm } from '../../../src/tenancy/tenants/credential-form.rules.js';

const scim = mintToken('tbs', 'ten_01abcdefgh').token;
const key = mintToken('tbk', 'ten_01abcdefgh').token;

it.each([
  ['a whole token', `Bearer ${scim}`, null],
  ['a cut token', `Bearer ${scim.slice(0, -3)}`, 'incomplete'],
  ['a token that is cut within its tenant', `Bearer ${scim.slice(0, 20)}`, 'incomplete'],
  ['a changed token', `Bearer ${scim.slice(0, -1)}${scim.endsWith('0') ? '1' : '0'}`, 'incomplete'],
  ['a doubled Bearer', `Bearer Bearer ${scim}`, 'doubled_bearer'],
  ['a header without Bearer', scim, 'no_bearer'],
  ['Bearer in small letters', `bearer ${scim}`, null],
  ['an API key', `Bearer ${key}`, 'other_kind'],
  ['a token of another product', 'Bearer eyJhbGciOiJub25lIn0.e30.', 'foreign'],
  ['a password', 'Basic dXNlcjpwYXNz', 'foreign'],
  ['an endless header', `Bearer ${'x'.repeat(100_000)}`, 'foreign'],
])('reads the form of %s', (_, header, problem) => {
  expect(credentialForm(header, 'tbs').problem).toBe(problem);
});

it('names the next step for each problem, and no part of the credential', () => {
  for (const problem of ['incomplete', 'doubled_bearer', 'no_bearer', 'other_kind', 'foreign'] as const) {
    expect(wordsOfForm(problem)).toMatch(/Copy|Enter|Authorization|begins with/);
  }
});
