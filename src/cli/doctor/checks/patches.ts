import { ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import { readsBack, statusIs } from '../forms/expect.rules.js';
import { isRecord, type JsonRecord, type DoctorFinding } from '../forms/finding.js';
import { CannotContinue, type Check, userId } from '../peer/check.js';
import type { ScimService } from '../peer/scim-service.js';

/** The operations of one PATCH, and what it makes of the attributes that it names. */
interface PatchCase {
  operations: readonly unknown[];
  changed: (before: JsonRecord) => JsonRecord;
}

const part = (record: JsonRecord, name: string) => record[name] as JsonRecord;
const list = (record: JsonRecord, name: string) => (record[name] ?? []) as JsonRecord[];
const name = (changes: JsonRecord) => (before: JsonRecord) => ({ name: { ...part(before, 'name'), ...changes } });
const becomes = (changes: JsonRecord) => () => changes;

/** The forms of Entra ID: capitalised operations, booleans as texts, paths as keys, empty values. */
const OF_ENTRA: readonly PatchCase[] = [
  {
    operations: [{ op: 'Replace', path: 'displayName', value: 'By Entra' }],
    changed: becomes({ displayName: 'By Entra' }),
  },
  {
    operations: [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'Entra.New@doctor.example' },
      { op: 'Add', path: 'name.middleName', value: 'M' },
    ],
    changed: (before) => ({
      emails: [{ ...list(before, 'emails')[0], value: 'Entra.New@doctor.example' }],
      ...name({ middleName: 'M' })(before),
    }),
  },
  {
    operations: [{ op: 'replace', value: { 'name.familyName': 'Flagged', [`${ENTERPRISE_URN}:department`]: 'Sales' } }],
    changed: (before) => ({
      ...name({ familyName: 'Flagged' })(before),
      [ENTERPRISE_URN]: { ...part(before, ENTERPRISE_URN), department: 'Sales' },
    }),
  },
  {
    operations: [{ op: 'Add', path: 'phoneNumbers[type eq "fax"].value', value: '+49 30 5550199' }],
    changed: (before) => ({
      phoneNumbers: [...list(before, 'phoneNumbers'), { type: 'fax', value: '+49 30 5550199' }],
    }),
  },
  { operations: [{ op: 'Replace', path: 'active', value: 'False' }], changed: becomes({ active: false }) },
  { operations: [{ op: 'Replace', path: 'active', value: 'True' }], changed: becomes({ active: true }) },
  { operations: [{ op: 'Replace', path: 'title', value: '' }], changed: becomes({ title: null }) },
  { operations: [{ op: 'Remove', path: 'name.middleName' }], changed: name({ middleName: null }) },
];

/** The forms of Okta: a value without a path. */
const OF_OKTA: readonly PatchCase[] = [
  { operations: [{ op: 'replace', value: { active: false } }], changed: becomes({ active: false }) },
  { operations: [{ op: 'replace', value: { active: true } }], changed: becomes({ active: true }) },
  {
    operations: [{ op: 'replace', value: { displayName: 'By Okta', locale: 'de-DE' } }],
    changed: becomes({ displayName: 'By Okta', locale: 'de-DE' }),
  },
];

/** Checks of PATCH requests of users. */
export const PATCH_CHECKS: readonly Check[] = [
  {
    name: 'patch_entra',
    async run(service) {
      const path = `/Users/${encodeURIComponent(await userId(service, 'second'))}`;
      return { findings: [...(await applied(service, path, OF_ENTRA)), ...(await manager(service, path))] };
    },
  },
  {
    name: 'patch_okta',
    async run(service) {
      return {
        findings: await applied(service, `/Users/${encodeURIComponent(await userId(service, 'second'))}`, OF_OKTA),
      };
    },
  },
];

/** Sends each PATCH and looks whether exactly its attributes have changed. */
async function applied(service: ScimService, path: string, cases: readonly PatchCase[]): Promise<DoctorFinding[]> {
  const found: DoctorFinding[] = [];
  for (const { operations, changed } of cases) {
    const read = await service.get(path);
    if (read.status !== 200 || !isRecord(read.body)) throw new CannotContinue([...found, ...statusIs(read, 200)]);
    const { meta: _, ...before } = read.body;
    const expected = { ...before, ...changed(before) };
    const answer = await service.patch(path, operations);
    found.push(...statusIs(answer, 200, 204));
    if (answer.status === 200) found.push(...readsBack(answer, expected));
    found.push(...readsBack(await service.get(path), expected));
  }
  return found;
}

/** Sets, changes and removes the manager of a user in the forms of Entra ID. */
export async function manager(service: ScimService, path: string): Promise<DoctorFinding[]> {
  const found: DoctorFinding[] = [];
  const field = `${ENTERPRISE_URN}:manager`;
  const first = await userId(service, 'first');
  const third = await userId(service, 'third');
  for (const [op, value, expected] of [
    ['Add', first, first],
    ['Replace', [{ $ref: `${service.address.href}/Users/${third}`, value: third }], third],
    ['Replace', '', null],
  ] as const) {
    found.push(...statusIs(await service.patch(path, [{ op, path: field, value }]), 200, 204));
    found.push(...readsBack(await service.get(path), { [ENTERPRISE_URN]: { manager: { value: expected } } }));
  }
  return found;
}
