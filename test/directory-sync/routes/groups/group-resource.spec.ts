import { areMany, memberPieces, memberText } from '../../../../src/directory-sync/routes/groups/group-resource.js';
import { memberPartsOf } from '../../../../src/directory-sync/users/groups/memberships.sql.js';

const BASE = 'https://bridge.example/scim/v2';
const ALL = memberPartsOf(null);
const LINES = ['usr_1', '*grp_2', 'usr_3 "Ann \\"A\\" Lee"', '*grp_4 "Sales, EMEA"'].join('\n');
const MEMBERS = [
  { value: 'usr_1', type: 'User', $ref: `${BASE}/Users/usr_1` },
  { value: 'grp_2', type: 'Group', $ref: `${BASE}/Groups/grp_2` },
  { value: 'usr_3', type: 'User', display: 'Ann "A" Lee', $ref: `${BASE}/Users/usr_3` },
  { value: 'grp_4', type: 'Group', display: 'Sales, EMEA', $ref: `${BASE}/Groups/grp_4` },
];

function read(text: string): unknown {
  return JSON.parse(`[${text}]`);
}

describe('members', () => {
  it('have their id, type, display name and address', () => {
    expect(read(memberText(LINES, BASE, ALL))).toEqual(MEMBERS);
  });

  it.each([
    [['value'], MEMBERS.map(({ value }) => ({ value }))],
    [['type', '$ref'], MEMBERS.map(({ type, $ref }) => ({ type, $ref }))],
    // A member that has none of the parts is left out.
    [['display'], [{ display: 'Ann "A" Lee' }, { display: 'Sales, EMEA' }]],
    [[], []],
  ] as const)('have the parts %j alone when a projection asks for them', (parts, expected) => {
    expect(read(memberText(LINES, BASE, parts))).toEqual(expected);
  });

  it('have the same text in pieces, between which other work runs', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `usr_${i}${i % 7 === 0 ? ' "Zoë"' : ''}`).join('\n');
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const pieces = await memberPieces(lines, BASE, ALL);
    clearInterval(timer);
    expect(areMany(lines)).toBe(true);
    expect(pieces.length).toBeGreaterThan(2);
    expect(turns).toBeGreaterThan(0);
    expect(Buffer.concat(pieces).toString()).toBe(memberText(lines, BASE, ALL));
  });
});
