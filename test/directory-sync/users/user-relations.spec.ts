import { groupNamer, partsOf } from '../../../src/directory-sync/users/user-relations.js';

describe('a line of a group', () => {
  it.each([
    ['grp_1 dir_1 "Sales"', { id: 'grp_1', directory: 'dir_1', name: '"Sales"' }],
    ['grp_1 dir_1 "two words\\n"', { id: 'grp_1', directory: 'dir_1', name: '"two words\\n"' }],
    ['grp_1 dir_1 ""', { id: 'grp_1', directory: 'dir_1', name: '""' }],
  ])('%s', (line, parts) => {
    expect(partsOf(line)).toEqual(parts);
  });
});

describe('the groups of the users of a page', () => {
  const lines = 'grp_1 dir_1 "One"\ngrp_2 dir_1 "Two"';

  it.each([
    ['grp_1 grp_2', 'grp_1 dir_1 "One"\ngrp_2 dir_1 "Two"'],
    ['grp_2', 'grp_2 dir_1 "Two"'],
    // The page has the names of the groups that the directory sees.
    ['grp_2 grp_other', 'grp_2 dir_1 "Two"'],
    ['grp_other', null],
    ['', null],
    [null, null],
  ])('%j', (ids, expected) => {
    expect(groupNamer(lines)(ids)).toBe(expected);
  });

  it('are none when the page has no users', () => {
    expect(groupNamer(null)('grp_1')).toBeNull();
  });
});
