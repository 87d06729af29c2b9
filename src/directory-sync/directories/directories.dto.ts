import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { AllowFrom, NoticesBody } from '../../base/http/allowed-networks.js';
import { ChangeType, ShownType, StoredTimes } from '../../base/http/shown.js';
import { Choice, Flag, Nested, NestedList, Ruled, Text } from '../../base/http/fields.js';
import { ExpectedAdministrators } from '../../tenancy/tenants/administrators.js';
import { ServerSet } from '../../base/http/validate.js';
import type { CustomAttribute } from '../../protocols/scim/schema/user.schema.js';
import { PROFILE_NAMES, type Profile } from '../../protocols/scim/dialects/dialects.js';
import type { AttributeMap, DirectoryState, Guard, GuardFigures, OnMatch } from './directory.js';
import {
  AttributeMapFields,
  CUSTOM_ATTRIBUTES,
  CustomAttributeFields,
  GUARD,
  guardProblem,
  MAY_GRANT_CONSOLE,
  REPLACE_CREATES_MISSING,
} from './directory-fields.dto.js';

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

/** The body of `POST /directories`. */
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

/** The body of `PATCH /directories/{id}`: fields that are left out stay. */
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

/** A directory as the API shows it. */
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

/** A directory with its counts. */
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

/** A directory with its first SCIM token, in the answer that creates it. */
export class NewDirectoryBody extends DirectoryBody {
  @ApiProperty({ description: 'The first token; only this answer shows it.' })
  scim_token!: string;
}
