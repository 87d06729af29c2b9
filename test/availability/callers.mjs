// The hostile callers, by what they try. What one sends is its own tenant's, or no tenant's at all.
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const range = (n, make) => Array.from({ length: n }, (_, i) => make(i));
const patchOf = (operations) => ({ schemas: [PATCH], Operations: operations });
const chunked = (path, type) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** What Ashby sends of an application; the text makes it as long as it is to be. */
const applied = (n, text = '') =>
  JSON.stringify({
    action: 'applicationSubmit',
    webhookActionId: `w${n}`,
    data: {
      application: {
        id: `a${n}`,
        status: 'Active',
        updatedAt: new Date().toISOString(),
        candidate: { id: `c${n}`, name: 'Flood Er', primaryEmailAddress: { value: `f${n}@x.example` } },
        job: { id: 'j1', title: 'Engineer' },
        text,
      },
    },
  });
const JSON_TYPE = { 'Content-Type': 'application/json' };
const inbound = (token) => `/api/webhooks/ashby?api_token=${token}`;

/** Each gets what is known of its tenant, and the ways to send. */
export const CALLERS = {
  'SAML form with blanks before a bracket': ({ context, wire, loops }) => {
    const xml = `<a>${'</a'}${' '.repeat(188_000)}x`;
    const body = `SAMLResponse=${encodeURIComponent(Buffer.from(xml).toString('base64'))}`;
    return loops(2, () => wire.request('POST', `/api/auth/callback/${context.samlSlug}`, FORM, body));
  },
  'cookie of blanks': ({ wire, loops }) =>
    loops(8, () => wire.request('GET', '/api/auth/session', { Cookie: `a=b${' '.repeat(15_000)}x; c=d` })),
  'combining marks as a domain': ({ wire, loops }) => {
    const body = `email=${encodeURIComponent(`a@${'\u0301\u0323'.repeat(1_600)}`)}`;
    return loops(4, () => wire.request('POST', '/api/auth/login', FORM, body));
  },
  'combining marks as a name': ({ context, wire, loops }) =>
    loops(4, (i, k) =>
      wire.json('POST', '/scim/v2/Users', context.token, {
        schemas: [USER],
        userName: `marks-${i}-${k}`,
        displayName: 'a' + '\u0301\u0323'.repeat(8_000),
      }),
    ),
  'JSON in pieces of one byte': ({ openRequests }) =>
    openRequests(100, chunked('/scim/v2/Users', 'application/json') + '1\r\n \r\n'.repeat(60_000), '1\r\n \r\n', 100),
  'forms in pieces of one byte': ({ context, openRequests }) =>
    openRequests(
      40,
      chunked(`/api/auth/callback/${context.samlSlug}`, FORM['Content-Type']) + '1\r\na\r\n'.repeat(200_000),
      '1\r\na\r\n',
      100,
    ),
  'five thousand silent connections': ({ openRequests }) =>
    openRequests(5_000, 'GET / HTTP/1.1\r\nHost: x\r\nX: ', 'a', 200),
  'calls to a silent name server': ({ context, wire, loops }) =>
    loops(40, (i) =>
      wire.json('POST', `/api/v1/connections/${context.silent[i % context.silent.length]}/check`, context.apiKey),
    ),
  'pages of large documents': ({ context, wire, loops }) =>
    loops(4, () => wire.json('GET', '/scim/v2/Users?count=1000&filter=nickName%20pr', context.token)),
  'pages that are not read': ({ context, openRequests }) =>
    openRequests(
      32,
      `GET /scim/v2/Users?count=1000 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.token}\r\n\r\n`,
      '',
      500,
    ),
  'PATCHes of many shapes': ({ context, wire, loops }) => {
    const names = [
      'title',
      'nickName',
      'active',
      'userType',
      'locale',
      'timezone',
      'externalId',
      'displayName',
      'name.givenName',
      'name.familyName',
    ];
    return loops(4, (_, k) => {
      const bits = (k * 37) % 256;
      const value = (name) => (name === 'active' ? k % 2 === 0 : `v${k}`);
      const operations = names
        .filter((_, bit) => bits & (1 << bit))
        .map((path) => ({ op: 'replace', path, value: value(path) }));
      return wire.json(
        'PATCH',
        `/scim/v2/Users/${context.userId}`,
        context.token,
        patchOf(operations.length ? operations : [{ op: 'replace', path: 'title', value: 'x' }]),
      );
    });
  },
  'PATCHes of a thousand value paths': ({ context, wire, loops }) => {
    const operations = range(1_000, (i) => ({
      op: 'replace',
      path: `phoneNumbers[value eq "${i}"].type`,
      value: 'work',
    }));
    return loops(4, () => wire.json('PATCH', `/scim/v2/Users/${context.wideId}`, context.token, patchOf(operations)));
  },
  'searches that no index answers': ({ context, wire, loops }) => {
    const terms = range(12, (i) => `title co "x${i}" or nickName co "y${i}"`).join(' or ');
    return loops(64, () => wire.json('GET', `/scim/v2/Users?filter=${encodeURIComponent(terms)}`, context.token));
  },
  'wrong credentials in the name of the honest tenant': ({ context, wire, loops }) =>
    loops(16, (i, k) => wire.json('GET', '/scim/v2/Users?count=1', context.wrong[(i * 31 + k) % context.wrong.length])),
  'wrong client secrets in the name of the honest tenant': ({ context, wire, loops }) =>
    loops(16, (i, k) => {
      const secret = context.wrongSecrets[(i * 31 + k) % context.wrongSecrets.length];
      const body = `grant_type=client_credentials&client_id=${context.honestClient}&client_secret=${secret}`;
      return wire.request('POST', '/oauth/token', FORM, body);
    }),
  'edits of one group': ({ context, wire, loops }) =>
    loops(64, (i, k) =>
      wire.json(
        'PATCH',
        `/scim/v2/Groups/${context.groupId}`,
        context.token,
        patchOf([
          {
            op: k % 2 ? 'add' : 'remove',
            path: k % 2 ? 'members' : `members[value eq "${context.userId}"]`,
            ...(k % 2 ? { value: [{ value: context.userId }] } : {}),
          },
        ]),
      ),
    ),
  'Bulk requests in a circle': ({ context, wire, loops }) => {
    const operations = range(1_000, (i) => ({
      method: 'POST',
      path: '/Groups',
      bulkId: `b${i}`,
      data: { displayName: `circle ${i}`, members: range(100, (k) => ({ value: `bulkId:b${(i + k) % 1_000}` })) },
    }));
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      failOnErrors: 1,
      Operations: operations,
    };
    return loops(2, () => wire.json('POST', '/scim/v2/Bulk', context.token, body));
  },
  'webhooks of an ATS as fast as they go': ({ context, wire, loops }) =>
    loops(64, (i, k) => {
      const token = context.atsTokens[i % context.atsTokens.length];
      return wire.request('POST', inbound(token), JSON_TYPE, applied(`${i}-${k}`));
    }),
  'webhooks of an ATS with almost a MiB': ({ context, wire, loops }) =>
    loops(8, (i, k) => {
      const token = context.atsTokens[i % context.atsTokens.length];
      return wire.request('POST', inbound(token), JSON_TYPE, applied(`${i}-${k}`, 'x'.repeat(1_000_000)));
    }),
  'webhooks of an ATS with unknown tokens': ({ wire, loops }) =>
    loops(64, (i, k) => wire.request('POST', inbound(`whk_unknown_${i}_${k}_0123`), JSON_TYPE, applied(`${i}-${k}`))),
  'looks at metrics and readiness': ({ wire, loops }) =>
    loops(32, (i) => wire.request('GET', i % 2 ? '/metrics' : '/readyz')),
  'requests as fast as they go': ({ context, wire, loops }) =>
    loops(64, () => wire.json('GET', '/scim/v2/Users?count=10', context.token)),
};
