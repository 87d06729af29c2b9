import { ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import { type JsonRecord } from '../forms/answer.js';
import { listHas, readsBack, statusIs } from '../forms/expect.rules.js';
import { declaredIn } from '../forms/schema.rules.js';
import { deactivate, gone } from '../checks/leavers.js';
import { manager } from '../checks/patches.js';
import { duplicate } from '../checks/users.js';
import { skipped, type Check, type Checked } from '../peer/check.js';
import { person, userId } from '../peer/people.js';
import type { ScimService } from '../peer/scim-service.js';
import { provisionUser, userIs } from './entra-cycle.js';

/** The tests of users, by the names of the validation of Microsoft. */
export const ENTRA_USER_TESTS: readonly Check[] = [
  {
    name: 'Create_User_Test',
    kind: 'mandatory',
    async run(service) {
      const sent = person(service, 'first');
      const { id, found } = await provisionUser(service, sent);
      found.push(...(await userIs(service, id, sent)), ...(await duplicate(service)));
      return { findings: found };
    },
  },
  {
    name: 'Update_User_Test',
    kind: 'mandatory',
    async run(service) {
      await userId(service, 'first');
      const changed = changedPerson(service, 'first');
      const { id, found } = await provisionUser(service, changed);
      return { findings: [...found, ...(await userIs(service, id, changed))] };
    },
  },
  {
    name: 'Disable_User_Test',
    kind: 'mandatory',
    run: async (service) => ({ findings: await deactivate(service, await userId(service, 'second'), 'second') }),
  },
  {
    name: 'Delete_User_Test',
    kind: 'optional',
    async run(service) {
      const id = await userId(service, 'leaver');
      const found = statusIs(await service.delete(`/Users/${encodeURIComponent(id)}`), 204);
      return { findings: [...found, ...(await gone(service, id, 'leaver'))] };
    },
  },
  { name: 'User_Update_Manager_Test', kind: 'mandatory', run: managerTest },
  { name: 'SCIM_Update_Manager_Test', kind: 'mandatory', run: directManagerTest },
  {
    name: 'Restore_User_Test',
    kind: 'mandatory',
    async run(service) {
      const sent = person(service, 'restored');
      const found = await deactivate(service, await userId(service, 'restored'), 'restored');
      const again = await provisionUser(service, sent);
      return { findings: [...found, ...again.found, ...(await userIs(service, again.id, sent))] };
    },
  },
  {
    name: 'POD_User_Test',
    kind: 'mandatory',
    async run(service) {
      const sent = person(service, 'on-demand');
      const { id, found } = await provisionUser(service, sent);
      found.push(...listHas(await service.find('Users', 'userName', String(sent['userName'])), [id]));
      return { findings: found };
    },
  },
];

function changedPerson(service: ScimService, label: string): JsonRecord {
  const before = person(service, label);
  return {
    ...before,
    displayName: 'Zoë Changed',
    title: 'Director',
    name: { givenName: 'Zoë', familyName: 'Changed', formatted: 'Zoë Changed' },
    emails: [{ type: 'work', value: 'Changed.Work@doctor.example', primary: true }],
    [ENTERPRISE_URN]: { employeeNumber: '00703', department: 'Sales' },
  };
}

async function hasManager(service: ScimService): Promise<boolean> {
  return declaredIn(await service.get('/Schemas'), 'User').some(({ names }) => names[0] === 'manager');
}

async function managerTest(service: ScimService): Promise<Checked> {
  if (!(await hasManager(service))) return skipped('/Schemas has no manager');
  return { findings: await manager(service, `/Users/${encodeURIComponent(await userId(service, 'second'))}`) };
}

/** The same by requests as the RFC has them: an object, and the removal of the attribute. */
async function directManagerTest(service: ScimService): Promise<Checked> {
  if (!(await hasManager(service))) return skipped('/Schemas has no manager');
  const path = `/Users/${encodeURIComponent(await userId(service, 'second'))}`;
  const id = await userId(service, 'first');
  const field = `${ENTERPRISE_URN}:manager`;
  const found = statusIs(await service.patch(path, [{ op: 'replace', path: field, value: { value: id } }]), 200, 204);
  found.push(...readsBack(await service.get(path), { [ENTERPRISE_URN]: { manager: { value: id } } }));
  found.push(...statusIs(await service.patch(path, [{ op: 'remove', path: field }]), 200, 204));
  found.push(...readsBack(await service.get(path), { [ENTERPRISE_URN]: { manager: { value: null } } }));
  return { findings: found };
}
