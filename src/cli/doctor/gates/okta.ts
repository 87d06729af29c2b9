import { CREDENTIAL_PROBE, refusals, unencrypted } from '../checks/access.js';
import { missingAttributes } from '../checks/discovery.js';
import { changeMembers, findGroup } from '../checks/groups.js';
import { walk } from '../checks/queries.js';
import { duplicate } from '../checks/users.js';
import { readsBack, statusIs, isErrorOf, listHas } from '../forms/expect.rules.js';
import {
  isRecord,
  listedRecords,
  valueAt,
  type Answer,
  type JsonRecord,
  type DoctorFinding,
  finding,
} from '../forms/finding.js';
import { idFrom, type Check, userId, skipped, type Checked, person } from '../peer/check.js';
import { bearerOf, type Method } from '../peer/grants.js';
import type { ScimService } from '../peer/scim-service.js';
import { deleteGroup } from './entra-groups.js';

const SMALL_PAGE = 2;

/** The tests of group push and of the import of groups. */
const OKTA_GROUP_TESTS: readonly Check[] = [
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

const OKTA_PAGE = 100;

export function oktaTests(methods: readonly Method[]): Check[] {
  return [
    { name: 'Connection_Test', kind: 'mandatory', run: (service) => connection(service, methods) },
    { name: 'Schemas_Test', kind: 'mandatory', run: schemas },
    { name: 'Error_Body_Test', kind: 'mandatory', run: async (service) => ({ findings: await errorBodies(service) }) },
    ...USER_TESTS,
    ...OKTA_GROUP_TESTS,
    { name: 'Entitlements_Test', kind: 'optional', run: entitlements },
  ];
}

const USER_TESTS: readonly Check[] = [
  {
    name: 'Create_User_Test',
    kind: 'mandatory',
    async run(service) {
      const sent = person(service, 'first');
      const found = listHas(await findInPages(service, String(sent['userName'])), []);
      // Okta sends a random password where none is pushed.
      const made = await service.createUser({
        ...sent,
        locale: 'en-US',
        groups: [],
        password: `Doctor-${service.run}`,
      });
      found.push(...statusIs(made, 201), ...readsBack(made, sent));
      idFrom(made, found);
      return { findings: [...found, ...(await duplicate(service))] };
    },
  },
  {
    name: 'Find_User_Test',
    kind: 'mandatory',
    async run(service) {
      const id = await userId(service, 'first');
      // A second user: a service that ignores the filter answers with both.
      await userId(service, 'second');
      const userName = String(person(service, 'first')['userName']);
      const found = listHas(await findInPages(service, userName), [id]);
      found.push(...listHas(await findInPages(service, userName.toUpperCase()), [id]));
      const read = await service.get(`/Users/${encodeURIComponent(id)}`);
      return { findings: [...found, ...statusIs(read, 200), ...readsBack(read, person(service, 'first'))] };
    },
  },
  {
    name: 'Update_User_Test',
    kind: 'mandatory',
    run: async (service) => ({ findings: await replaced(service, { title: 'Director', displayName: 'By Okta' }) }),
  },
  { name: 'Deactivate_User_Test', kind: 'mandatory', run: (service) => activity(service, false) },
  { name: 'Reactivate_User_Test', kind: 'mandatory', run: (service) => activity(service, true) },
  {
    name: 'Deactivate_By_Put_Test',
    kind: 'mandatory',
    async run(service) {
      const found = await replaced(service, { active: false });
      return { findings: [...found, ...(await replaced(service, { active: true }))] };
    },
  },
  { name: 'Import_Users_Test', kind: 'mandatory', run: importUsers },
];

async function findInPages(service: ScimService, userName: string): Promise<Answer> {
  return service.find('Users', 'userName', userName, `&startIndex=1&count=${OKTA_PAGE}`);
}

async function connection(service: ScimService, methods: readonly Method[]): Promise<Checked> {
  const found = unencrypted(service.address);
  for (const method of methods) {
    const { bearer, findings } = await bearerOf(service, method);
    found.push(...findings);
    if (bearer !== null) found.push(...statusIs(await service.get(CREDENTIAL_PROBE, { bearer }), 200));
  }
  return {
    findings: [...found, ...(await refusals(service))],
    note: methods.map(({ credential }) => credential.kind).join(', '),
  };
}

async function schemas(service: ScimService): Promise<Checked> {
  const answer = await service.get('/Schemas');
  const group = { displayName: '', members: [{ value: '' }] };
  const found = [...statusIs(answer, 200), ...missingAttributes(answer, 'User', person(service, 'mapped'))];
  return { findings: [...found, ...missingAttributes(answer, 'Group', group)] };
}

/** Every error has a JSON body with a `detail`. */
async function errorBodies(service: ScimService): Promise<DoctorFinding[]> {
  const unknown = await service.get(`/Users/${service.name('unknown')}`);
  const found = isErrorOf(unknown, 404);
  const filter = await service.get(`/Users?filter=${encodeURIComponent('userName is "x"')}`);
  found.push(...isErrorOf(filter, 400));
  const refused = await service.get(CREDENTIAL_PROBE, { bearer: `wrong-${service.run}` });
  for (const answer of [unknown, filter, refused]) {
    if (typeof valueAt(answer.body, 'detail') === 'string') continue;
    found.push(
      finding('error_form', 'detail', `The error ${answer.status} to ${answer.method} ${answer.path} has no detail.`),
    );
  }
  return found;
}

/** Okta sends everything that it has read, with its changes. */
async function replaced(service: ScimService, changes: JsonRecord): Promise<DoctorFinding[]> {
  const path = `/Users/${encodeURIComponent(await userId(service, 'first'))}`;
  const { body } = await service.get(path);
  const put = await service.put(path, { ...(isRecord(body) ? body : {}), ...changes });
  const { meta: _, ...before } = isRecord(body) ? body : {};
  const expected = { ...before, ...changes };
  return [...statusIs(put, 200), ...readsBack(put, expected), ...readsBack(await service.get(path), expected)];
}

async function activity(service: ScimService, active: boolean): Promise<Checked> {
  const id = await userId(service, 'first');
  const answer = await service.patch(`/Users/${encodeURIComponent(id)}`, [{ op: 'replace', value: { active } }]);
  const found = statusIs(answer, 200, 204);
  if (answer.status === 200) found.push(...readsBack(answer, { active }));
  found.push(...readsBack(await service.get(`/Users/${encodeURIComponent(id)}`), { active }));
  return {
    findings: [...found, ...listHas(await findInPages(service, String(person(service, 'first')['userName'])), [id])],
  };
}

/** An import reads every page, and finds deactivated users, too. */
async function importUsers(service: ScimService): Promise<Checked> {
  const ids = [await userId(service, 'first'), await userId(service, 'second'), await userId(service, 'third')];
  const found = statusIs(
    await service.patch(`/Users/${encodeURIComponent(ids[2]!)}`, [{ op: 'replace', value: { active: false } }]),
    200,
    204,
  );
  const { findings, note } = await walk(service, 'Users', OKTA_PAGE, ids);
  found.push(...findings, ...(await walk(service, 'Users', SMALL_PAGE, ids)).findings);
  return { findings: found, note };
}

/** Types that are no entitlements; some services list their documents as types. */
const OTHER_TYPES = ['User', 'Group', 'Me', 'ServiceProviderConfig', 'ResourceType', 'Schema'];

/** Entitlements are resource types of their own, such as `/Roles`. */
async function entitlements(service: ScimService): Promise<Checked> {
  const paths = listedRecords(await service.get('/ResourceTypes')).flatMap((type) => ownPath(service, type) ?? []);
  if (paths.length === 0)
    return skipped('/ResourceTypes has no type for entitlements, such as Role: Okta asks for none');
  const found: DoctorFinding[] = [];
  for (const path of paths) found.push(...statusIs(await service.get(`${path}?startIndex=1&count=${OKTA_PAGE}`), 200));
  return { findings: found, note: paths.join(', ') };
}

/** The path of a type of entitlements; its endpoint may be a whole address. */
function ownPath({ address }: ScimService, { name, endpoint }: JsonRecord): string | null {
  if (typeof endpoint !== 'string' || endpoint === '' || OTHER_TYPES.includes(String(name))) return null;
  const base = address.pathname.replace(/\/$/, '');
  const path = URL.canParse(endpoint) ? new URL(endpoint).pathname : `/${endpoint.replace(/^\//, '')}`;
  return base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}
