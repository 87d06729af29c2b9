import { changeMembers, findGroup } from '../checks/groups.js';
import { listHas, statusIs } from '../forms/expect.rules.js';
import { finding, type DoctorFinding } from '../forms/finding.js';
import { declaredIn } from '../forms/schema.rules.js';
import { type Check, userId } from '../peer/check.js';
import type { ScimService } from '../peer/scim-service.js';
import { provisionGroup } from './entra-users.js';

/** The tests of groups, by the names of the validation of Microsoft. */
export const ENTRA_GROUP_TESTS: readonly Check[] = [
  groupTest('POD_Group_Test', 'mandatory', async (service) => {
    const { id, found } = await provisionGroup(service, service.name('on-demand'));
    return [...found, ...(await findGroup(service, service.name('on-demand'), id))];
  }),
  groupTest('Create_Group_Test', 'mandatory', async (service) => {
    const { id, found } = await provisionGroup(service, service.name('created'));
    const read = await service.get(`/Groups/${encodeURIComponent(id)}?excludedAttributes=members`);
    return [...found, ...statusIs(read, 200), ...(await findGroup(service, service.name('created'), id))];
  }),
  groupTest('Update_Group_Test', 'mandatory', async (service) => {
    const { id, found } = await provisionGroup(service, service.name('old'));
    const value = service.name('renamed');
    found.push(
      ...statusIs(
        await service.patch(`/Groups/${encodeURIComponent(id)}`, [{ op: 'Replace', path: 'displayName', value }]),
        200,
        204,
      ),
    );
    return [...found, ...(await findGroup(service, value, id)), ...(await findGroup(service, service.name('old')))];
  }),
  groupTest('Delete_Group_Test', 'optional', async (service) => {
    const { id, found } = await provisionGroup(service, service.name('deleted'));
    return [...found, ...(await deleteGroup(service, id, service.name('deleted')))];
  }),
  groupTest('Restore_Group_Test', 'optional', async (service) => {
    const { id, found } = await provisionGroup(service, service.name('restored'));
    found.push(...(await deleteGroup(service, id, service.name('restored'))));
    const again = await provisionGroup(service, service.name('restored'));
    return [...found, ...again.found, ...(await findGroup(service, service.name('restored'), again.id))];
  }),
  groupTest('Group_Update_Add_Member_Test', 'mandatory', async (service) => {
    const { id, found } = await provisionGroup(service, service.name('joined'));
    const [a, b] = [await userId(service, 'first'), await userId(service, 'second')];
    found.push(
      ...(await changeMembers(service, id, [{ op: 'Add', path: 'members', value: [{ $ref: null, value: a }] }], [a])),
    );
    return [
      ...found,
      ...(await changeMembers(
        service,
        id,
        [{ op: 'Add', path: 'members', value: [{ $ref: null, value: b }] }],
        [a, b],
      )),
    ];
  }),
  groupTest('Group_Update_Remove_Member_Test', 'mandatory', async (service) => {
    const { id, found } = await provisionGroup(service, service.name('left'));
    const [a, b] = [await userId(service, 'first'), await userId(service, 'second')];
    const both = [
      { $ref: null, value: a },
      { $ref: null, value: b },
    ];
    found.push(...(await changeMembers(service, id, [{ op: 'Add', path: 'members', value: both }], [a, b])));
    found.push(
      ...(await changeMembers(
        service,
        id,
        [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: a }] }],
        [b],
      )),
    );
    return [...found, ...(await changeMembers(service, id, [{ op: 'remove', path: `members[value eq "${b}"]` }], []))];
  }),
];

/** A test of groups fails, and is not skipped, where `/Schemas` has no schema of groups. */
function groupTest(
  name: string,
  kind: 'mandatory' | 'optional',
  run: (service: ScimService) => Promise<DoctorFinding[]>,
): Check {
  return {
    name,
    kind,
    async run(service) {
      const hasGroups = declaredIn(await service.get('/Schemas'), 'Group').length > 0;
      if (!hasGroups) return { findings: [finding('schema_missing', 'Group', '/Schemas has no schema of Group.')] };
      return { findings: await run(service) };
    },
  };
}

/** Deletes a group, and looks whether it is gone. */
export async function deleteGroup(service: ScimService, id: string, displayName: string): Promise<DoctorFinding[]> {
  const found = statusIs(await service.delete(`/Groups/${encodeURIComponent(id)}`), 204);
  const after = await service.get(`/Groups/${encodeURIComponent(id)}`);
  if (after.status !== 404)
    found.push(finding('still_there', 'status', `A deleted group is answered ${after.status}.`));
  return [...found, ...listHas(await service.find('Groups', 'displayName', displayName), [])];
}
