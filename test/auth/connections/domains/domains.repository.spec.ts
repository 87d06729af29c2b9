import { waysOf, untestedLeft, type SignInWay } from '../../../../src/auth/connections/domains/domains.repository.js';

const door = (id: string, tested: boolean): SignInWay => ({ id, name: id, tested });
const [works, works2, unknown, unknown2] = [door('a', true), door('b', true), door('c', false), door('d', false)];

it.each<[string, SignInWay[], SignInWay[], string | null]>([
  ['refuses when the one that works goes', [works, unknown], [unknown], 'c'],
  ['refuses when several are left and none is tested', [works, unknown, unknown2], [unknown, unknown2], 'c'],
  ['allows it when a tested one is left', [works, works2, unknown], [works2, unknown], null],
  ['allows it when an untested one goes', [works, unknown], [works], null],
  ['allows it when none was tested before', [unknown, unknown2], [unknown2], null],
  ['allows it when none is left at all', [works], [], null],
  ['allows the first one', [], [unknown], null],
])('%s', (_, before, after, expected) => expect(untestedLeft(before, after)?.id ?? null).toBe(expected));

it('takes the bound connection alone, else all', () => {
  expect(waysOf([works, unknown], 'c')).toEqual([unknown]);
  expect(waysOf([works, unknown], null)).toEqual([works, unknown]);
});
