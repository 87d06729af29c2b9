import { browserAddressProblem, issuerProblem, originProblem } from '../../src/auth/connections/settings.rules.js';
import { domainOf, domainProblem, normalDomain } from '../../src/auth/connections/domains/domain.rules.js';
import { slugFrom } from '../../src/auth/connections/names.rules.js';
import { isHandle } from '../../src/auth/sign-in/requests/browser-half.js';
import { returnTarget } from '../../src/auth/sign-in/requests/sign-in-start.js';
import { loadConfig, VARIABLES } from '../../src/base/config/load-config.js';
import { parseToken } from '../../src/base/crypto/tokens.js';
import { networkOf } from '../../src/base/http/allowed-networks.js';
import { demandAcceptable } from '../../src/base/http/answer.js';
import { parseJson } from '../../src/base/http/body.js';
import { readCookies } from '../../src/base/http/cookies.js';
import { isPublicAddress, refusalOfUrl } from '../../src/base/http/destination-networks.js';
import { csvLine } from '../../src/base/http/export.js';
import { isTidy, tidy, EMAIL } from '../../src/base/http/fields.js';
import { escapeHtml } from '../../src/base/http/html.js';
import { decodeCursor } from '../../src/base/http/page.js';
import { queryTime } from '../../src/base/http/query.js';
import { jsonMemberText } from '../../src/base/json-text.js';
import { checkAssertion, readTokenRequest } from '../../src/directory-sync/clients/client.rules.js';
import { emailKey, emailAddress, draftOf } from '../../src/directory-sync/users/user.mapping.js';
import { retryAfter, wordsOf } from '../../src/engine/delivery/retry.rules.js';
import { whichSurface } from '../../src/operations/surfaces/exception.filter.js';
import { idpError } from '../../src/protocols/oidc/callback.rules.js';
import { readObject } from '../../src/protocols/oidc/json.rules.js';
import { readToken } from '../../src/protocols/oidc/jwt.rules.js';
import { readSamlAnswer } from '../../src/protocols/saml/answer.js';
import { certificateProblem, pemOf } from '../../src/protocols/saml/certificate.rules.js';
import { readIdpMetadata } from '../../src/protocols/saml/metadata.rules.js';
import { durationSeconds, readMoment } from '../../src/protocols/saml/moment.js';
import { readRedirect } from '../../src/protocols/saml/redirect.rules.js';
import { decodeBase64, scanXml, type XmlLimits } from '../../src/protocols/saml/xml-scan.js';
import { dialectOf } from '../../src/protocols/scim/dialects/dialects.js';
import { parseFilter, parsePatchPath } from '../../src/protocols/scim/filter/parse.js';
import { parseListQuery } from '../../src/protocols/scim/messages/list-query.js';
import { parsePatchRequest } from '../../src/protocols/scim/messages/patch-request.js';
import { applyPatch } from '../../src/protocols/scim/patch/apply.js';
import { readResource } from '../../src/protocols/scim/resource/coerce.js';
import { matchesIfMatch } from '../../src/protocols/scim/resource/etag.js';
import { GROUP_TYPE, USER_TYPE } from '../../src/protocols/scim/schema/resource-types.js';
import { parseDateTime, userNameKey } from '../../src/protocols/scim/text.js';
import { PATCH_OP_URN, USER_URN } from '../../src/protocols/scim/urns.js';
import { platformNames } from '../../src/tenancy/identity/names.rules.js';
import { bearerToken } from '../../src/tenancy/tenants/caller.js';
import type { Reader } from './growth.js';

interface Case {
  readonly read: Reader;
  /** What stands before and after the repeated part. */
  readonly around?: readonly (readonly [string, string])[];
}

const tolerant = dialectOf('tolerant');
const strict = dialectOf('strict');
const NOW = new Date('2026-01-01T00:00:00Z');
/** The limits of size are lifted, so that what is beneath them shows. */
const NO_LIMITS: XmlLimits = {
  bytes: 1e9,
  elements: 1e9,
  depth: 1e9,
  attributes: 1e9,
  allAttributes: 1e9,
  comments: 'skip',
};
const PLAIN = ['', ''] as const;
const user = (more: object): unknown => ({ schemas: [USER_URN], userName: 'u', ...more });
const patch = (operation: object): unknown => {
  const resource = { schemas: [USER_URN], userName: 'u', emails: [{ value: 'a', type: 'work' }] };
  const body = { schemas: [PATCH_OP_URN], Operations: [operation] };
  return applyPatch(USER_TYPE, resource, parsePatchRequest(body, tolerant), tolerant);
};
const request = (authorization: string, originalUrl = '/'): Parameters<typeof bearerToken>[0] =>
  ({ headers: { authorization }, rawHeaders: ['Authorization', authorization], originalUrl }) as never;

/** Every parser that a caller, an IdP or a platform can reach with text of its own, by name. */
export const READERS: Record<string, Case> = {
  'Cookie header': { read: readCookies, around: [PLAIN, ['a=', ''], ['a', '=b'], ['a=b; ', '; c=d']] },
  'Accept header': { read: (text) => demandAcceptable(text, 'application/json'), around: [PLAIN, ['text/html;', '']] },
  'Authorization header': { read: (text) => bearerToken(request(text)), around: [PLAIN, ['Bearer ', '']] },
  'path and query': { read: (text) => bearerToken(request('Bearer x', text)), around: [['/?', '']] },
  'surface of a path': { read: (text) => whichSurface(text, 'text/html'), around: [PLAIN, ['/api/auth/', '']] },
  'If-Match header': { read: (text) => matchesIfMatch(text, 'W/"1"'), around: [PLAIN, ['W/"', '"']] },
  'X-Forwarded-For': { read: networkOf, around: [PLAIN, ['::', ''], ['1.2.3.', '']] },
  'token of a credential': { read: parseToken, around: [PLAIN, ['tbs_', ''], ['tbs_abcdefgh_', '']] },
  'a member of a JSON body': {
    read: (text) => jsonMemberText(text, 'm'),
    around: [
      ['{"m":"', '"}'],
      ['{"m":', '}'],
      ['{"n":[', '],"m":1}'],
    ],
  },
  'JSON body': {
    read: (text) => parseJson(Buffer.from(text)),
    around: [PLAIN, ['{"a":"', '"}'], ['[', ']'], ['{"', '":1}'], ['[1', ',1]']],
  },
  cursor: { read: decodeCursor, around: [PLAIN, ['a.', '']] },
  'time in a query': { read: (text) => queryTime('at', text), around: [PLAIN, ['2026-01-01T00:00:00', '']] },
  'field of text': {
    read: (text) => [isTidy(tidy(text)), EMAIL.test.test(text)],
    around: [PLAIN, ['a@', ''], ['a', '@b']],
  },
  'address of a server': {
    read: (text) => [refusalOfUrl(text), browserAddressProblem(text, false), issuerProblem(text, true)],
    around: [PLAIN, ['https://', '/'], ['https://a/', ''], ['https://a', '.localhost'], ['https://a:', '']],
  },
  'origin of an application': { read: (text) => originProblem(text, false), around: [PLAIN, ['https://', '']] },
  'IP address': { read: isPublicAddress, around: [PLAIN, ['::', ''], ['1.', '']] },
  'mark-up and CSV of a text': { read: (text) => [escapeHtml(text), csvLine([text])], around: [PLAIN, ['=', '']] },
  setting: {
    read: (text) => loadConfig({ ...Object.fromEntries(VARIABLES.map((name) => [name, text])), DATA_DIR: undefined }),
    around: [PLAIN, ['http://a/', ''], ['postgres://', ''], ['a:', '']],
  },
  'SCIM filter': {
    read: parseFilter,
    around: [PLAIN, ['userName eq "', '"'], ['userName eq ', ''], ['(', ')'], ['emails[', ']'], ['not (', ')'], ['urn:', '']],
  }, // prettier-ignore
  'SCIM path': {
    read: parsePatchPath,
    around: [PLAIN, ['emails[', ']'], ['emails[type eq "', '"].value'], ['urn:', ':a']],
  },
  'SCIM list query': {
    read: (text) => parseListQuery({ attributes: text, sortBy: text }, { defaultCount: 100, maxCount: 1000 }),
    around: [PLAIN, ['userName,', '']],
  },
  'SCIM numbers of a query': {
    read: (text) => parseListQuery({ startIndex: text, count: text }, { defaultCount: 100, maxCount: 1000 }),
    around: [PLAIN, ['1', '']],
  },
  'SCIM user, each kind of attribute': {
    read: (text) =>
      draftOf(
        readResource(
          USER_TYPE,
          user({
            displayName: text,
            name: { givenName: text, familyName: text, formatted: text },
            emails: [{ value: text, type: text }],
            roles: [text],
            profileUrl: text,
            active: text,
            [text]: text,
          }),
          tolerant,
        ),
      ),
  },
  'SCIM user, names of a document of long texts': {
    read: (text) => draftOf({ userName: 'u', displayName: text, emails: [{ value: text }], name: { givenName: text } }),
  },
  'SCIM userName': { read: (text) => draftOf(readResource(USER_TYPE, user({ userName: text }), tolerant)) },
  'SCIM user, strictly': { read: (text) => readResource(USER_TYPE, user({ displayName: text, [text]: 1 }), strict) },
  'SCIM group': {
    read: (text) =>
      readResource(GROUP_TYPE, { displayName: text, members: [{ value: text, display: text }] }, tolerant),
  },
  'SCIM PATCH path': {
    read: (text) => patch({ op: 'replace', path: text, value: 'x' }),
    around: [PLAIN, ['emails[', ']'], ['emails[value eq "', '"].type'], [`${USER_URN}:`, '']],
  },
  'SCIM PATCH value': { read: (text) => patch({ op: text, path: 'title', value: text }) },
  'SCIM PATCH value without a path': {
    read: (text) => patch({ op: 'add', value: { [text]: text, 'name.givenName': text } }),
  },
  'SCIM dates and keys': {
    read: (text) => [parseDateTime(text), userNameKey(text), emailKey(text), emailAddress(text)],
    around: [PLAIN, ['2026-01-01T00:00:00.', 'Z']],
  },
  'names of a person': {
    read: (text) => [
      platformNames({ formatted: text }, null, 'u'),
      platformNames({}, text, 'u'),
      platformNames({}, null, text),
      platformNames({ givenName: text, familyName: text }, null, 'u'),
    ],
    around: [PLAIN, ['a, ', ' b'], ['', '@x']],
  },
  'answer of a platform': { read: (text) => [wordsOf(text), retryAfter(text, NOW)] },
  'slug and domain': {
    read: (text) => [slugFrom(text, new Uint8Array(8)), normalDomain(text), domainProblem(text), domainOf(text)],
    around: [PLAIN, ['a', 'b'], ['a@', '']],
  },
  'return address': {
    read: (text) => returnTarget(text, { origin: 'https://x.example', home: '/', allowed: ['https://y.example'] }),
    around: [PLAIN, ['/', ''], ['https://y.example/', '']],
  },
  'handle of a sign-in': { read: isHandle },
  'error of an IdP': { read: (text) => idpError('IdP', text, text) },
  'JSON of an IdP': { read: readObject, around: [PLAIN, ['{"a":"', '"}']] },
  'signed token': {
    read: (text) => readToken(text, 'ID token', ['RS256']),
    around: [PLAIN, ['e30.', '.x'], ['e30.e30.', '']],
  },
  'request for an access token': {
    read: (text) => readTokenRequest(new Map([['grant_type', 'client_credentials']]), [text]),
    around: [PLAIN, ['Basic ', ''], ['Basic AAAA', '=']],
  },
  'assertion of a client': {
    read: (text) => {
      const claims = { iss: text, sub: text, aud: [text, 'a'], iat: 1, exp: 2, jti: text };
      const token = { text, header: { alg: 'RS256' as const, kid: text, typ: text }, claims };
      return checkAssertion(token, { issuer: text, subject: text, audiences: ['a', text], isOwn: false }, NOW);
    },
  },
  'SAML answer of a form': {
    read: (text) => readSamlAnswer(new Map([['SAMLResponse', text]])),
  },
  'base64 of a form': { read: (text) => decodeBase64(text, 1e9), around: [PLAIN, ['AAAA', 'AAAA']] },
  XML: {
    read: (text) => scanXml(text, NO_LIMITS),
    around: [
      PLAIN,
      ['<a>', '</a>'],
      ['<a', '/>'],
      ['<a ', '></a>'],
      ['<a b="', '"/>'],
      ['<a></a', '>'],
      ['<a></', 'a>'],
      ['<?xml version="1.0"', '?><a/>'],
      ['<!--', '--><a/>'],
      ['<a xmlns:b="', '"/>'],
      ['<a>&', ';</a>'],
    ],
  },
  'metadata of an IdP': { read: (text) => readIdpMetadata(text, { now: NOW }), around: [PLAIN, ['<a>', '</a>']] },
  'moment and duration of XML': {
    read: (text) => [readMoment(text), durationSeconds(text)],
    around: [PLAIN, ['2026-01-01T00:00:00.', 'Z'], ['P', 'D'], ['PT', 'S']],
  },
  certificate: {
    read: (text) => [certificateProblem(text), pemOf(text)],
    around: [PLAIN, ['-----BEGIN CERTIFICATE-----\n', '\n-----END CERTIFICATE-----']],
  },
  'query of the redirect binding': {
    read: readRedirect,
    around: [PLAIN, ['SAMLRequest=', '&SigAlg=x&Signature=AAAA'], ['a=b&', '']],
  },
};
