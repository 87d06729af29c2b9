import fc from '../../../support/properties.js';
import { readFileSync } from 'node:fs';
import { matches } from '../../../../src/protocols/scim/filter/matches.js';
import { parseFilter } from '../../../../src/protocols/scim/filter/parse.js';
import { resolveFilter } from '../../../../src/protocols/scim/filter/resolve.js';
import { USER_TYPE, type Resource } from '../../../../src/protocols/scim/schema/resource-types.js';
import { casesOf, frozen } from '../cases.js';

const users = frozen(
  JSON.parse(readFileSync(new URL('./cases/users.json', import.meta.url), 'utf8')) as Record<string, Resource>,
);
const cases = casesOf<{ filter: string; hits: string[] }>(import.meta.url, './cases/matches.json');

function hits(filter: string): string[] {
  const bound = resolveFilter(parseFilter(filter), USER_TYPE, { booleansAsStrings: true });
  return Object.keys(users).filter((name) => matches(bound, users[name]));
}

describe('matches', () => {
  it.each(cases)('$note: $filter', ({ filter, hits: expected }) => {
    expect(hits(filter)).toEqual(expected);
  });

  it.each(cases)('not ($filter) matches the others', ({ filter, hits: expected }) => {
    expect(hits(`not (${filter})`)).toEqual(Object.keys(users).filter((name) => !expected.includes(name)));
  });

  it('and, or and not are plain logic', () => {
    const filters = fc.constantFrom(...cases.map((each) => each.filter));
    fc.assert(
      fc.property(filters, filters, (a, b) => {
        expect(hits(`(${a}) and (${b})`)).toEqual(hits(a).filter((name) => hits(b).includes(name)));
        expect(hits(`not (${a}) or (${b})`)).toEqual(
          Object.keys(users).filter((name) => !hits(a).includes(name) || hits(b).includes(name)),
        );
      }),
    );
  });

  it('is true for the filter that always matches', () => {
    expect(matches({ kind: 'always' }, {})).toBe(true);
  });

  it('is false for other values than resources', () => {
    const bound = resolveFilter(parseFilter('emails.value eq "x" or name.familyName pr'), USER_TYPE, {
      booleansAsStrings: true,
    });
    for (const odd of [null, 'text', 1, { emails: 'x', name: 'y' }, { emails: { value: 'x' } }, { name: null }]) {
      expect(matches(bound, odd)).toBe(false);
    }
  });
});
