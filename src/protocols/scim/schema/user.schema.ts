import { attribute, type Attribute, type AttributeSpec } from './attribute.js';

const PLACES = ['work', 'home', 'other'] as const;

/** Defines a multi-valued attribute with the sub-attributes of RFC 7643 §2.4. */
function plural(
  name: string,
  description: string,
  types: readonly string[] | null,
  value: AttributeSpec = {},
): Attribute {
  return attribute(name, description, {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', `The value itself.`, value),
      attribute('display', 'A human-readable name.'),
      attribute('type', 'The use of the value.', { canonicalValues: types }),
      attribute('primary', 'Whether this is the preferred value; true at most once.', { type: 'boolean' }),
    ],
  });
}

const name = attribute('name', 'The components of the name.', {
  type: 'complex',
  subAttributes: [
    attribute('formatted', 'The full name, formatted for display.'),
    attribute('familyName', 'The family name.'),
    attribute('givenName', 'The given name.'),
    attribute('middleName', 'The middle names.'),
    attribute('honorificPrefix', 'Titles before the name.'),
    attribute('honorificSuffix', 'Suffixes after the name.'),
  ],
});

const addresses = attribute('addresses', 'Postal addresses.', {
  type: 'complex',
  multiValued: true,
  subAttributes: [
    attribute('formatted', 'The full address, formatted for display.'),
    attribute('streetAddress', 'Street, house number and the like.'),
    attribute('locality', 'The city or locality.'),
    attribute('region', 'The state or region.'),
    attribute('postalCode', 'The postal code.'),
    attribute('country', 'The country.'),
    attribute('type', 'The use of the address.', { canonicalValues: PLACES }),
    attribute('primary', 'Whether this is the preferred address; true at most once.', { type: 'boolean' }),
  ],
});

const groups = attribute('groups', 'The groups the user belongs to; changed through the groups.', {
  type: 'complex',
  multiValued: true,
  mutability: 'readOnly',
  subAttributes: [
    attribute('value', 'The id of the group.', { mutability: 'readOnly', caseExact: true }),
    // The references are to groups only (erratum 8471).
    attribute('$ref', 'The URI of the group.', {
      type: 'reference',
      mutability: 'readOnly',
      referenceTypes: ['Group'],
    }),
    attribute('display', 'The name of the group.', { mutability: 'readOnly' }),
    // Memberships through nested groups are not shown.
    attribute('type', 'Direct membership.', { mutability: 'readOnly', canonicalValues: ['direct'] }),
  ],
});

/** The core attributes of a user (RFC 7643 §4.1). */
export const USER_ATTRIBUTES: readonly Attribute[] = [
  attribute('userName', 'The unique name of the user within the tenant.', {
    required: true,
    uniqueness: 'server',
    maxLength: 512,
    comparedAsUserName: true,
  }),
  name,
  attribute('displayName', 'The name to show.'),
  attribute('nickName', 'The casual name.'),
  attribute('profileUrl', 'The address of a page about the user.', {
    type: 'reference',
    referenceTypes: ['external'],
  }),
  attribute('title', 'The job title.'),
  attribute('userType', 'The relationship to the organisation.'),
  attribute('preferredLanguage', 'The preferred language.'),
  attribute('locale', 'The locale for dates, numbers and currency.'),
  attribute('timezone', 'The time zone, as in the IANA database.'),
  // A cleared `active` changes nothing. Reading it as true would reactivate a leaver.
  attribute('active', 'Whether the user may be used; true unless the client says otherwise when it creates the user.', {
    type: 'boolean',
    alwaysAssigned: true,
  }),
  attribute('password', 'Accepted and dropped.', {
    mutability: 'writeOnly',
    returned: 'never',
    caseExact: true,
  }),
  plural('emails', 'E-mail addresses.', PLACES, { maxLength: 512 }),
  plural('phoneNumbers', 'Telephone numbers.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
  plural('ims', 'Instant messaging addresses.', ['aim', 'gtalk', 'icq', 'xmpp', 'msn', 'skype', 'qq', 'yahoo']),
  plural('photos', 'Addresses of pictures.', ['photo', 'thumbnail'], {
    type: 'reference',
    referenceTypes: ['external'],
  }),
  addresses,
  groups,
  plural('entitlements', 'Entitlements of the user.', null),
  // No canonical types: Entra sends WindowsAzureActiveDirectoryRole.
  plural('roles', 'Roles of the user in the organisation.', null),
  plural('x509Certificates', 'Certificates, each as base64 of its DER form.', null, {
    type: 'binary',
  }),
];

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

/** The types that an attribute of the customer's own can have. */
export const CUSTOM_TYPES = ['string', 'boolean', 'integer', 'decimal', 'dateTime'] as const;

/** An attribute of the customer's own, in the schema `urn:ietf:params:scim:schemas:extension:custom:2.0:User`. */
export interface CustomAttribute {
  readonly name: string;
  readonly type: (typeof CUSTOM_TYPES)[number];
  readonly multi_valued: boolean;
  readonly description: string;
}

/** A name by RFC 7643 §2.1, of at most 64 characters. */
const NAME = /^[A-Za-z][\w-]{0,63}$/;

/** Returns why a text cannot name an attribute of the customer's own, or null. */
export function customNameProblem(name: string): string | null {
  if (!NAME.test(name)) return 'must begin with a letter and have at most 64 letters, digits, hyphens and underscores';
  // Every object already has members of these names, or bodies with them are refused.
  if (/^(constructor|prototype)$/i.test(name) || name in Object.prototype) return 'is reserved';
  return null;
}

/** Returns the definitions of the attributes for the engine. */
export function customAttributes(declared: readonly CustomAttribute[]): Attribute[] {
  return declared.map(({ name, type, multi_valued: multiValued, description }) =>
    attribute(name, description, { type, multiValued }),
  );
}
