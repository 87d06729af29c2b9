import { GROUP_URN, RESOURCE_TYPE_URN, SPC_URN, USER_URN } from '../../../protocols/scim/urns.js';
import { statusIs } from '../forms/expect.rules.js';
import {
  isRecord,
  listedRecords,
  valueAt,
  type Answer,
  type JsonRecord,
  finding,
  inJson,
  type DoctorFinding,
} from '../forms/finding.js';
import { declaredIn, undeclared } from '../forms/schema.rules.js';
import type { Check } from '../peer/check.js';

const FEATURES = ['patch', 'bulk', 'filter', 'changePassword', 'sort', 'etag'];
const SCHEME_TYPES = ['oauth', 'oauth2', 'oauthbearertoken', 'httpbasic', 'httpdigest'];
const NEEDED: Record<'User' | 'Group', JsonRecord> = {
  User: {
    userName: '',
    active: true,
    name: { givenName: '', familyName: '' },
    emails: [{ value: '', type: '', primary: true }],
  },
  Group: { displayName: '', members: [{ value: '' }] },
};

/** Checks of the documents that describe the service. */
export const DISCOVERY_CHECKS: readonly Check[] = [
  {
    name: 'service_provider_config',
    async run(service) {
      const answer = await service.get('/ServiceProviderConfig');
      return { findings: [...statusIs(answer, 200), ...configFindings(answer)] };
    },
  },
  {
    name: 'resource_types',
    async run(service) {
      const answer = await service.get('/ResourceTypes');
      return { findings: [...statusIs(answer, 200), ...resourceTypeFindings(answer)] };
    },
  },
  {
    name: 'schemas',
    async run(service) {
      const answer = await service.get('/Schemas');
      return {
        findings: [
          ...statusIs(answer, 200),
          ...missingAttributes(answer, 'User', NEEDED.User),
          ...missingAttributes(answer, 'Group', NEEDED.Group),
        ],
      };
    },
  },
];

/** Returns a finding for each feature that the ServiceProviderConfig does not state. */
function configFindings({ body }: Answer): DoctorFinding[] {
  const wrong = (field: string, expected: string) =>
    finding(
      'config_form',
      field,
      `ServiceProviderConfig has ${inJson(valueAt(body, field))} as ${field}; expected: ${expected}.`,
    );
  const found: DoctorFinding[] = [];
  const schemas = valueAt(body, 'schemas');
  if (!Array.isArray(schemas) || !schemas.includes(SPC_URN)) found.push(wrong('schemas', `["${SPC_URN}"]`));
  for (const feature of FEATURES) {
    const field = `${feature}.supported`;
    if (typeof valueAt(body, field) !== 'boolean') found.push(wrong(field, 'true or false'));
  }
  for (const field of ['patch.supported', 'filter.supported']) {
    if (valueAt(body, field) === false) found.push(wrong(field, 'true, which IdPs need'));
  }
  if (!Number.isInteger(valueAt(body, 'filter.maxResults'))) found.push(wrong('filter.maxResults', 'an integer'));
  const schemes = valueAt(body, 'authenticationSchemes');
  const types = Array.isArray(schemes) ? schemes.map((scheme) => valueAt(scheme, 'type')) : [];
  if (types.length === 0 || types.some((type) => !SCHEME_TYPES.includes(String(type)))) {
    found.push(wrong('authenticationSchemes', `a list with types of ${SCHEME_TYPES.join(', ')}`));
  }
  return found;
}

/** Returns findings unless users and groups are described as resource types. */
function resourceTypeFindings(answer: Answer): DoctorFinding[] {
  const records = listedRecords(answer);
  const found: DoctorFinding[] = [];
  for (const [name, endpoint, schema] of [
    ['User', '/Users', USER_URN],
    ['Group', '/Groups', GROUP_URN],
  ] as const) {
    const wrong = (field: string, value: unknown, expected: string) =>
      finding(
        'resource_type_form',
        field,
        `The resource type ${name} has ${inJson(value)} as ${field}; expected: ${expected}.`,
      );
    const record = records.find((one) => one['name'] === name);
    if (record === undefined) {
      found.push(finding('resource_type_form', name, `GET /ResourceTypes has no resource type ${name}.`));
      continue;
    }
    const { schemas } = record;
    if (!Array.isArray(schemas) || !schemas.includes(RESOURCE_TYPE_URN))
      found.push(wrong('schemas', schemas, RESOURCE_TYPE_URN));
    if (!String(record['endpoint']).endsWith(endpoint)) found.push(wrong('endpoint', record['endpoint'], endpoint));
    if (record['schema'] !== schema) found.push(wrong('schema', record['schema'], schema));
  }
  return found;
}

/** Returns a finding for each attribute of a record that `/Schemas` does not declare. */
export function missingAttributes(schemas: Answer, type: 'User' | 'Group', record: unknown): DoctorFinding[] {
  if (schemas.status !== 200 || !isRecord(record)) return [];
  const declared = declaredIn(schemas, type);
  if (declared.length === 0) return [finding('schema_missing', type, `/Schemas has no schema of ${type}.`)];
  return undeclared(record, declared, type).map((path) =>
    finding('schema_missing', path, `/Schemas does not declare ${path} of ${type}.`),
  );
}
