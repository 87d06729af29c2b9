import { ApiProperty, IntersectionType, OmitType, PickType } from '@nestjs/swagger';
import { Choice, EMAIL, Text } from '../../base/http/fields.js';
import { ChangeType, PutType, Times, UpdatesPage } from '../../base/http/shown.js';
import { ServerSet } from '../../base/http/validate.js';
import type { HeldReason, Actor, ChangeSource } from '../../tenancy/identity/person.js';
import { PersonBody, LeftEndpointBody } from '../../tenancy/tenants/tenants.dto.js';
import type { UserRow } from './user.row.js';

const SERVER_FIELDS = ['id', 'seat', 'source', 'managed_by', 'held', 'held_since', 'created_at', 'updated_at'] as const;

/** A user can lack e-mail and role; a null that is sent back has no effect. */
const UNCHANGED = 'null, as read, means unchanged';

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

/** Fields that a user can lack: a null, as in an answer, is no change. */
class SentBack {
  @Text({ max: 320, optional: true, nullable: true, format: 'email', pattern: EMAIL, description: UNCHANGED })
  email?: string | null;
  @Text({ max: 200, optional: true, nullable: true, description: UNCHANGED })
  role?: string | null;
}

/** A JSON merge patch (RFC 7396). */
@ServerSet(...SERVER_FIELDS)
export class ChangeUser extends IntersectionType(ChangeType(OmitType(CreateUser, ['email', 'role'])), SentBack) {}

@ServerSet(...SERVER_FIELDS)
export class PutUser extends IntersectionType(
  PutType(OmitType(CreateUser, ['email', 'role'])),
  PickType(SentBack, ['role']),
) {
  @Text({ max: 320, nullable: true, format: 'email', pattern: EMAIL, description: UNCHANGED })
  email!: string | null;
}

export type ChangedFields = Omit<ChangeUser, 'email' | 'role'> & { email?: string; role?: string };

export function givenFields<T extends { email?: string | null; role?: string | null }>(
  body: T,
): Omit<T, 'email' | 'role'> & { email?: string; role?: string } {
  const { email, role, ...rest } = body;
  return { ...rest, ...(email == null ? {} : { email }), ...(role == null ? {} : { role }) };
}

class ManagedBy {
  @ApiProperty()
  id!: string;
  @ApiProperty()
  name!: string;
}

/** The effective state of a user. */
export class UserBody extends IntersectionType(PersonBody, Times) {
  @ApiProperty({ example: 'usr_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  id!: string;
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
}

export class ChangedUserBody extends UserBody {
  @ApiProperty({
    type: [LeftEndpointBody],
    required: false,
    description: 'Where the change deactivates the user: webhook endpoints that the user has made. Left out: none.',
  })
  endpoints?: LeftEndpointBody[];
}

export class UserListBody extends UpdatesPage(UserBody, 'a user') {}

/** Returns a user in the form of the API. */
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

/** The actor of an entry, with the name at that time. */
export class ActorBody implements Actor {
  @ApiProperty({ enum: ['key', 'directory', 'user', 'operator', 'system'] })
  kind!: Actor['kind'];
  @ApiProperty()
  id!: string;
  @ApiProperty()
  name!: string;
}

/** The source of a change. */
export class ChangeSourceBody implements ChangeSource {
  @ApiProperty()
  request_id!: string;
  @ApiProperty({ enum: ['api', 'scim', 'sign-in', 'system'] })
  surface!: ChangeSource['surface'];
  @ApiProperty({ type: String, nullable: true })
  directory_id!: string | null;
  @ApiProperty()
  actor!: ActorBody;
}
