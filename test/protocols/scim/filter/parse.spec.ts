import fc from '../../../support/properties.js';
import type { Filter, PatchPath } from '../../../../src/protocols/scim/filter/ast.js';
import { parseFilter, parsePatchPath } from '../../../../src/protocols/scim/filter/parse.js';
import { printFilter, printPatchPath } from '../../../../src/protocols/scim/filter/print.js';
import { ScimRequestError } from '../../../../src/protocols/scim/scim.errors.js';
import { long } from '../../../support/rounds.js';
import { casesOf } from '../cases.js';
import { refusalOf } from '../failure.js';
import { filterLike, filters } from './arbitraries.js';
import { patience } from '../../../support/speed.js';

const valid = casesOf<{ filter: string; ast: Filter }>(import.meta.url, './cases/valid.json');
const invalid = casesOf<{ filter: string }>(import.meta.url, './cases/invalid.json');

describe('parseFilter', () => {
  it.each(valid)('reads: $note', ({ filter, ast }) => {
    expect(parseFilter(filter)).toEqual(ast);
  });

  it.each(invalid)('refuses: $note', ({ filter }) => {
    expect(refusalOf(() => parseFilter(filter))).toMatchObject({ status: 400, scimType: 'invalidFilter' });
  });

  it('reads the output of printFilter', () => {
    fc.assert(
      fc.property(filters, (ast) => {
        expect(parseFilter(printFilter(ast))).toEqual(ast);
      }),
      { numRuns: 500 },
    );
  });

  long('ends any text in a tree or in invalidFilter', () => {
    fc.assert(
      fc.property(fc.oneof(filterLike, fc.string({ unit: 'binary', maxLength: 200 })), (text) => {
        expect(outcome(() => parseFilter(text))).toMatch(/^(tree|invalidFilter)$/);
        expect(outcome(() => parsePatchPath(text))).toMatch(/^(tree|invalidPath)$/);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('limits (400 invalidFilter)', () => {
  const terms = (count: number): string => Array<string>(count).fill('title pr').join(' or ');
  const nested = (depth: number): string => `${'('.repeat(depth)}title pr${')'.repeat(depth)}`;

  it.each([
    ['50 terms', terms(50), 'tree'],
    ['51 terms', terms(51), 'invalidFilter'],
    ['10 levels', nested(10), 'tree'],
    ['11 levels', nested(11), 'invalidFilter'],
    ['11 levels of not', `${'not ('.repeat(11)}title pr${')'.repeat(11)}`, 'invalidFilter'],
    ['4 KiB', `title eq "${'x'.repeat(4085)}"`, 'tree'],
    ['over 4 KiB', `title eq "${'x'.repeat(4086)}"`, 'invalidFilter'],
    ['4,000 open parentheses', '('.repeat(4000), 'invalidFilter'],
    ['4,000 open brackets', 'a['.repeat(2000), 'invalidFilter'],
    ['4,000 backslashes', `title eq "${'\\'.repeat(4000)}`, 'invalidFilter'],
  ])('%s', (_, text, expected) => {
    expect(outcome(() => parseFilter(text))).toBe(expected);
  });

  it('takes time in proportion to the length', () => {
    const hostile = ['(', ')', ' ', '"', '\\', 'a.', 'a:', '-', '1', 'not(', 'a[b eq "'];
    const started = performance.now();
    for (const piece of hostile) outcome(() => parsePatchPath(piece.repeat(1_000_000 / piece.length)));
    for (const piece of hostile) outcome(() => parseFilter(piece.repeat(4000 / piece.length)));
    // A moment; what grows with the square takes minutes.
    expect(performance.now() - started).toBeLessThan(patience(5_000));
  });
});

describe('parsePatchPath', () => {
  const path = (attr: string, sub: string | null = null, urn: string | null = null): PatchPath['path'] => ({
    urn,
    attr,
    sub,
  });

  it.each<[string, PatchPath]>([
    ['title', { path: path('title'), filter: null, sub: null }],
    [' name.familyName ', { path: path('name', 'familyName'), filter: null, sub: null }],
    ['urn:x:2.0:User:manager.value', { path: path('manager', 'value', 'urn:x:2.0:User'), filter: null, sub: null }],
    ['emails[primary pr]', { path: path('emails'), filter: { kind: 'present', path: path('primary') }, sub: null }],
    [
      'urn:x:2.0:User:emails[type eq "a]b"].value',
      {
        path: path('emails', null, 'urn:x:2.0:User'),
        filter: { kind: 'compare', path: path('type'), op: 'eq', value: 'a]b' },
        sub: 'value',
      },
    ],
  ])('%s', (text, expected) => {
    expect(parsePatchPath(text)).toEqual(expected);
    expect(parsePatchPath(printPatchPath(expected))).toEqual(expected);
  });

  it.each([
    '', ' ', '.', 'a.', '.a', 'a b', 'a[', 'a[]', 'a[b]', 'a[b pr', 'a[b pr]c', 'a[b pr].', 'a[b pr].c.d', 'a.b[c pr]',
    'a[b pr][c pr]', 'title eq "x"', '__proto__', 'a.__proto__', '"a"', 'a,b', 'a/b', `a[b eq "${'x'.repeat(10_240)}"]`,
  ])('refuses %j', (text) => {
    expect(refusalOf(() => parsePatchPath(text))).toMatchObject({ status: 400, scimType: 'invalidPath' });
  }); // prettier-ignore
});

function outcome(act: () => unknown): string {
  try {
    act();
    return 'tree';
  } catch (error) {
    if (!(error instanceof ScimRequestError)) throw error;
    return String(error.scimType);
  }
}
