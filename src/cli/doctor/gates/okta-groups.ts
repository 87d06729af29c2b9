import { changeMembers, findGroup } from '../checks/groups.js';
import { walk } from '../checks/queries.js';
import { readsBack, statusIs } from '../forms/expect.rules.js';
import type { DoctorFinding } from '../forms/finding.js';
import { idFrom, type Check } from '../peer/check.js';
import { userId } from '../peer/people.js';
import type { ScimService } from '../peer/scim-service.js';
import { deleteGroup } from './entra-groups.js';

const SMALL_PAGE = 2;

/** The tests of group push and of the import of groups. */
export const OKTA_GROUP_TESTS: readonly Check[] = [
  {
    name: 'Group_Push_Create_Test',
    kind: 'mandatory',
    run: async (service) => ({ findings: (await pushed(service, 'pushed')).found }),
  },
  {
    name: 'Group_Push_Rename_Test',
    kind: 'mandatory',
    async run(service) {
      const { id, found } = await pushed(service, 'named');
      const displayName = service.name('named-again');
      found.push(
        ...statusIs(
          await service.patch(`/Groups/${encodeURIComponent(id)}`, [{ op: 'replace', value: { id, displayName } }]),
          200,
          204,
        ),
      );
      return {
        findings: [
          ...found,
          ...(await findGroup(service, displayName, id)),
          ...(await findGroup(service, service.name('named'))),
        ],
      };
    },
  },
  {
    name: 'Group_Push_Members_Test',
    kind: 'mandatory',
    run: async (service) => ({ findings: await pushMembers(service) }),
  },
  {
    name: 'Group_Push_Delete_Test',
    kind: 'mandatory',
    async run(service) {
      const { id, found } = await pushed(service, 'unlinked');
      return { findings: [...found, ...(await deleteGroup(service, id, service.name('unlinked')))] };
    },
  },
  {
    name: 'Import_Groups_Test',
    kind: 'mandatory',
    async run(service) {
      const { id, found } = await pushed(service, 'imported');
      const { findings, note } = await walk(service, 'Groups', SMALL_PAGE, [id]);
      return { findings: [...found, ...findings], note };
    },
  },
];

async function pushed(service: ScimService, label: string): Promise<{ id: string; found: DoctorFinding[] }> {
  const displayName = service.name(label);
  const made = await service.createGroup({ displayName, members: [] });
  const found = [...statusIs(made, 201), ...readsBack(made, { displayName })];
  const id = idFrom(made, found);
  return { id, found: [...found, ...(await findGroup(service, displayName, id))] };
}

async function pushMembers(service: ScimService): Promise<DoctorFinding[]> {
  const [a, b] = [await userId(service, 'first'), await userId(service, 'second')];
  const { id, found } = await pushed(service, 'members');
  const value = (...ids: string[]) => ids.map((one) => ({ value: one, display: one }));
  const cases: [operations: unknown[], after: string[]][] = [
    [[{ op: 'add', path: 'members', value: value(a) }], [a]],
    [
      [
        { op: 'remove', path: `members[value eq "${a}"]` },
        { op: 'add', path: 'members', value: value(b) },
      ],
      [b],
    ],
    [[{ op: 'replace', path: 'members', value: value(a, b) }], [a, b]],
    [[{ op: 'replace', value: { members: value(b) } }], [b]],
    // "Push now" of an empty group.
    [[{ op: 'replace', path: 'members', value: [] }], []],
  ];
  for (const [operations, after] of cases) found.push(...(await changeMembers(service, id, operations, after)));
  return found;
}
