import { patchPath, sampleRecord, sampleValue, writable } from '../../../../src/cli/doctor/gates/entra-direct.js';
import type { DeclaredAttribute } from '../../../../src/cli/doctor/forms/schema.rules.js';
import { ENTERPRISE_URN, USER_URN } from '../../../../src/protocols/scim/urns.js';

const attribute = (names: string[], more: Partial<DeclaredAttribute> = {}): DeclaredAttribute => ({
  schema: USER_URN, names, type: 'string', isMultiValued: false, isRequired: false, mutability: 'readWrite', returned: 'default', canonicalValues: [], ...more,
}); // prettier-ignore
const DEPARTMENT = attribute(['department'], { schema: ENTERPRISE_URN });

it('takes single-valued attributes that are written and read', () => {
  const given = [
    attribute(['title']),
    attribute(['name'], { type: 'complex' }),
    attribute(['name', 'givenName']),
    attribute(['emails', 'value'], { isMultiValued: true }),
    attribute(['password'], { mutability: 'writeOnly', returned: 'never' }),
    attribute(['groups', 'value'], { mutability: 'readOnly' }),
    attribute(['userName']),
    attribute(['manager', 'value']),
    DEPARTMENT,
  ];
  expect(writable(given).map(patchPath)).toEqual(['title', 'name.givenName', `${ENTERPRISE_URN}:department`]);
});

it('makes a record with a value of each type', () => {
  const types = ['string', 'boolean', 'integer', 'decimal', 'dateTime', 'reference'];
  const record = sampleRecord(
    [...types.map((type) => attribute([type], { type })), attribute(['name', 'x']), DEPARTMENT],
    'first',
  );
  expect(record).toEqual({
    string: 'Doctor string first', boolean: true, integer: 7, decimal: 1.5, dateTime: '2026-01-30T12:00:00Z', reference: 'https://doctor.example/first',
    name: { x: 'Doctor x first' },
    [ENTERPRISE_URN]: { department: 'Doctor department first' },
  }); // prettier-ignore
});

it('has two values of each attribute, and canonical ones where the schema names them', () => {
  for (const type of ['string', 'boolean', 'integer', 'decimal', 'dateTime', 'reference']) {
    const one = attribute(['x'], { type });
    expect(sampleValue(one, 'first')).not.toEqual(sampleValue(one, 'second'));
  }
  expect(sampleValue(attribute(['x'], { canonicalValues: ['a', 'b'] }), 'second')).toBe('b');
  expect(sampleValue(attribute(['locale']), 'first')).toBe('en-US');
});
