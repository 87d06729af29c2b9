import { GROUP_URN, USER_URN, ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import { missingAttributes } from '../checks/discovery.js';
import { walk } from '../checks/queries.js';
import { readsBack, statusIs } from '../forms/expect.rules.js';
import { type JsonRecord, valueAt, type DoctorFinding } from '../forms/finding.js';
import { type DeclaredAttribute, declaredIn, type RecordType } from '../forms/schema.rules.js';
import { idFrom, type Check, type Checked, person } from '../peer/check.js';
import type { ScimService } from '../peer/scim-service.js';

type Variant = 'first' | 'second';

const SIMPLE = ['string', 'boolean', 'integer', 'decimal', 'dateTime', 'reference'];
/** Texts that a service may compare with a list of its own. */
const KNOWN: Record<string, readonly [string, string]> = {
  preferredLanguage: ['en-US', 'de-DE'],
  locale: ['en-US', 'de-DE'],
  timezone: ['Europe/Berlin', 'America/New_York'],
};

/** Returns the single-valued attributes that a client writes and reads: those that Entra ID maps directly. The name and `active` of a record are left to the caller. */
export function writable(declared: readonly DeclaredAttribute[]): DeclaredAttribute[] {
  return declared.filter(
    ({ type, isMultiValued, mutability, returned, names }) =>
      SIMPLE.includes(type) &&
      !isMultiValued &&
      mutability === 'readWrite' &&
      returned !== 'never' &&
      !['userName', 'displayName', 'active', 'manager'].includes(names[0]!),
  );
}

export function sampleRecord(attributes: readonly DeclaredAttribute[], variant: Variant): JsonRecord {
  const record: JsonRecord = {};
  for (const attribute of attributes) {
    const names = [...(isCore(attribute.schema) ? [] : [attribute.schema]), ...attribute.names];
    const place = names.slice(0, -1).reduce<JsonRecord>((parent, name) => (parent[name] ??= {}) as JsonRecord, record);
    place[names.at(-1)!] = sampleValue(attribute, variant);
  }
  return record;
}

export function patchPath({ schema, names }: DeclaredAttribute): string {
  return `${isCore(schema) ? '' : `${schema}:`}${names.join('.')}`;
}

export function sampleValue({ type, names, canonicalValues }: DeclaredAttribute, variant: Variant): unknown {
  const place = variant === 'first' ? 0 : 1;
  if (type === 'boolean') return variant === 'first';
  if (type === 'integer') return 7 + place;
  if (type === 'decimal') return 1.5 + place;
  if (type === 'dateTime') return `2026-01-3${place}T12:00:00Z`;
  if (type === 'reference') return `https://doctor.example/${variant}`;
  return (
    canonicalValues[place] ??
    canonicalValues[0] ??
    KNOWN[names.at(-1)!]?.[place] ??
    `Doctor ${names.at(-1)!} ${variant}`
  );
}

function isCore(schema: string): boolean {
  return schema === USER_URN || schema === GROUP_URN;
}

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
