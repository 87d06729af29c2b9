import { Choice, Flag, Text } from '../../base/http/fields.js';
import { CUSTOM_TYPES, type CustomAttribute } from '../../protocols/scim/schema/user.schema.js';
import { GUARD_DEFAULTS, MAPPABLE, type GuardFigures } from './directory.js';

const GUARD_MAX: GuardFigures = {
  percent: 100,
  people: 1_000_000,
  at_least: 1_000_000,
  within_minutes: 1_440,
  day_percent: 100,
};

/** Returns why the figures of a guard are not valid, or null. */
export function guardProblem(value: unknown): string | null {
  if (value === 'off' || value === 'on') return null;
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return 'must be off, on, or an object of figures';
  for (const [name, figure] of Object.entries(value)) {
    if (!Object.hasOwn(GUARD_DEFAULTS, name))
      return `has no figure ${name}; known: ${Object.keys(GUARD_DEFAULTS).join(', ')}`;
    const max = GUARD_MAX[name as keyof GuardFigures];
    if (!Number.isSafeInteger(figure) || figure < 1 || figure > max)
      return `needs a whole number from 1 to ${max} for ${name}`;
  }
  return null;
}

/** How the guard of a directory is described. */
export const GUARD = {
  oneOf: [
    { type: 'string', enum: ['off', 'on'] },
    { type: 'object', additionalProperties: { type: 'integer' } },
  ],
  description:
    'The guard against mass departures: off, on (the default figures), or figures of its own. When more users leave than `percent` of the users in force, or than `people`, within `within_minutes`, or than `day_percent` within a day, and more than `at_least`, the further ones are held until an admin releases or discards them.',
  example: GUARD_DEFAULTS,
};
/** How `replace_creates_missing` is described. */
export const REPLACE_CREATES_MISSING = {
  description: 'A replace with a value path that matches nothing adds the value, in place of 400 noTarget.',
};
/** How `may_grant_console` is described. */
export const MAY_GRANT_CONSOLE = {
  description:
    'Whether SCIM `roles` may give a role whose `console` is not `none`. False unless set: the user then gets the next role that applies. Group rules give any role.',
};
/** How `custom_attributes` is described. */
export const CUSTOM_ATTRIBUTES = {
  description:
    'Attributes of users that the customer declares, up to 50, in the schema `urn:ietf:params:scim:schemas:extension:custom:2.0:User`. A list replaces the declared ones; values of a removed attribute are kept and not shown. The type of a name stays.',
};

const OPTIONAL = { optional: true, nullable: true };

/** The SCIM attributes of the platform's fields. Null restores the default of a field. */
export class AttributeMapFields {
  @Choice(MAPPABLE.external_id, OPTIONAL)
  external_id?: string | null;
  @Choice(MAPPABLE.email, OPTIONAL)
  email?: string | null;
  @Choice(MAPPABLE.first_name, OPTIONAL)
  first_name?: string | null;
  @Choice(MAPPABLE.last_name, OPTIONAL)
  last_name?: string | null;
}

/** An attribute that the customer declares. */
export class CustomAttributeFields {
  @Text({ max: 64, example: 'badgeNumber' })
  name!: string;
  @Choice(CUSTOM_TYPES, { description: 'The type by RFC 7643 §2.3.' })
  type!: CustomAttribute['type'];
  @Flag({ optional: true, description: 'Whether a user can have several values. False unless set.' })
  multi_valued?: boolean;
  @Text({ min: 0, max: 200, optional: true, description: 'What `/Schemas` says of it.' })
  description?: string;
}
