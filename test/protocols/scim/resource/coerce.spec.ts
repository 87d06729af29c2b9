import fc from '../../../support/properties.js';
import { dialectOf, PROFILE_NAMES, type Profile } from '../../../../src/protocols/scim/dialects/dialects.js';
import { readResource } from '../../../../src/protocols/scim/resource/coerce.js';
import { GROUP_TYPE, USER_TYPE, type Resource } from '../../../../src/protocols/scim/schema/resource-types.js';
import { ScimRequestError } from '../../../../src/protocols/scim/scim.errors.js';
import { long } from '../../../support/rounds.js';
import { casesOf, frozen } from '../cases.js';
import { refusalOf } from '../failure.js';

interface Case {
  readonly type?: 'Group';
  readonly profile?: Profile;
  readonly body: unknown;
  readonly expected?: Resource;
  readonly error?: string;
  readonly names?: string;
}

const tolerant = dialectOf('tolerant');
const read = (body: unknown): Resource => readResource(USER_TYPE, body, tolerant);

describe('readResource', () => {
  it.each(casesOf<Case>(import.meta.url, './cases/read.json'))('$note', (each) => {
    const type = each.type === 'Group' ? GROUP_TYPE : USER_TYPE;
    const act = (): Resource => readResource(type, frozen(each.body), dialectOf(each.profile ?? 'tolerant'));
    if (each.error === undefined) {
      expect(act()).toEqual(each.expected);
      return;
    }
    const refusal = refusalOf(act);
    expect(refusal).toMatchObject({ status: 400, scimType: each.error });
    if (each.names !== undefined) expect(refusal.detail).toContain(`"${each.names}"`);
  });

  it('begins with schemas', () => {
    expect(Object.keys(read({ userName: 'u', title: 't', schemas: [] }))[0]).toBe('schemas');
  });

  it('refuses __proto__ as parsed from JSON at every place', () => {
    for (const text of [
      '{"userName":"u","__proto__":{"polluted":1}}',
      '{"userName":"u","name":{"__proto__":{"polluted":1}}}',
      '{"userName":"u","emails":[{"value":"a","__proto__":{"polluted":1}}]}',
      '{"userName":"u","meta":{"__proto__":{"polluted":1}}}',
      '{"userName":"u","urn:x":{"a":[{"__proto__":{"polluted":1}}]}}',
      '{"userName":"u","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"__proto__":{"polluted":1}}}',
    ]) {
      expect(refusalOf(() => read(JSON.parse(text))).scimType).toBe('invalidSyntax');
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('reads its own result again', () => {
    const once = read({ userName: 'u', emails: [{ value: 'a', primary: true }], name: { givenName: 'g' } });
    expect(read(once)).toEqual(once);
  });

  long('ends any body in a resource of known names or in a refusal', () => {
    const names = fc.oneof(fc.constantFrom(...USER_TYPE.schema.byName.keys(), 'constructor', 'nope'), fc.string());
    const bodies = fc.dictionary(names, fc.jsonValue({ maxDepth: 3 })).map((body) => ({ userName: 'u', ...body }));
    fc.assert(
      fc.property(bodies, fc.constantFrom(...PROFILE_NAMES), (body, profile) => {
        try {
          const resource = readResource(USER_TYPE, body, dialectOf(profile));
          for (const key of Object.keys(resource)) expect(USER_TYPE.schema.byName.has(key)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ScimRequestError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('limits', () => {
  const nested = (depth: number): unknown => JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth));
  const keys = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));

  it.each([
    ['userName of 512 characters', { userName: 'x'.repeat(512) }, null],
    ['userName of 512 characters beyond the basic plane', { userName: '😀'.repeat(512) }, null],
    ['userName of 513', { userName: 'x'.repeat(513) }, 'invalidValue'],
    ['externalId of 513', { userName: 'u', externalId: 'x'.repeat(513) }, 'invalidValue'],
    ['e-mail of 513', { userName: 'u', emails: [{ value: 'x'.repeat(513) }] }, 'invalidValue'],
    ['title of 16,384', { userName: 'u', title: 'x'.repeat(16_384) }, null],
    ['title of 16,385', { userName: 'u', title: 'x'.repeat(16_385) }, 'invalidValue'],
    ['unknown attribute, 30 levels', { userName: 'u', unknown: nested(30) }, null],
    ['unknown attribute, 40 levels', { userName: 'u', unknown: nested(40) }, 'invalidSyntax'],
    ['readOnly attribute, 40 levels', { userName: 'u', meta: nested(40) }, 'invalidSyntax'],
    ['1,900 unknown names', { userName: 'u', ...keys(1900) }, null],
    ['2,000 unknown names', { userName: 'u', ...keys(2000) }, 'invalidSyntax'],
    ['2,000 names further down', { userName: 'u', unknown: [keys(1000), keys(1000)] }, 'invalidSyntax'],
    [
      '1,000 e-mails',
      { userName: 'u', emails: Array.from({ length: 1000 }, (_, i) => ({ value: `${i}`, type: 'x' })) },
      'invalidSyntax',
    ],
  ])('%s', (_, body, error) => {
    if (error === null) expect(read(body)['userName']).toBe(body.userName);
    else expect(refusalOf(() => read(body)).scimType).toBe(error);
  });

  it('accept a user in very many groups', () => {
    const groups = Array.from({ length: 3000 }, (_, i) => ({ value: `g${i}`, display: 'G' }));
    expect(read({ userName: 'u', groups })).not.toHaveProperty('groups');
  });

  it('accept a group with very many members', () => {
    const members = Array.from({ length: 20_000 }, (_, i) => ({ value: `u${i}`, display: null, type: 'User' }));
    const group = readResource(GROUP_TYPE, { displayName: 'G', members }, tolerant);
    expect(group['members']).toHaveLength(20_000);
    const displayName = 'x'.repeat(513);
    expect(refusalOf(() => readResource(GROUP_TYPE, { displayName }, tolerant)).scimType).toBe('invalidValue');
  });
});
