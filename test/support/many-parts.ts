import { parseJson } from '../../src/base/http/body.js';
import { dialectOf } from '../../src/protocols/scim/dialects/dialects.js';
import { parseFilter } from '../../src/protocols/scim/filter/parse.js';
import { planBulk } from '../../src/protocols/scim/messages/bulk-order.js';
import { parseBulkRequest } from '../../src/protocols/scim/messages/bulk-request.js';
import { parsePatchRequest } from '../../src/protocols/scim/messages/patch-request.js';
import { applyPatch } from '../../src/protocols/scim/patch/apply.js';
import { planGroupPatch } from '../../src/protocols/scim/patch/group-plan.js';
import { readResource } from '../../src/protocols/scim/resource/coerce.js';
import { USER_TYPE, type Resource } from '../../src/protocols/scim/schema/resource-types.js';
import { BULK_REQUEST_URN, PATCH_OP_URN, USER_URN } from '../../src/protocols/scim/urns.js';
import { readSamlAnswer } from '../../src/protocols/saml/answer.js';
import { scanXml } from '../../src/protocols/saml/xml-scan.js';

const tolerant = dialectOf('tolerant');
const range = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

const stored = (n: number): Resource => ({
  schemas: [USER_URN],
  userName: 'u',
  phoneNumbers: range(n, (i) => ({ value: String(i), type: 'work' })),
});
const patch = (n: number, operations: object[]): unknown =>
  applyPatch(
    USER_TYPE,
    stored(n),
    parsePatchRequest({ schemas: [PATCH_OP_URN], Operations: operations }, tolerant),
    tolerant,
  );
const xml = (body: string): unknown => scanXml(`<a>${body}</a>`);

/** Requests of n parts each, by what they are made of. A part is small, and the number of parts is what grows. */
export const PARTS: Record<string, (n: number) => unknown> = {
  'PATCH: value paths over many values': (n) =>
    patch(
      n,
      range(n, (i) => ({ op: 'replace', path: `phoneNumbers[value eq "${i}"].type`, value: 'home' })),
    ),
  'PATCH: values removed one by one': (n) =>
    patch(
      n,
      range(n, (i) => ({ op: 'remove', path: `phoneNumbers[value eq "${i}"]` })),
    ),
  'PATCH: values added one by one': (n) =>
    patch(
      n,
      range(n, (i) => ({ op: 'add', path: 'phoneNumbers', value: [{ value: `n${i}` }] })),
    ),
  'PATCH: a list added to a list': (n) =>
    patch(n, [{ op: 'add', path: 'phoneNumbers', value: range(n, (i) => ({ display: `d${i}` })) }]),
  'PATCH: a list removed from a list': (n) =>
    patch(n, [{ op: 'remove', path: 'phoneNumbers', value: range(n, (i) => ({ value: `x${i}` })) }]),
  'PATCH of a group: members removed by key': (n) =>
    planGroupPatch(
      [{ op: 'add', value: Object.fromEntries(range(n, (i) => [`members[value eq "${i}"]`, { value: String(i) }])) }],
      tolerant,
    ),
  'PATCH of a group: members by filter': (n) =>
    planGroupPatch(
      range(n, (i) => ({ op: 'remove' as const, path: `members[display eq "${i}"]` })),
      tolerant,
    ),
  'user of many values': (n) =>
    readResource(
      USER_TYPE,
      { schemas: [USER_URN], userName: 'u', emails: range(n, (i) => ({ value: `${i}@x` })) },
      tolerant,
    ),
  'filter of many terms': (n) => parseFilter(range(n, () => 'a eq 1').join(' or ')),
  'Bulk: a circle of references': (n) =>
    planBulk(
      parseBulkRequest(
        {
          schemas: [BULK_REQUEST_URN],
          Operations: range(Math.ceil(n / 16), (i) => ({
            method: 'POST',
            path: '/Groups',
            bulkId: `b${i}`,
            data: {
              displayName: `g${i}`,
              members: range(200, (k) => ({ value: `bulkId:b${(i + k) % Math.ceil(n / 16)}` })),
            },
          })),
        },
        { maxOperations: 1e6 },
        tolerant,
      ).operations,
    ),
  'JSON: many members': (n) => parseJson(Buffer.from(`{${range(n, (i) => `"k${i}":1`).join(',')}}`)),
  'XML: siblings': (n) => xml('<b/>'.repeat(n)),
  'XML: nesting': (n) => xml('<b>'.repeat(n) + '</b>'.repeat(n)),
  'XML: namespaces': (n) => xml(range(n, (i) => `<n${i}:b xmlns:n${i}="u${i}"/>`).join('')),
  'XML: attributes': (n) => xml(`<b ${range(n, (i) => `c${i}=""`).join(' ')}/>`),
  'XML: references': (n) => xml('&lt;'.repeat(n)),
  'SAML answer: signatures': (n) =>
    readSamlAnswer(
      new Map([['SAMLResponse', Buffer.from(`<Response>${'<Signature/>'.repeat(n)}</Response>`).toString('base64')]]),
    ),
};
