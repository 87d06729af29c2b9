import fc from '../../../support/properties.js';
import { dialectOf, type Profile } from '../../../../src/protocols/scim/dialects/dialects.js';
import { matches } from '../../../../src/protocols/scim/filter/matches.js';
import { printFilter } from '../../../../src/protocols/scim/filter/print.js';
import { applyPatch, type PatchOperation } from '../../../../src/protocols/scim/patch/apply.js';
import { planGroupPatch, type Member, type MemberEdit } from '../../../../src/protocols/scim/patch/group-plan.js';
import { GROUP_TYPE } from '../../../../src/protocols/scim/schema/resource-types.js';
import { long } from '../../../support/rounds.js';
import { casesOf, frozen } from '../cases.js';
import { refusalOf } from '../failure.js';

interface Case {
  readonly profile?: Profile;
  readonly operations: PatchOperation[];
  readonly attributes?: PatchOperation[];
  readonly edits?: unknown[];
  readonly error?: string;
}

const tolerant = dialectOf('tolerant');

describe('planGroupPatch', () => {
  it.each(casesOf<Case>(import.meta.url, './cases/group-plan.json'))('$note', (each) => {
    const dialect = dialectOf(each.profile ?? 'tolerant');
    const act = (): unknown => planGroupPatch(frozen(each.operations), dialect);
    if (each.error !== undefined) {
      expect(refusalOf(act)).toMatchObject({ status: 400, scimType: each.error });
      return;
    }
    const plan = planGroupPatch(frozen(each.operations), dialect);
    expect(plan.memberEdits.map(readable)).toEqual(each.edits);
    expect(plan.attributeOperations).toEqual(each.attributes ?? []);
  });

  it('leaves pathless refusals and __proto__ to applyPatch', () => {
    const value = JSON.parse('{"__proto__":{"x":1},"members":[{"value":"a"}]}') as unknown;
    const plan = planGroupPatch([{ op: 'add', value }], tolerant);
    const act = (): unknown => applyPatch(GROUP_TYPE, { displayName: 'D' }, plan.attributeOperations, tolerant);
    expect(refusalOf(act)).toMatchObject({ scimType: 'invalidSyntax' });
    const remove = planGroupPatch([{ op: 'remove', value: { members: [] } }], tolerant);
    expect(refusalOf(() => applyPatch(GROUP_TYPE, {}, remove.attributeOperations, tolerant)).scimType).toBe('noTarget');
  });

  it('makes two edits of a thousand operations', () => {
    const operations = Array.from({ length: 1000 }, (_, i): PatchOperation =>
      i % 2 === 0
        ? { op: 'add', path: 'members', value: [{ value: `a${i}` }] }
        : { op: 'remove', path: `members[value eq "r${i}"]` },
    );
    const { memberEdits } = planGroupPatch(operations, tolerant);
    expect(memberEdits.map((edit) => edit.kind)).toEqual(['remove', 'add']);
  });

  long('leads to the members that applyPatch would leave', () => {
    const ids = fc.constantFrom('a', 'b', 'c', 'd');
    const list = fc.array(
      ids.map((value) => ({ value })),
      { maxLength: 3 },
    );
    const operations = fc.oneof(
      fc.record({ op: fc.constantFrom('add' as const, 'replace' as const), path: fc.constant('members'), value: list }),
      fc.record({ op: fc.constant('remove' as const), path: ids.map((id) => `members[value eq "${id}"]`) }),
      fc.record({ op: fc.constant('remove' as const), path: ids.map((id) => `members[value gt "${id}"]`) }),
      fc.constant<PatchOperation>({ op: 'remove', path: 'members' }),
      fc.record({ op: fc.constant('remove' as const), path: fc.constant('members'), value: list }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(ids), fc.array(operations, { maxLength: 8 }), (before, patch: PatchOperation[]) => {
        const members = before.map((value) => ({ value }));
        const group = { displayName: 'D', ...(members.length === 0 ? {} : { members }) };
        const { resource } = applyPatch(GROUP_TYPE, group, patch, tolerant);
        const expected = ((resource['members'] ?? []) as Member[]).map((member) => member.value).sort();
        expect([...carriedOut(before, planGroupPatch(patch, tolerant).memberEdits)].sort()).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

function readable(edit: MemberEdit): unknown {
  return edit.kind === 'removeWhere' ? { kind: edit.kind, filter: printFilter(edit.filter) } : edit;
}

function carriedOut(before: readonly string[], edits: readonly MemberEdit[]): Set<string> {
  const ids = new Set(before);
  for (const edit of edits) {
    if (edit.kind === 'replace' || edit.kind === 'removeAll') ids.clear();
    if (edit.kind === 'replace' || edit.kind === 'add') for (const { value } of edit.members) ids.add(value);
    if (edit.kind === 'remove') for (const value of edit.values) ids.delete(value);
    if (edit.kind === 'removeWhere')
      for (const value of [...ids]) if (matches(edit.bound, { value })) ids.delete(value);
  }
  return ids;
}
