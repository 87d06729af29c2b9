import { ENTERPRISE_URN, USER_URN } from '../../../protocols/scim/urns.js';
import type { JsonRecord } from '../forms/answer.js';
import { statusIs } from '../forms/expect.rules.js';
import { idFrom } from './check.js';
import type { ScimService } from './scim-service.js';

/** Returns a user as IdPs send one: the attributes of the default mappings of Entra and Okta, with letters that are easily lost. */
export function person(service: ScimService, label: string): JsonRecord {
  const name = service.name(label);
  return {
    schemas: [USER_URN, ENTERPRISE_URN],
    userName: `${name}@doctor.example`,
    externalId: `Ext-${name}`,
    active: true,
    displayName: `Zoë ${name}`,
    title: 'Engineer',
    preferredLanguage: 'en-US',
    name: { givenName: 'Zoë', familyName: `O'Doctor`, formatted: `Zoë O'Doctor` },
    emails: [{ type: 'work', value: `${name}.Work@doctor.example`, primary: true }],
    phoneNumbers: [
      { type: 'work', value: '+49 (30) 555-01' },
      { type: 'mobile', value: '+49 170 5550100' },
    ],
    addresses: [
      {
        type: 'work',
        streetAddress: 'Main Street 1',
        locality: 'Berlin',
        region: 'BE',
        postalCode: '10115',
        country: 'DE',
      },
    ],
    [ENTERPRISE_URN]: { employeeNumber: '00701', department: 'Research' },
  };
}

/**
 * Returns the id of the user of a label; the first caller makes the user.
 *
 * @throws {CannotContinue} when the user cannot be made
 */
export async function userId(service: ScimService, label: string): Promise<string> {
  const attributes = person(service, label);
  const made = service.made.find(({ name, id }) => name === attributes['userName'] && id !== undefined);
  if (made?.id !== undefined) return made.id;
  const answer = await service.createUser(attributes);
  return idFrom(answer, statusIs(answer, 201));
}
