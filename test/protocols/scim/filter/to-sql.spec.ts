import fc from '../../../support/properties.js';
import { parseFilter } from '../../../../src/protocols/scim/filter/parse.js';
import { resolveFilter } from '../../../../src/protocols/scim/filter/resolve.js';
import { sortToSql } from '../../../../src/protocols/scim/filter/sort.js';
import type { ColumnMap } from '../../../../src/protocols/scim/filter/column-map.js';
import { toSql } from '../../../../src/protocols/scim/filter/to-sql.js';
import { USER_TYPE } from '../../../../src/protocols/scim/schema/resource-types.js';
import { userNameKey } from '../../../../src/protocols/scim/text.js';
import { casesOf } from '../cases.js';
import { refusalOf } from '../failure.js';

const matching = casesOf<{ filter: string }>(import.meta.url, './cases/matches.json');
const cases = casesOf<{ filter: string; sql: string; params: unknown[] }>(import.meta.url, './cases/to-sql.json');
const sorts = casesOf<{ path: string; sql: string }>(import.meta.url, './cases/sort.json');

const map: ColumnMap = {
  document: 'u.doc',
  columns: {
    id: { sql: 'u.id', type: 'uuid' },
    userName: { sql: 'u.user_name_key', type: 'text', key: userNameKey },
    externalId: { sql: 'u.external_id', type: 'text', nullable: true },
    active: { sql: 'u.active', type: 'boolean' },
    'meta.created': { sql: 'u.created_at', type: 'timestamptz' },
  },
  lists: {
    groups: (inner, params) => {
      const condition = toSql(
        inner,
        { document: null, columns: { value: { sql: 'm.group_id', type: 'text' } }, lists: {} },
        params,
      );
      return `exists (select 1 from members m where m.user_id = u.id and ${condition})`;
    },
    emails: (inner, params) => (inner.kind === 'always' ? 'u.has_email' : (params.push('never used'), null)),
  },
};

function compiled(filter: string, params: unknown[] = []): { sql: string; params: unknown[] } {
  const sql = toSql(resolveFilter(parseFilter(filter), USER_TYPE, { booleansAsStrings: true }), map, params);
  return { sql, params };
}

describe('toSql', () => {
  it.each(cases)('$note: $filter', ({ filter, sql, params }) => {
    expect(compiled(filter)).toEqual({ sql, params });
  });

  it('numbers its parameters after the existing ones', () => {
    expect(compiled('userName eq "A"', ['tenant']).sql).toBe('u.user_name_key = $2');
  });

  it.each(matching)('uses every parameter it adds, and no other: $filter', ({ filter }) => {
    const { sql, params } = compiled(filter);
    const used = new Set([...sql.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));
    expect([...used].sort((a, b) => a - b)).toEqual(params.map((_, i) => i + 1));
  });

  it('puts no text of the request into the statement', () => {
    const markers = fc.string({ unit: fc.constantFrom(...`'";-$\\%_(){}zZ€`), minLength: 3, maxLength: 20 });
    const paths = fc.constantFrom(
      'userName',
      'title',
      'externalId',
      'id',
      'emails',
      'manager',
      'groups.value',
      'schemas',
    );
    const operators = fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le');
    fc.assert(
      fc.property(paths, operators, markers, (path, op, text) => {
        const literal = `Q${text}Q`;
        const { sql } = compiled(`${path} ${op} ${JSON.stringify(literal)}`);
        expect(sql.toLowerCase()).not.toContain(literal.toLowerCase());
      }),
    );
  });
});

describe('sortToSql', () => {
  it.each(sorts)('$note: $path', ({ path, sql }) => {
    expect(sortToSql(path, USER_TYPE, map, 'ascending')).toMatchObject({ sql, direction: 'asc', nulls: 'last' });
    expect(sortToSql(path, USER_TYPE, map, 'descending')).toMatchObject({ sql, direction: 'desc', nulls: 'first' });
  });

  it.each([
    'nothing',
    'password',
    'name',
    'addresses',
    'schemas',
    'userName.value',
    'emails.x',
    'emails[type eq "x"]',
    '',
  ])('refuses %j', (path) => {
    expect(refusalOf(() => sortToSql(path, USER_TYPE, map, 'ascending'))).toMatchObject({
      status: 400,
      scimType: 'invalidPath',
    });
  });
});
