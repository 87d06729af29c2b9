import {
  browserAddressProblem,
  calledAddressProblem,
  issuerProblem,
  originProblem,
} from '../../../src/auth/connections/address.rules.js';

const ok = null;
const bad = expect.any(String) as string;

it.each<[string, boolean, string | null]>([
  ['https://idp.example.com/sso?x=1', false, ok],
  ['https://10.0.0.1/sso', false, ok],
  ['http://idp.example.com/sso', false, bad],
  ['http://idp.example.com/sso', true, ok],
  ['javascript:alert(1)', true, bad],
  ['/sso', true, bad],
  ['https://user@idp.example.com/', false, bad],
  ['https://idp.example.com/#a', false, bad],
  [`https://idp.example.com/${'a'.repeat(3000)}`, false, bad],
])('an address for browsers: %s (http permitted: %s)', (text, allowHttp, expected) => {
  expect(browserAddressProblem(text, allowHttp)).toEqual(expected);
});

it.each<[string, boolean, string | null]>([
  ['https://idp.example.com/metadata', false, ok],
  ['https://10.0.0.1/metadata', false, bad],
  ['https://10.0.0.1/metadata', true, ok],
  ['https://localhost/metadata', false, bad],
])('an address that this service calls: %s (private permitted: %s)', (text, allowPrivate, expected) => {
  expect(calledAddressProblem(text, allowPrivate)).toEqual(expected);
});

it.each<[string, string | null]>([
  ['https://idp.example.com/', ok],
  ['https://idp.example.com/?a', bad],
  ['idp.example.com', bad],
  ['https://login.microsoftonline.com/{tenantid}/v2.0', bad],
  ['https://idp.example.com/%7Btenant%7D', bad],
  ['https://login.microsoftonline.com/common/v2.0', bad],
  ['https://LOGIN.microsoftonline.com/organizations/v2.0', bad],
  ['https://login.microsoftonline.com/consumers/v2.0', bad],
  ['https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0', ok],
  ['https://idp.example.com/common/v2.0', ok],
])('an issuer: %s', (text, expected) => {
  expect(issuerProblem(text, false)).toEqual(expected);
});

it.each<[string, boolean, string | null]>([
  ['https://app.example.com', false, ok],
  ['https://app.example.com/', false, bad],
  ['https://app.example.com/path', false, bad],
  ['http://localhost:3000', false, bad],
  ['http://localhost:3000', true, ok],
  ['custom://app', true, bad],
])('an origin: %s (http permitted: %s)', (text, allowHttp, expected) => {
  expect(originProblem(text, allowHttp)).toEqual(expected);
});
