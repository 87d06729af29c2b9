import { recognisedDialect } from '../../../../src/protocols/scim/dialects/recognise.js';

it.each([
  ['Okta SCIM Client 1.0.0', null, 'okta'],
  ['Okta SCIM Client 1.0.0', '{"Operations":[{"op":"replace","value":{"active":false}}]}', 'okta'],
  ['Google-Auto-Provisioning', null, 'google'],
  [undefined, '{"Operations":[{"op":"Replace","path":"active","value":"False"}]}', 'entra'],
  ['', '{"userName":"a","active":"True"}', 'entra'],
  ['', '{"userName":"a","active":"true"}', 'onelogin'],
  [undefined, '{"userName":"a","emails":{"value":"a@x.example"}}', 'onelogin'],
  [undefined, '{"Operations":[{"op":"replace","path":"active","value":false}]}', null],
  ['curl/8', '{"userName":"Replace","displayName":"False"}', null],
  ['curl/8', null, null],
])('a request with the User-Agent %s and the body %s is of %s', (userAgent, body, dialect) => {
  expect(recognisedDialect(userAgent, body)).toBe(dialect);
});
