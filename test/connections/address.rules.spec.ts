import {
  browserAddressProblem,
  calledAddressProblem,
  issuerProblem,
  originProblem,
} from '../../src/connections/address.rules.js';

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
