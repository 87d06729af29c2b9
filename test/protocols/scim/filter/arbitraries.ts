import fc from '../../../support/properties.js';
import { isStorable } from '../../../../src/protocols/scim/text.js';
import type { AttributePath, Filter } from '../../../../src/protocols/scim/filter/ast.js';

const names = fc.constantFrom('userName', 'name', 'emails', 'x-y_z', 'a1', 'not', 'and', 'or', 'pr', 'eq');
const urns = fc.constantFrom('urn:ietf:params:scim:schemas:core:2.0:User', 'urn:example:1.0:X');

const paths: fc.Arbitrary<AttributePath> = fc.record({
  urn: fc.option(urns),
  attr: names,
  sub: fc.option(fc.constantFrom('value', '$ref', 'familyName', 'type')),
});

const literals = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => isStorable(text)),
  fc.constantFrom('"', '\\', '\\"', '\n', '\u001f', "'; drop table users; --", '%_'),
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
);

const leaves: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ kind: fc.constant('present' as const), path: paths }),
  fc.record({
    kind: fc.constant('compare' as const),
    path: paths,
    op: fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'),
    value: literals,
  }),
);

/** Any tree that the parser can make. */
export const filters: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    leaves,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), term: tie('filter') }),
    fc.record({
      kind: fc.constant('valuePath' as const),
      path: paths.map((path) => ({ ...path, sub: null })),
      filter: tie('filter'),
    }),
  ),
})).filter;

/** Text made of what filters are made of, and of what they are attacked with. */
export const filterLike: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'userName', 'emails', '.value', 'urn:ietf:params:scim:schemas:core:2.0:User:', ' ', ' eq ', ' pr', ' and ',
        ' or ', 'not', '(', ')', '[', ']', '"', '\\', '\\u00', 'true', 'null', '-1e5', '"x"', "'", '--', '%', '\u0000',
        '__proto__', 'constructor',
      ), // prettier-ignore
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));
