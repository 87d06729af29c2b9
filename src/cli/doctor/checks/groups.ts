import { GROUP_URN } from '../../../protocols/scim/urns.js';
import { listHas, readsBack, statusIs } from '../forms/expect.rules.js';
import { listedRecords, valueAt, type Answer, finding, inJson, type DoctorFinding } from '../forms/finding.js';
import { declaredIn } from '../forms/schema.rules.js';
import { idFrom, type Check, userId } from '../peer/check.js';
import type { ScimService } from '../peer/scim-service.js';

/** Checks of groups and their members. */
export const GROUP_CHECKS: readonly Check[] = [
  { name: 'groups', run: async (service) => ({ findings: await groups(service) }) },
  { name: 'members', run: async (service) => ({ findings: await members(service) }) },
];

async function groups(service: ScimService): Promise<DoctorFinding[]> {
  const displayName = service.name('group');
  const sent = { displayName, externalId: `Ext-${displayName}` };
  const made = await service.createGroup(sent);
  const found = [...statusIs(made, 201), ...readsBack(made, sent)];
  const id = idFrom(made, found);
  const path = `/Groups/${encodeURIComponent(id)}`;
  found.push(...readsBack(await service.get(path), sent));
  found.push(...(await findGroup(service, displayName, id)));
  const renamed = service.name('group-renamed');
  found.push(
    ...statusIs(await service.patch(path, [{ op: 'Replace', path: 'displayName', value: renamed }]), 200, 204),
  );
  found.push(...(await findGroup(service, renamed, id)));
  // Okta sends the id beside the name.
  found.push(...statusIs(await service.patch(path, [{ op: 'replace', value: { id, displayName } }]), 200, 204));
  return [...found, ...(await findGroup(service, displayName, id)), ...(await findGroup(service, renamed))];
}

/** Looks a group up as Entra does: by its name, without its members. */
export async function findGroup(service: ScimService, displayName: string, id?: string): Promise<DoctorFinding[]> {
  const answer = await service.find('Groups', 'displayName', displayName, '&excludedAttributes=members');
  const found = listHas(answer, id === undefined ? [] : [id]);
  if (id === undefined || found.length > 0) return found;
  const record = listedRecords(answer)[0]!;
  const shownMembers =
    'members' in record
      ? [finding('member_wrong', 'members', 'With excludedAttributes=members a group has members.')]
      : [];
  return [...readsBack(answer, { displayName }, record), ...shownMembers];
}

async function members(service: ScimService): Promise<DoctorFinding[]> {
  const ids: string[] = [];
  for (const label of ['first', 'second', 'third']) ids.push(await userId(service, label));
  const [a, b, c] = ids as [string, string, string];
  const made = await service.createGroup({ displayName: service.name('members'), members: [] });
  const found = statusIs(made, 201);
  const id = idFrom(made, found);
  const value = (...all: string[]) => all.map((one) => ({ value: one }));
  const cases: [operations: unknown[], after: string[]][] = [
    // Entra: several in one request, and removal by a list of values.
    [
      [
        {
          op: 'Add',
          path: 'members',
          value: [
            { $ref: null, value: a },
            { $ref: null, value: b },
          ],
        },
      ],
      [a, b],
    ],
    [[{ op: 'Add', path: 'members', value: value(a) }], [a, b]],
    [[{ op: 'Remove', path: 'members', value: [{ $ref: null, value: a }] }], [b]],
    [[{ op: 'remove', path: `members[value eq "${b}"]` }], []],
    // Okta: a removal and an addition at once, and the whole list.
    [[{ op: 'add', path: 'members', value: [{ value: a, display: 'A' }] }], [a]],
    [
      [
        { op: 'remove', path: `members[value eq "${a}"]` },
        { op: 'add', path: 'members', value: value(c) },
      ],
      [c],
    ],
    [[{ op: 'replace', path: 'members', value: value(a, b, c) }], [a, b, c]],
    [[{ op: 'replace', path: 'members', value: [] }], []],
  ];
  for (const [operations, after] of cases) found.push(...(await changeMembers(service, id, operations, after)));
  const put = await service.put(`/Groups/${encodeURIComponent(id)}`, {
    schemas: [GROUP_URN],
    displayName: service.name('members'),
    members: value(b),
  });
  found.push(...statusIs(put, 200), ...membersAre(await service.get(`/Groups/${encodeURIComponent(id)}`), [b]));
  found.push(...(await groupsOfUser(service, b, id)));
  return found;
}

/** Changes the members of a group, and reads them back. */
export async function changeMembers(
  service: ScimService,
  id: string,
  operations: readonly unknown[],
  after: readonly string[],
): Promise<DoctorFinding[]> {
  const answer = await service.patch(`/Groups/${encodeURIComponent(id)}`, operations);
  const found = statusIs(answer, 200, 204);
  // RFC 7644 §3.5.2: 200 has the group.
  if (answer.status === 200) found.push(...membersAre(answer, after));
  return [...found, ...membersAre(await service.get(`/Groups/${encodeURIComponent(id)}`), after)];
}

/** Returns a finding unless a group has exactly these members. */
function membersAre(answer: Answer, expected: readonly string[]): DoctorFinding[] {
  const found = statusIs(answer, 200);
  if (found.length > 0) return found;
  const list = valueAt(answer.body, 'members') ?? [];
  const actual = (Array.isArray(list) ? list : []).map((member) => String(valueAt(member, 'value')));
  const isSame = actual.length === expected.length && expected.every((id) => actual.includes(id));
  return isSame
    ? []
    : [
        finding(
          'member_wrong',
          'members',
          `The group has the members ${inJson(actual)}; expected: ${inJson(expected)}.`,
        ),
      ];
}

/** A user shows its groups where `/Schemas` declares them (RFC 7643 §4.1.2), and a filter finds the group by its member. */
async function groupsOfUser(service: ScimService, userIdentifier: string, groupId: string): Promise<DoctorFinding[]> {
  const isDeclared = declaredIn(await service.get('/Schemas'), 'User').some(({ names }) => names[0] === 'groups');
  const { body } = await service.get(`/Users/${encodeURIComponent(userIdentifier)}`);
  const groupsOf = valueAt(body, 'groups');
  const ids = (Array.isArray(groupsOf) ? groupsOf : []).map((group) => valueAt(group, 'value'));
  const found =
    ids.includes(groupId) || !isDeclared
      ? []
      : [finding('member_wrong', 'groups', `A member of a group has ${inJson(groupsOf)} as groups.`)];
  const filter = encodeURIComponent(`id eq "${groupId}" and members eq "${userIdentifier}"`);
  return [...found, ...listHas(await service.get(`/Groups?filter=${filter}&attributes=id`), [groupId])];
}
