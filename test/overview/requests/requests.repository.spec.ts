import {
  storedBody as storedBodyOf,
  isSecretName,
  withoutSecretsInText,
} from '../../../src/overview/requests/requests.repository.js';
import { USER_TYPE, userTypeWith } from '../../../src/protocols/scim/schema/resource-types.js';

describe('stored body', () => {
  const storedBody = (text: string, type = USER_TYPE): string => storedBodyOf(text, type);

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

  const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

  it.each(
    [
      'pwd',
      'userPwd',
      'passphrase',
      'pass_code',
      'pin',
      'PIN',
      'userPin',
      'pinCode',
      'otp',
      'totp',
      'smsCode',
      'cvv',
    ].map((name) => [name]),
  )('removes the value of the name %s, declared or not, in JSON inside of a text too', (name) => {
    const nested = storedBody(JSON.stringify({ nickName: JSON.stringify({ a: [{ [name]: CANARY, b: 'kept' }] }) }));
    expect(nested).not.toContain(CANARY);
    expect(nested).toContain('kept');
    expect(storedBody(JSON.stringify({ [name]: CANARY }))).toBe(`{"${name}":"(removed)"}`);
  });

  it.each<[string, object]>([
    ['at the top', { badge: CANARY, userName: 'ann' }],
    ['inside of an attribute', { emails: [{ value: 'ann@x.example', badge: [CANARY] }] }],
    ['with the name of a sub-attribute', { formatted: CANARY }],
    ['of an extension', { [ENTERPRISE]: { department: 'D', badge: { of: CANARY } } }],
    ['of an unknown extension', { 'urn:x:2.0:User': { department: CANARY } }],
    ['of an operation', { Operations: [{ op: 'add', path: 'badge', value: CANARY }] }],
    ['of an operation with a filter', { Operations: [{ op: 'remove', path: `badge[value eq "${CANARY}"]` }] }],
    [
      'of an operation with the filter of a secret',
      { Operations: [{ op: 'remove', path: `password[x eq "${CANARY}"]` }] },
    ],
    ['of an operation without a path', { Operations: [{ op: 'add', value: { badge: CANARY, title: 'T' } }] }],
    ['of an operation of Bulk', { Operations: [{ method: 'PUT', path: '/Users/1', data: { badge: CANARY } }] }],
    [
      'of a PATCH in Bulk',
      {
        Operations: [
          { method: 'PATCH', path: '/Users/1', data: { Operations: [{ op: 'add', path: 'badge', value: CANARY }] } },
        ],
      },
    ],
    ['of a search', { filter: `password eq "${CANARY}"` }],
    ['in a text that is no complete JSON', { nickName: `{"password":"${CANARY}` }],
    ['in an address', { profileUrl: `https://x.example/p?a=1&access_token=${CANARY}#id_token=${CANARY}` }],
    ['in the name of an address', { profileUrl: `https://ann:${CANARY}@x.example/p` }],
  ])('removes the value of an attribute that no schema declares, or a secret: %s', (_, body) => {
    const stored = storedBody(JSON.stringify(body));
    expect(stored).not.toContain(CANARY);
    expect(Object.keys(JSON.parse(stored) as object)).toEqual(Object.keys(body));
  });

  it.each<[string, object]>([
    [
      'sub-attributes and extensions',
      { name: { familyName: 'L' }, [ENTERPRISE]: { manager: { value: 'u', $ref: 'r' } } },
    ],
    ['names in other cases', { USERNAME: 'ann', Emails: [{ Value: 'a', primary: true }] }],
    [
      'paths as names',
      { 'name.givenName': 'A', [`${ENTERPRISE}:department`]: 'D', 'emails[type eq "work"].value': 'a' },
    ],
    ['paths that cannot be read', { Operations: [{ op: 'add', path: 'emails[type eq work].value', value: 'a' }] }],
    ['the path of an extension', { Operations: [{ op: 'add', path: ENTERPRISE, value: { department: 'D' } }] }],
    [
      'members of a group',
      {
        displayName: 'G',
        members: [{ value: 'u', display: 'U' }],
        Operations: [{ op: 'remove', path: 'members[value eq "u"]' }],
      },
    ],
    ['a search', { filter: 'title sw "pinned"', attributes: ['userName'], startIndex: 1, count: 5 }],
    [
      'words that contain the short names',
      { title: 'Shipping, opinion and spin', nickName: '{"shipping":"x","hotpot":1}' },
    ],
    ['an address without secrets', { profileUrl: 'https://x.example/p?page=2&sort=name#top' }],
  ])('keeps %s letter for letter', (_, body) => {
    const text = JSON.stringify(body, null, 1);
    expect(storedBody(text)).toBe(text);
  });

  it('keeps the attributes that the directory declares', () => {
    const type = userTypeWith([{ name: 'badge', type: 'string' }] as unknown as Parameters<typeof userTypeWith>[0]);
    const text = JSON.stringify({ [type.extensions.at(-1)!.schema.urn]: { badge: 'B-1' } });
    expect(storedBody(text, type)).toBe(text);
    expect(storedBody(text)).not.toContain('B-1');
  });
});

describe('secret names', () => {
  it.each(['password', 'userPwd', 'passphrase', 'pin', 'smsOtp', 'api_key', 'clientSecret'])(
    'takes %s for a secret',
    (name) => {
      expect(isSecretName(name)).toBe(true);
    },
  );

  it.each(['shippingAddress', 'spinner', 'displayName', 'emails'])('takes %s for no secret', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it('removes secrets from addresses inside of a text', () => {
    const text = 'see https://ann:hidden@example.com/a?token=abc&page=2';
    expect(withoutSecretsInText(text, '(removed)')).toBe(
      'see https://ann:(removed)@example.com/a?token=(removed)&page=2',
    );
  });
});
