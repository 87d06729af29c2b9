import fc from '../../../support/properties.js';
import { dialectOf, PROFILE_NAMES } from '../../../../src/protocols/scim/dialects/dialects.js';
import { applyPatch, type PatchOperation } from '../../../../src/protocols/scim/patch/apply.js';
import { USER_TYPE, type Resource } from '../../../../src/protocols/scim/schema/resource-types.js';
import { ScimRequestError } from '../../../../src/protocols/scim/scim.errors.js';
import { long } from '../../../support/rounds.js';
import { frozen } from '../cases.js';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const dialects = fc.constantFrom(...PROFILE_NAMES.map((profile) => dialectOf(profile)));
const tolerant = dialectOf('tolerant');

const words = fc.constantFrom('a', 'b', 'A', 'x y', 'work', 'home', 'True', '', '🙂');
const values = fc.record(
  { value: words, type: fc.constantFrom('work', 'home'), primary: fc.boolean(), display: words },
  { requiredKeys: [] },
);
const resources: fc.Arbitrary<Resource> = fc
  .record(
    {
      userName: fc.constant('u'),
      title: fc.constantFrom('a', 'b'),
      active: fc.boolean(),
      name: fc.record(
        { givenName: fc.constantFrom('a', 'b'), familyName: fc.constant('f') },
        { requiredKeys: ['familyName'] },
      ),
      emails: fc.uniqueArray(
        fc.record({ value: fc.constantFrom('a', 'b', 'c'), type: fc.constantFrom('work', 'home') }),
        {
          minLength: 1,
          maxLength: 3,
          selector: (item) => item.type + item.value,
        },
      ),
      [ENTERPRISE]: fc.record({ department: fc.constantFrom('a', 'b') }),
    },
    { requiredKeys: ['userName'] },
  )
  .map((resource) => ({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], ...resource }));

const paths = fc.constantFrom(
  'userName', 'title', 'active', 'name', 'name.givenName', 'emails', 'emails.value', 'emails[type eq "work"]',
  'emails[type eq "work"].value', 'emails[value eq "a" or primary eq true].primary', 'manager', 'manager.value',
  ENTERPRISE, `${ENTERPRISE}:department`, 'id', 'meta', 'groups', 'schemas', 'password', 'nope', 'roles', '__proto__',
  'constructor', 'emails[', '', 'name.__proto__',
); // prettier-ignore
const anything = fc.oneof(
  words,
  values,
  fc.array(values, { maxLength: 3 }),
  fc.boolean(),
  fc.constant(null),
  fc.record({ givenName: words, familyName: words }, { requiredKeys: [] }),
  fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown),
  fc.dictionary(
    fc.oneof(paths, fc.string({ maxLength: 4 })),
    fc.oneof(words, values, fc.array(values, { maxLength: 2 })),
  ),
);
const operations: fc.Arbitrary<PatchOperation> = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'remove'), path: paths, value: anything }),
  fc.record({ op: fc.constantFrom('add', 'replace', 'remove'), value: anything }),
);

function attempt(resource: Resource, list: PatchOperation[], dialect = tolerant): ReturnType<typeof applyPatch> | null {
  try {
    return applyPatch(USER_TYPE, resource, list, dialect);
  } catch (error) {
    if (error instanceof ScimRequestError) return null;
    throw error;
  }
}

describe('applyPatch for random requests', () => {
  const clean = Object.getOwnPropertyNames(Object.prototype).join();

  long('throws only ScimRequestError, changes no argument, and invents no names', () => {
    fc.assert(
      fc.property(resources, fc.array(operations, { maxLength: 4 }), dialects, (resource, list, dialect) => {
        const result = attempt(frozen(resource), frozen(list), dialect);
        expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(clean);
        for (const key of Object.keys(result?.resource ?? {})) {
          expect(USER_TYPE.schema.byName.has(key) || key === ENTERPRISE).toBe(true);
        }
        expect(result?.resource['userName'] === undefined && result !== null).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  long('reports a change exactly when the result differs', () => {
    fc.assert(
      fc.property(resources, fc.array(operations, { maxLength: 4 }), (resource, list) => {
        const result = attempt(resource, list);
        fc.pre(result !== null);
        const same = sorted(result?.resource) === sorted(resource);
        expect(result?.changed).toBe(!same);
      }),
      { numRuns: 2000 },
    );
  });

  long('leaves at most one primary value, no pair twice, and no empty value', () => {
    fc.assert(
      fc.property(resources, fc.array(operations, { maxLength: 5 }), (resource, list) => {
        const emails = (attempt(resource, list)?.resource['emails'] ?? [{}, {}]) as Record<string, unknown>[];
        expect(emails).not.toHaveLength(0);
        expect(emails.filter((item) => item['primary'] === true).length).toBeLessThan(2);
        const pairs = emails
          .filter((item) => item['value'] !== undefined)
          .map((item) => sorted([item['type'], item['value']]));
        expect(new Set(pairs).size).toBe(pairs.length);
      }),
      { numRuns: 2000 },
    );
  });

  long('has no second effect when a replace is repeated', () => {
    fc.assert(
      fc.property(resources, paths, anything, (resource, path, value) => {
        const list: PatchOperation[] = [{ op: 'replace', path, value }];
        const once = attempt(resource, list);
        fc.pre(once !== null && !path.includes('['));
        expect(attempt(once?.resource ?? {}, list)?.changed).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the rest when one value is added and removed', () => {
    fc.assert(
      fc.property(resources, (resource) => {
        const added = attempt(resource, [{ op: 'add', path: 'emails', value: [{ value: 'new', type: 'other' }] }]);
        const back = attempt(added?.resource ?? {}, [{ op: 'remove', path: 'emails[value eq "new"]' }]);
        expect(sorted(back?.resource)).toBe(sorted(resource));
      }),
    );
  });

  it('gives the result of a plain model for simple paths', () => {
    const simple = fc.record({
      op: fc.constantFrom('add' as const, 'replace' as const, 'remove' as const),
      path: fc.constantFrom('title', 'nickName', 'displayName'),
      value: fc.constantFrom('a', 'b', '', null),
    });
    fc.assert(
      fc.property(resources, fc.array(simple, { maxLength: 8 }), (resource, list) => {
        const model: Resource = { ...resource };
        for (const { op, path, value } of list) {
          if (op === 'remove' || value === '' || value === null) delete model[path];
          else model[path] = value;
        }
        expect(sorted(attempt(resource, list)?.resource)).toBe(sorted(model));
      }),
      { numRuns: 500 },
    );
  });
});

/** JSON with the members of objects in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
