import { ApiProperty } from '@nestjs/swagger';
import { Choice } from '../../base/http/fields.js';
import { EMAIL, Text } from '../../base/http/text.js';
import { ServerSet } from '../../base/http/validate.js';
import { LeftEndpointBody } from '../../tenancy/tenants/left-endpoints.dto.js';
import type { HeldReason } from '../../tenancy/identity/person.js';
import type { UserRow } from './user.row.js';

const SERVER_FIELDS = ['id', 'seat', 'source', 'managed_by', 'held', 'held_since', 'created_at', 'updated_at'] as const;

/** A user can have no e-mail and no role; sent back as read, both say nothing. */
const UNCHANGED = 'null, as read, means unchanged';

/** A new person. */
@ServerSet(...SERVER_FIELDS)
export class CreateUser {
  @Text({ max: 320, format: 'email', pattern: EMAIL, example: 'bjensen@example.com' })
  email!: string;
  @Text({ max: 200, example: 'Barbara' })
  first_name!: string;
  @Text({ max: 200, min: 0, example: 'Jensen' })
  last_name!: string;
  @Text({ max: 200, optional: true, description: 'a role of the catalogue; `User` when left out' })
  role?: string;
  @Text({ max: 255, optional: true, nullable: true, description: 'the user’s id in the caller’s system' })
  external_id?: string | null;
  @Choice(['active', 'inactive'], { optional: true })
  status?: 'active' | 'inactive';
}

/** A JSON merge patch (RFC 7396) of a person. */
@ServerSet(...SERVER_FIELDS)
export class ChangeUser {
  @Text({ max: 320, optional: true, nullable: true, format: 'email', pattern: EMAIL, description: UNCHANGED })
  email?: string | null;
  @Text({ max: 200, optional: true })
  first_name?: string;
  @Text({ max: 200, min: 0, optional: true })
  last_name?: string;
  @Text({ max: 200, optional: true, nullable: true, description: UNCHANGED })
  role?: string | null;
  @Text({ max: 255, optional: true, nullable: true })
  external_id?: string | null;
  @Choice(['active', 'inactive'], { optional: true })
  status?: 'active' | 'inactive';
}

/** A whole user by the caller's own key: what creates one, or the fields of one that is there. */
@ServerSet(...SERVER_FIELDS)
export class PutUser {
  @Text({ max: 320, nullable: true, format: 'email', pattern: EMAIL, description: UNCHANGED })
  email!: string | null;
  @Text({ max: 200, example: 'Barbara' })
  first_name!: string;
  @Text({ max: 200, min: 0, example: 'Jensen' })
  last_name!: string;
  @Text({ max: 200, optional: true, nullable: true, description: UNCHANGED })
  role?: string | null;
  @Text({ max: 255, optional: true, nullable: true, description: 'the one in the address, or left out' })
  external_id?: string | null;
  @Choice(['active', 'inactive'], { optional: true })
  status?: 'active' | 'inactive';
}

/** The fields of a change that say something. */
export type ChangedFields = Omit<ChangeUser, 'email' | 'role'> & { email?: string; role?: string };

/** A change without the nulls that mean unchanged. */
export function givenFields<T extends { email?: string | null; role?: string | null }>(
  body: T,
): Omit<T, 'email' | 'role'> & { email?: string; role?: string } {
  const { email, role, ...rest } = body;
  return { ...rest, ...(email == null ? {} : { email }), ...(role == null ? {} : { role }) };
}

/** The directory that manages a user. */
class ManagedBy {
  @ApiProperty()
  id!: string;
  @ApiProperty()
  name!: string;
}

/** A user as this API shows it: the effective state. */
export class UserBody {
  @ApiProperty({ example: 'usr_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  id!: string;
  @ApiProperty({ type: String, nullable: true })
  email!: string | null;
  @ApiProperty()
  first_name!: string;
  @ApiProperty()
  last_name!: string;
  @ApiProperty({ type: String, nullable: true })
  role!: string | null;
  @ApiProperty({ type: String, nullable: true })
  external_id!: string | null;
  @ApiProperty({ enum: ['active', 'inactive'] })
  status!: string;
  @ApiProperty({ enum: ['held', 'none', 'waiting'] })
  seat!: string;
  @ApiProperty({ enum: ['api', 'scim', 'sign-in'] })
  source!: string;
  @ApiProperty({ type: ManagedBy, nullable: true })
  managed_by!: ManagedBy | null;
  @ApiProperty({ type: String, nullable: true, description: 'why what was written is not in force' })
  held!: HeldReason | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  held_since!: string | null;
  @ApiProperty({ type: String, format: 'date-time' })
  created_at!: string;
  @ApiProperty({ type: String, format: 'date-time' })
  updated_at!: string;
}

/** A user after a change. */
export class ChangedUserBody extends UserBody {
  @ApiProperty({
    type: [LeftEndpointBody],
    required: false,
    description: 'Where the change deactivates the user: webhook endpoints that the user has made. Left out: none.',
  })
  endpoints?: LeftEndpointBody[];
}

/** A page of users. */
export class UserListBody {
  @ApiProperty({ type: [UserBody] })
  data!: UserBody[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The `updated_since` of the next call: no late write is missed, and a user may come twice.',
  })
  next_updated_since!: string;
}

/** Shapes a stored person for this API. */
export function userBody(
  row: Omit<UserRow, 'doc'> & { directory_name?: string | null; held_since: string | null },
): UserBody {
  return {
    id: row.id,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    role: row.role,
    external_id: row.person_external_id,
    status: row.status,
    seat: row.seat,
    source: row.source,
    managed_by: row.directory_id === null ? null : { id: row.directory_id, name: row.directory_name ?? '' },
    held: row.held,
    held_since: row.held_since === null ? null : new Date(row.held_since).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
