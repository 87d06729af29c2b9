import { attribute, type Attribute } from './attribute.js';

/** The attributes of the enterprise user extension (RFC 7643 §4.3). */
export const ENTERPRISE_ATTRIBUTES: readonly Attribute[] = [
  attribute('employeeNumber', 'The employee number in the organisation.'),
  attribute('costCenter', 'The cost centre.'),
  attribute('organization', 'The organisation.'),
  attribute('division', 'The division.'),
  attribute('department', 'The department.'),
  attribute('manager', 'The manager of the user.', {
    type: 'complex',
    subAttributes: [
      // An id, so case exact (erratum 8472).
      attribute('value', 'The id of the manager.', { caseExact: true, maxLength: 512 }),
      attribute('$ref', 'The URI of the manager.', {
        type: 'reference',
        referenceTypes: ['User'],
        mutability: 'readOnly',
      }),
      attribute('displayName', 'The name of the manager.', { mutability: 'readOnly' }),
    ],
  }),
];
