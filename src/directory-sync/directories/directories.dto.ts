import { ApiProperty } from '@nestjs/swagger';
import { Choice, Flag, Nested, NestedList, Ruled } from '../../base/http/fields.js';
import { Text } from '../../base/http/text.js';
import { ServerSet } from '../../base/http/validate.js';
import type { CustomAttribute } from '../../protocols/scim/schema/custom-user.schema.js';
import { PROFILE_NAMES, type Profile } from '../../protocols/scim/dialects/dialects.js';
import type { AttributeMap, DirectoryState, Guard, GuardFigures, OnMatch } from './directory.js';
import {
  ALLOW_FROM,
  allowFromProblem,
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

  @Nested(() => AttributeMapFields, { optional: true })
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

  @Ruled(allowFromProblem, ALLOW_FROM, { optional: true })
  allow_from?: string[];

  @NestedList(() => CustomAttributeFields, { ...CUSTOM_ATTRIBUTES, max: 50, optional: true })
  custom_attributes?: CustomAttributeFields[];
}

/** The body of `PATCH /directories/{id}`: fields that are left out stay. */
@ServerSet(...SERVER_SET)
export class ChangeDirectory {
  @Text({ max: 200, optional: true })
  name?: string;

  @Choice(PROFILE_NAMES, { optional: true })
  profile?: Profile;

  @Choice(['live', 'preview'], { optional: true })
  state?: DirectoryState;

  @Flag({ optional: true, description: 'With `"state": "live"`: users who find no seat may wait for one.' })
  confirm?: boolean;

  @Text({ max: 100, optional: true, nullable: true })
  default_role?: string | null;

  @Nested(() => AttributeMapFields, {
    optional: true,
    description: 'Merged with the stored map; null restores the default of a field.',
  })
  attribute_map?: AttributeMapFields;

  @Choice(['link', 'refuse'], { optional: true })
  on_match?: OnMatch;

  @Text({ max: 64, optional: true, nullable: true })
  takes_over?: string | null;

  @Flag({ ...REPLACE_CREATES_MISSING, optional: true })
  replace_creates_missing?: boolean;

  @Flag({ ...MAY_GRANT_CONSOLE, optional: true })
  may_grant_console?: boolean;

  @Ruled(guardProblem, GUARD, { optional: true })
  guard?: 'off' | 'on' | Partial<GuardFigures>;

  @Ruled(allowFromProblem, ALLOW_FROM, { optional: true })
  allow_from?: string[];

  @NestedList(() => CustomAttributeFields, { ...CUSTOM_ATTRIBUTES, max: 50, optional: true })
  custom_attributes?: CustomAttributeFields[];
}

/** A directory as the API shows it. */
export class DirectoryBody {
  @ApiProperty({ example: 'dir_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty()
  name!: string;
  @ApiProperty({ enum: PROFILE_NAMES })
  profile!: Profile;
  @ApiProperty({ enum: ['live', 'preview'] })
  state!: DirectoryState;
  @ApiProperty({ type: String, nullable: true })
  default_role!: string | null;
  @ApiProperty({ type: Object })
  attribute_map!: AttributeMap;
  @ApiProperty({ enum: ['link', 'refuse'] })
  on_match!: OnMatch;
  @ApiProperty({ type: String, nullable: true })
  takes_over!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The directory that took this one over.' })
  superseded_by!: string | null;
  @ApiProperty(REPLACE_CREATES_MISSING)
  replace_creates_missing!: boolean;
  @ApiProperty(MAY_GRANT_CONSOLE)
  may_grant_console!: boolean;
  @ApiProperty({ type: Object })
  guard!: Guard;
  @ApiProperty(ALLOW_FROM)
  allow_from!: string[];
  @ApiProperty({ ...CUSTOM_ATTRIBUTES, type: () => CustomAttributeFields, isArray: true })
  custom_attributes!: CustomAttribute[];
  @ApiProperty({
    type: [String],
    required: false,
    description:
      'Only in the answer to a write: what the caller should know, such as that `allow_from` shuts out the caller.',
  })
  notices?: string[];
  @ApiProperty({ description: 'The SCIM base address for the IdP.' })
  scim_base_url!: string;
  @ApiProperty({ type: Date, nullable: true })
  last_request_at!: Date | null;
  @ApiProperty({ type: Object, nullable: true, description: 'The last refused credential, with the reason.' })
  last_refusal!: unknown;
  @ApiProperty({
    type: Object,
    nullable: true,
    description:
      'The last role of SCIM `roles` that a user did not get: `{ at, role, user_id, reason }`. `unknown_role`: the catalogue does not have it. `role_needs_admin`: its holders administer the tenant, and the directory lacks `may_grant_console`.',
  })
  last_unknown_role!: unknown;
  @ApiProperty()
  created_at!: Date;
  @ApiProperty()
  updated_at!: Date;
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
