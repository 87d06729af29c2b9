import { ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import { valueAt, type JsonRecord } from '../forms/answer.js';
import { readsBack, statusIs } from '../forms/expect.rules.js';
import type { DoctorFinding } from '../forms/finding.js';
import { patchPath, sampleRecord, sampleValue, writable } from '../forms/sample.rules.js';
import { declaredIn, type DeclaredAttribute } from '../forms/schema.rules.js';
import type { RecordType } from '../forms/resource.rules.js';
import { missingAttributes } from '../checks/discovery.js';
import { walk } from '../checks/queries.js';
import { idFrom, type Check, type Checked } from '../peer/check.js';
import { person } from '../peer/people.js';
import type { ScimService } from '../peer/scim-service.js';

/** The pages of the gate: five records each, of at least eleven. */
const PAGE = 5;
const LEAST_RECORDS = 11;

/** The tests that send requests directly, by the names of the validation of Microsoft. */
export const ENTRA_DIRECT_TESTS: readonly Check[] = [
  {
    name: 'Schema_Discoverability_Test',
    kind: 'mandatory',
    async run(service) {
      const schemas = await service.get('/Schemas');
      const mapped = {
        ...person(service, 'mapped'),
        [ENTERPRISE_URN]: { employeeNumber: '', department: '', manager: { value: '' } },
      };
      const group = { displayName: '', externalId: '', members: [{ value: '' }] };
      return {
        findings: [
          ...statusIs(schemas, 200),
          ...missingAttributes(schemas, 'User', mapped),
          ...missingAttributes(schemas, 'Group', group),
        ],
      };
    },
  },
  { name: 'SCIM_Null_Update_Test', kind: 'mandatory', run: async (service) => ({ findings: await emptied(service) }) },
  {
    name: 'SCIM_User_Create_Test',
    kind: 'mandatory',
    run: async (service) => (await created(service, 'User', 'direct')).outcome,
  },
  { name: 'SCIM_User_Update_Test', kind: 'mandatory', run: (service) => updated(service, 'User', 'updated') },
  {
    name: 'SCIM_Group_Create_Test',
    kind: 'mandatory',
    run: async (service) => (await created(service, 'Group', 'direct')).outcome,
  },
  { name: 'SCIM_Group_Update_Test', kind: 'mandatory', run: (service) => updated(service, 'Group', 'updated') },
];

/** The tests of pages. */
export const ENTRA_PAGE_TESTS: readonly Check[] = [
  { name: 'SCIM_User_Pagination_Test', kind: 'mandatory', run: (service) => paged(service, 'Users') },
  { name: 'SCIM_Group_Pagination_Test', kind: 'optional', run: (service) => paged(service, 'Groups') },
];

interface Created {
  path: string;
  sent: JsonRecord;
  attributes: readonly DeclaredAttribute[];
  outcome: Checked;
}

/** Creates a record with a value for every single-valued attribute that `/Schemas` declares, and reads it back. */
async function created(service: ScimService, type: RecordType, label: string): Promise<Created> {
  const attributes = writable(declaredIn(await service.get('/Schemas'), type));
  const name = service.name(label);
  const own =
    type === 'User' ? { userName: `${name}@doctor.example`, displayName: name, active: true } : { displayName: name };
  const sent = { ...own, ...sampleRecord(attributes, 'first') };
  const extensions = Object.keys(sent).filter((key) => key.startsWith('urn:'));
  const core = `urn:ietf:params:scim:schemas:core:2.0:${type}`;
  const body = { schemas: [core, ...extensions], ...sent };
  const made = type === 'User' ? await service.createUser(body) : await service.createGroup(body);
  const found = [...statusIs(made, 201), ...readsBack(made, sent)];
  const path = `/${type}s/${encodeURIComponent(idFrom(made, found))}`;
  const read = await service.get(path);
  found.push(...statusIs(read, 200), ...readsBack(read, sent));
  return {
    path,
    sent,
    attributes,
    outcome: { findings: found, note: `${Object.keys(own).length + attributes.length} attributes` },
  };
}

/** Changes every single-valued attribute by one PATCH, and reads the record back. */
async function updated(service: ScimService, type: RecordType, label: string): Promise<Checked> {
  const { path, sent, attributes, outcome } = await created(service, type, label);
  const displayName = service.name(`${label}-again`);
  const operations = attributes.map((one) => ({
    op: 'replace',
    path: patchPath(one),
    value: sampleValue(one, 'second'),
  }));
  const answer = await service.patch(path, [...operations, { op: 'replace', path: 'displayName', value: displayName }]);
  const expected = { ...sent, ...sampleRecord(attributes, 'second'), displayName };
  const found = [...outcome.findings, ...statusIs(answer, 200, 204)];
  // A refused PATCH changes nothing: each attribute would be a finding.
  if (answer.status < 400) found.push(...readsBack(await service.get(path), expected));
  return { findings: found, note: `${attributes.length + 1} attributes` };
}

/** Replaces optional texts with `""`, and again with null: both empty the attribute. */
async function emptied(service: ScimService): Promise<DoctorFinding[]> {
  const { path, attributes, outcome } = await created(service, 'User', 'emptied');
  const optional = attributes.filter(({ type, isRequired }) => type === 'string' && !isRequired);
  const found = [...outcome.findings];
  for (const value of ['', null]) {
    const refill = optional.map((one) => ({ op: 'replace', path: patchPath(one), value: sampleValue(one, 'first') }));
    found.push(...statusIs(await service.patch(path, refill), 200, 204));
    const empty = optional.map((one) => ({ op: 'Replace', path: patchPath(one), value }));
    const answer = await service.patch(path, empty);
    found.push(...statusIs(answer, 200, 204));
    if (answer.status < 400) found.push(...readsBack(await service.get(path), withEmpty(optional)));
  }
  return found;
}

function withEmpty(attributes: readonly DeclaredAttribute[]): JsonRecord {
  return JSON.parse(
    JSON.stringify(sampleRecord(attributes, 'first'), (_, value: unknown) => (typeof value === 'string' ? '' : value)),
  ) as JsonRecord;
}

async function paged(service: ScimService, collection: 'Users' | 'Groups'): Promise<Checked> {
  const first = await service.get(`/${collection}?startIndex=1&count=${PAGE}`);
  const total = Math.max(0, Number(valueAt(first.body, 'totalResults')));
  for (let place = total; place < LEAST_RECORDS; place++) {
    const name = service.name(`page-${place}`);
    const made =
      collection === 'Users'
        ? await service.createUser({ userName: `${name}@doctor.example` })
        : await service.createGroup({ displayName: name });
    idFrom(made, statusIs(made, 201));
  }
  return walk(service, collection, PAGE);
}
