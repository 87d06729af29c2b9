import { ApiProperty, IntersectionType, type ApiPropertyOptions } from '@nestjs/swagger';
import { AllowFrom, NoticesBody } from '../../base/http/allowed-networks.js';
import { Choice, Flag, Text, Nested, NestedList, Ruled, Moment } from '../../base/http/fields.js';
import { ChangeType, ShownType, StoredTimes } from '../../base/http/shown.js';
import { ServerSet } from '../../base/http/validate.js';
import { PROFILE_NAMES, type Profile } from '../../protocols/scim/dialects/dialects.js';
import { CUSTOM_TYPES, type CustomAttribute } from '../../protocols/scim/schema/user.schema.js';
import { ExpectedAdministrators } from '../../tenancy/tenants/administrators.js';
import { CredentialBody } from '../../tenancy/tenants/tenants.dto.js';
import {
  GUARD_DEFAULTS,
  MAPPABLE,
  type GuardFigures,
  type AttributeMap,
  type DirectoryState,
  type Guard,
  type OnMatch,
} from './directory.js';

const GUARD_MAX: GuardFigures = {
  percent: 100,
  people: 1_000_000,
  at_least: 1_000_000,
  within_minutes: 1_440,
  day_percent: 100,
};

function guardProblem(value: unknown): string | null {
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

export const GUARD = {
  oneOf: [
    { type: 'string', enum: ['off', 'on'] },
    { type: 'object', additionalProperties: { type: 'integer' } },
  ],
  description:
    'The guard against mass departures: off, on (the default figures), or figures of its own. When more users leave than `percent` of the users in force, or than `people`, within `within_minutes`, or than `day_percent` within a day, and more than `at_least`, the further ones are held until an admin releases or discards them.',
  example: GUARD_DEFAULTS,
};
const REPLACE_CREATES_MISSING = {
  description: 'A replace with a value path that matches nothing adds the value, in place of 400 noTarget.',
};
const MAY_GRANT_CONSOLE = {
  description:
    'Whether SCIM `roles` may give a role whose `console` is not `none`. False unless set: the user then gets the next role that applies. Group rules give any role.',
};
const CUSTOM_ATTRIBUTES = {
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

const SERVER_SET = [
  'id',
  'scim_base_url',
  'last_request_at',
  'last_refusal',
  'last_unknown_role',
  'superseded_by',
  'users',
  'unmanaged',
  'groups',
  'pending_members',
  'created_at',
  'updated_at',
  'notices',
] as const;

@ServerSet(...SERVER_SET)
export class CreateDirectory {
  @Text({ max: 200, example: 'Okta' })
  name!: string;

  @Choice(PROFILE_NAMES, {
    optional: true,
    description: 'tolerant unless set: accepts the requests of all known IdPs.',
  })
  profile?: Profile;

  @Choice(['live', 'preview'], {
    optional: true,
    description: 'preview: writes are stored and their effects shown; no user changes.',
  })
  state?: DirectoryState;

  @Text({ max: 100, optional: true, nullable: true, description: '`User` unless set; null: none yet.' })
  default_role?: string | null;

  @Nested(() => AttributeMapFields, {
    optional: true,
    description: 'Merged with the stored map; null restores the default of a field.',
  })
  attribute_map?: AttributeMapFields;

  @Choice(['link', 'refuse'], {
    optional: true,
    description: 'Whether a POST that matches one existing user is linked or refused.',
  })
  on_match?: OnMatch;

  @Text({ max: 64, optional: true, nullable: true, description: 'The directory whose users this one takes over.' })
  takes_over?: string | null;

  @Flag({ ...REPLACE_CREATES_MISSING, optional: true })
  replace_creates_missing?: boolean;

  @Flag({ ...MAY_GRANT_CONSOLE, optional: true })
  may_grant_console?: boolean;

  @Ruled(guardProblem, GUARD, { optional: true })
  guard?: 'off' | 'on' | Partial<GuardFigures>;

  @AllowFrom('the directory takes SCIM requests')
  allow_from?: string[];

  @NestedList(() => CustomAttributeFields, { ...CUSTOM_ATTRIBUTES, max: 50, optional: true })
  custom_attributes?: CustomAttributeFields[];
}

@ServerSet(...SERVER_SET)
export class ChangeDirectory extends ChangeType(CreateDirectory) {
  @Flag({ optional: true, description: 'With `"state": "live"`: users who find no seat may wait for one.' })
  confirm?: boolean;

  @ExpectedAdministrators(
    'How many administrators would lose the console, or the right to write there, by going live, by another `default_role`, ' +
      '`attribute_map` or `may_grant_console`. The preview has it for going live, the refusal for all.',
  )
  administrators?: number;
}

const SHOWN = [
  'name',
  'profile',
  'state',
  'default_role',
  'on_match',
  'takes_over',
  'replace_creates_missing',
  'may_grant_console',
  'allow_from',
] as const;

export class DirectoryBody extends IntersectionType(ShownType(CreateDirectory, SHOWN), StoredTimes, NoticesBody) {
  @ApiProperty({ example: 'dir_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ type: Object })
  attribute_map!: AttributeMap;
  @ApiProperty({ type: String, nullable: true, description: 'The directory that took this one over.' })
  superseded_by!: string | null;
  @ApiProperty({ type: Object })
  guard!: Guard;
  @ApiProperty({ ...CUSTOM_ATTRIBUTES, type: () => CustomAttributeFields, isArray: true })
  custom_attributes!: CustomAttribute[];
  @ApiProperty({ description: 'The SCIM base address for the IdP.' })
  scim_base_url!: string;
  @ApiProperty({ type: Date, nullable: true })
  last_request_at!: Date | null;
  @ApiProperty({
    type: Object,
    nullable: true,
    description:
      'The last refused credential, with the reason. `unassigned`: no token of a directory begins as it does.',
  })
  last_refusal!: unknown;
  @ApiProperty({
    type: Object,
    nullable: true,
    description:
      'The last role of SCIM `roles` that a user did not get: `{ at, role, user_id, reason }`. `unknown_role`: the catalogue does not have it. `role_needs_admin`: its holders administer the tenant, and the directory lacks `may_grant_console`.',
  })
  last_unknown_role!: unknown;
}

export class DirectoryDetailBody extends DirectoryBody {
  @ApiProperty({ description: 'Users of this directory.' })
  users!: number;
  @ApiProperty({ description: 'Users of the tenant that no directory manages.' })
  unmanaged!: number;
  @ApiProperty()
  groups!: number;
  @ApiProperty({ description: 'Members of groups whose user does not exist yet.' })
  pending_members!: number;
}

export class NewDirectoryBody extends DirectoryBody {
  @ApiProperty({ description: 'The first token; only this answer shows it.' })
  scim_token!: string;
}

export const REQUESTS_LAST_DAY: ApiPropertyOptions = {
  type: 'integer',
  description: 'SCIM requests of the last 24 hours, in whole hours. They are counted a few seconds late.',
};

export const DIALECT: ApiPropertyOptions = {
  type: String,
  nullable: true,
  example: 'entra',
  description: 'The IdP that its requests of the last week show; null: none is recognised.',
};

/** One rule: members of the group get the role. */
export class GroupRule {
  @Text({ max: 64, example: 'grp_01k0000000abcdefghjkmnpqrs' })
  group_id!: string;
  @Text({ max: 100, example: 'Admin' })
  role!: string;
}

/** Group rules: the whole list, in the order of precedence. */
@ServerSet('group')
export class GroupRules {
  @NestedList(() => GroupRule, { max: 1_000, description: 'In order: the first one that matches gives the role.' })
  rules!: GroupRule[];
}

@ServerSet('group')
export class ReplacedRules extends GroupRules {
  @ExpectedAdministrators(
    'How many administrators would lose the console, or the right to write there. The plan of the rules has it.',
  )
  administrators?: number;
}

/** A user who is a member of a group. */
export class GroupMemberBody {
  @ApiProperty({ example: 'usr_01k0000000abcdefghjkmnpqrs' })
  user_id!: string;
  @ApiProperty()
  user_name!: string;
  @ApiProperty({ type: String, nullable: true })
  email!: string | null;
  @ApiProperty({ enum: ['active', 'inactive'] })
  status!: 'active' | 'inactive';
}

@ServerSet('id', 'prefix', 'created_by', 'created_at', 'last_used_at', 'revoked_at', 'requests_last_day', 'dialect')
export class CreateScimToken {
  @Text({ max: 200, optional: true, example: 'Okta production' })
  name?: string;

  @Moment({
    optional: true,
    nullable: true,
    description: 'At most a year from now; without it the token does not expire.',
  })
  expires_at?: Date | null;
}

export class ScimTokenBody extends CredentialBody {
  @ApiProperty({ example: 'tok_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty(REQUESTS_LAST_DAY)
  requests_last_day!: number;
  @ApiProperty(DIALECT)
  dialect!: string | null;
}

export class NewScimTokenBody extends ScimTokenBody {
  @ApiProperty({ description: 'The secret; only this answer shows it.' })
  scim_token!: string;
  @ApiProperty()
  scim_base_url!: string;
}
