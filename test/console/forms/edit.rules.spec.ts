import {
  changedIn,
  clashesOf,
  isSame,
  keptMine,
  rebased,
  sidesOf,
  takenTheirs,
} from '../../../web/parts/edit.rules.js';

interface Fields {
  name: string;
  limit?: number | undefined;
  guard: object | 'off';
}

const base: Fields = { name: 'Okta', guard: { percent: 20, people: 200 } };
const draft: Fields = { ...base, name: 'Mine' };

describe('a form over an object that others change too', () => {
  it.each([
    [1, 1, true],
    [1, '1', false],
    [null, {}, false],
    [[1, 2], [1, 2], true],
    [[1, 2], [2, 1], false],
    [{ a: 1, b: { c: [] } }, { b: { c: [] }, a: 1 }, true],
    [{ a: undefined }, { b: undefined }, false],
    [[], {}, false],
  ])('compares %j and %j', (one, other, expected) => expect(isSame(one, other)).toBe(expected));

  it('names the fields that were changed in it, also those that were added and removed', () => {
    expect(changedIn({ base, draft })).toEqual(['name']);
    expect(changedIn({ base: { a: 1, b: 2 }, draft: { b: 2, c: 3 } as never })).toEqual(['a', 'c']);
  });

  it('clashes in a field that both sides have changed to different values, and in no other one', () => {
    expect(clashesOf({ base, draft }, { ...base, name: 'Theirs' })).toEqual([
      { field: 'name', mine: 'Mine', theirs: 'Theirs' },
    ]);
    expect(clashesOf({ base, draft }, { ...base, name: 'Mine' })).toEqual([]);
    expect(clashesOf({ base, draft }, { ...base, guard: 'off' })).toEqual([]);
    expect(clashesOf({ base, draft: base }, { ...base, name: 'Theirs' })).toEqual([]);
  });

  it('follows the server in fields that were not changed in it', () => {
    const now: Fields = { name: 'Theirs', guard: 'off', limit: 3 };
    expect(rebased({ base, draft }, now)).toEqual({
      base: { name: 'Okta', guard: 'off', limit: 3 },
      draft: { name: 'Mine', guard: 'off', limit: 3 },
    });
    expect(rebased({ base, draft }, { ...base, name: 'Mine' })).toEqual({
      base: { ...base, name: 'Mine' },
      draft: { ...base, name: 'Mine' },
    });
  });

  it('keeps what was removed in it, and loses what was removed on the server', () => {
    const { draft: seen } = rebased<Record<string, number>>(
      { base: { kept: 1, mine: 1, theirs: 1 }, draft: { kept: 1, theirs: 1 } },
      { kept: 1, mine: 1 },
    );
    expect(seen).toEqual({ kept: 1 });
  });

  it('shows both values of a field of a refused write', () => {
    expect(sidesOf(['name'], draft, base)).toEqual([{ field: 'name', mine: 'Mine', theirs: 'Okta' }]);
    expect(sidesOf(['name'], draft, draft)).toEqual([]);
  });

  it('writes over the other side when its own is kept', () => {
    const now: Fields = { name: 'Theirs', guard: 'off' };
    const kept = keptMine({ base, draft }, now);
    expect(kept).toEqual({ base: now, draft: { name: 'Mine', guard: 'off' } });
    expect(clashesOf(kept, now)).toEqual([]);
    expect(changedIn(kept)).toEqual(['name']);
  });

  it('keeps other changes when the other side of one field is taken', () => {
    const form = { base, draft: { ...draft, guard: 'off' as const } };
    const now: Fields = { ...base, name: 'Theirs' };
    const taken = takenTheirs(form, now, ['name']);
    expect(taken.draft).toEqual({ name: 'Theirs', guard: 'off' });
    expect(changedIn(taken)).toEqual(['guard']);
  });
});
