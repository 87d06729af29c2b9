import { equalities } from '../../../../src/protocols/scim/filter/bound.js';
import { matches } from '../../../../src/protocols/scim/filter/matches.js';
import { parseFilter } from '../../../../src/protocols/scim/filter/parse.js';
import { resolveFilter } from '../../../../src/protocols/scim/filter/resolve.js';
import { GROUP_TYPE, USER_TYPE } from '../../../../src/protocols/scim/schema/resource-types.js';
import { casesOf } from '../cases.js';
import { refusalOf } from '../failure.js';

const unbindable = casesOf<{ filter: string }>(import.meta.url, './cases/unbindable.json');
const tolerant = { booleansAsStrings: true };

describe('resolveFilter', () => {
  it.each(unbindable)('refuses: $note', ({ filter }) => {
    const ast = parseFilter(filter);
    expect(refusalOf(() => resolveFilter(ast, USER_TYPE, tolerant))).toMatchObject({
      status: 400,
      scimType: 'invalidFilter',
    });
  });

  it('reads "True" as true only when the dialect does', () => {
    const ast = parseFilter('roles[primary eq "True"]');
    expect(matches(resolveFilter(ast, USER_TYPE, tolerant), { roles: [{ primary: true }] })).toBe(true);
    expect(refusalOf(() => resolveFilter(ast, USER_TYPE, { booleansAsStrings: false })).scimType).toBe('invalidFilter');
  });

  it('resolves the attributes of each type', () => {
    const members = resolveFilter(parseFilter('members eq "u1"'), GROUP_TYPE, tolerant);
    expect(matches(members, { members: [{ value: 'u0' }, { value: 'u1' }] })).toBe(true);
    expect(matches(members, { members: [{ value: 'U1' }] })).toBe(false);
    expect(refusalOf(() => resolveFilter(parseFilter('members eq "u1"'), USER_TYPE, tolerant)).status).toBe(400);
    expect(refusalOf(() => resolveFilter(parseFilter('manager pr'), GROUP_TYPE, tolerant)).status).toBe(400);
  });
});

describe('equalities', () => {
  it.each([
    ['emails[type eq "work" and value eq "x"]', { type: 'work', value: 'x' }],
    ['emails[value eq "x"]', { value: 'x' }],
    ['emails[primary eq true and (value eq "x" and type eq "work")]', { primary: true, value: 'x', type: 'work' }],
    ['emails[value eq "x" and value eq "y"]', null],
    ['emails[value eq "x" or type eq "work"]', null],
    ['emails[value co "x"]', null],
    ['emails[not (value eq "x")]', null],
    ['emails[value pr]', null],
  ])('%s', (filter, expected) => {
    const bound = resolveFilter(parseFilter(filter), USER_TYPE, tolerant);
    const found = bound.kind === 'some' ? equalities(bound.filter) : undefined;
    expect(found instanceof Map ? Object.fromEntries(found) : found).toEqual(expected);
  });
});
