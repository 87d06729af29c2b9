import { ENTERPRISE_URN, GROUP_URN } from '../../../protocols/scim/urns.js';
import { manager } from '../checks/patches.js';
import { deactivate, gone, duplicate } from '../checks/users.js';
import { listHas, readsBack, statusIs } from '../forms/expect.rules.js';
import {
  recordId,
  isRecord,
  listedRecords,
  valueAt,
  type JsonRecord,
  finding,
  type DoctorFinding,
} from '../forms/finding.js';
import { declaredIn } from '../forms/schema.rules.js';
import { CannotContinue, idFrom, skipped, type Check, type Checked, person, userId } from '../peer/check.js';
import type { ScimService } from '../peer/scim-service.js';

/** What Entra ID has done about a record: its id, and what was not right. */
interface Provisioned {
  id: string;
  found: DoctorFinding[];
}

/**
 * Provisions a user as a cycle of Entra ID does: looks the user up by `userName`, and creates or updates the one that is there.
 *
 * @param person the mapped attributes
 * @throws {CannotContinue} when there is no such user afterwards
 */
async function provisionUser(service: ScimService, person: JsonRecord): Promise<Provisioned> {
  const userName = String(person['userName']);
  const hits = await service.find('Users', 'userName', userName);
  const found = statusIs(hits, 200);
  const [hit] = listedRecords(hits);
  if (hit === undefined) {
    const made = await service.createUser(person);
    found.push(...statusIs(made, 201), ...readsBack(made, person));
    return { id: idFrom(made, found), found };
  }
  // A service that ignores the filter answers with the user of another person.
  if (String(hit['userName']).toLowerCase() !== userName.toLowerCase()) {
    throw new CannotContinue([
      finding('filter_result', 'userName', `The list of userName eq "${userName}" has another user.`),
    ]);
  }
  const id = String(hit['id']);
  const before = await service.get(`/Users/${encodeURIComponent(id)}`);
  const operations = changesOf(isRecord(before.body) ? before.body : {}, person);
  if (operations.length > 0)
    found.push(...statusIs(await service.patch(`/Users/${encodeURIComponent(id)}`, operations), 200, 204));
  return { id, found };
}

/** Provisions a group: Entra ID creates it without members, and adds them afterwards. */
export async function provisionGroup(service: ScimService, displayName: string): Promise<Provisioned> {
  const hits = await service.find('Groups', 'displayName', displayName, '&excludedAttributes=members');
  const found = listHas(hits, []);
  const made = await service.createGroup({ schemas: [GROUP_URN], displayName, externalId: `Ext-${displayName}` });
  found.push(...statusIs(made, 201), ...readsBack(made, { displayName }));
  return { id: idFrom(made, found), found };
}

/** Returns findings unless the user is found by name, in any case of its letters, and has all attributes. */
async function userIs(service: ScimService, id: string, person: JsonRecord): Promise<DoctorFinding[]> {
  const userName = String(person['userName']);
  const hits = await service.find('Users', 'userName', userName);
  const found = [
    ...listHas(hits, [id]),
    ...listHas(await service.find('Users', 'userName', userName.toUpperCase()), [id]),
  ];
  if (found.length === 0) found.push(...readsBack(hits, person, listedRecords(hits)[0]));
  const read = await service.get(`/Users/${encodeURIComponent(id)}`);
  found.push(...statusIs(read, 200), ...readsBack(read, person));
  if (read.status === 200 && recordId(read) !== id)
    found.push(finding('resource_form', 'id', `GET /Users/${id} answers with another id.`));
  return found;
}

/** Returns an operation for each mapped attribute that differs, with the paths and capitals of Entra ID. */
function changesOf(before: JsonRecord, person: JsonRecord): JsonRecord[] {
  const mapped: [path: string, before: unknown, value: unknown][] = [
    ...[
      'displayName',
      'title',
      'externalId',
      'preferredLanguage',
      'name.givenName',
      'name.familyName',
      'name.formatted',
      'active',
    ].map((path): [string, unknown, unknown] => [path, valueAt(before, path), valueAt(person, path)]),
    ['emails[type eq "work"].value', valueAt(before, 'emails.0.value'), valueAt(person, 'emails.0.value')],
    ...['employeeNumber', 'department'].map((name): [string, unknown, unknown] => [
      `${ENTERPRISE_URN}:${name}`,
      valueAt(before, [ENTERPRISE_URN, name]),
      valueAt(person, [ENTERPRISE_URN, name]),
    ]),
  ];
  return mapped
    .filter(([, old, value]) => value !== undefined && old !== value)
    .map(([path, , value]) => ({
      op: 'Replace',
      path,
      value: typeof value === 'boolean' ? (value ? 'True' : 'False') : value,
    }));
}

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
