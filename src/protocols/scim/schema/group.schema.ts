import { attribute, type Attribute } from './attribute.js';

/** The core attributes of a group (RFC 7643 §4.2). */
export const GROUP_ATTRIBUTES: readonly Attribute[] = [
  // Required by erratum 5368; unique within the directory, without regard to case.
  attribute('displayName', 'The name of the group.', {
    required: true,
    uniqueness: 'server',
    maxLength: 512,
  }),
  attribute('members', 'The members of the group.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The id of the member.', {
        mutability: 'immutable',
        caseExact: true,
        maxLength: 512,
      }),
      attribute('$ref', 'The URI of the member.', {
        type: 'reference',
        mutability: 'immutable',
        referenceTypes: ['User', 'Group'],
      }),
      attribute('type', 'The type of the member.', {
        mutability: 'immutable',
        canonicalValues: ['User', 'Group'],
      }),
      // Missing in the schema of the RFC, though its examples use it (erratum 6011).
      attribute('display', 'The name of the member.', { mutability: 'immutable', maxLength: 1024 }),
    ],
  }),
];
