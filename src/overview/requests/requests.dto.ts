import { ApiProperty } from '@nestjs/swagger';
import { HELD_REASONS } from '../../directory-sync/users/held/held.dto.js';
import { RECOGNISED } from '../../protocols/scim/dialects/dialects.js';

const TEXT = { type: String, nullable: true } as const;

/** What an accepted write did. */
export const OUTCOMES = ['created', 'linked', 'changed', 'unchanged', 'deleted', 'previewed', 'bulk'] as const;

export class RequestBody {
  @ApiProperty({
    example: 'req_01k0000000abcdefghjkmnpqrs',
    description: '`X-Request-Id` of the answer. Of an operation of Bulk with a dot and its place.',
  })
  id!: string;
  @ApiProperty({ description: 'When it arrived.' })
  at!: Date;
  @ApiProperty()
  directory_id!: string;
  @ApiProperty({ description: 'The SCIM token.' })
  credential_id!: string;
  @ApiProperty({ example: 'PATCH' })
  method!: string;
  @ApiProperty({
    example: '/scim/v2/Users/usr_01jd0q4m8k7v2y9wq3x5c6z8ab',
    description: 'Without the query; `:id` is an id that is not of this service.',
  })
  path!: string;
  @ApiProperty({ type: 'integer', example: 200, description: '499: the IdP had left before the answer.' })
  status!: number;
  @ApiProperty({ type: Number })
  duration_ms!: number;
  @ApiProperty({ ...TEXT, enum: RECOGNISED, description: 'The IdP that the request shows; null: it could be of any.' })
  dialect!: string | null;
  @ApiProperty({
    ...TEXT,
    description: 'The user in the path, or the new one; null for lists, groups and Bulk itself.',
  })
  user_id!: string | null;
  @ApiProperty(TEXT)
  group_id!: string | null;
  @ApiProperty({
    ...TEXT,
    enum: OUTCOMES,
    description: 'Of an accepted write. Of a group `changed`, also where it was so already.',
  })
  outcome!: string | null;
  @ApiProperty({ ...TEXT, enum: HELD_REASONS, description: 'Why the user was held after the write.' })
  held!: string | null;
  @ApiProperty({ ...TEXT, description: 'Of `linked`: the attribute by which the user was found.' })
  linked_by!: string | null;
  @ApiProperty({ ...TEXT, description: 'Of a refusal: its code.' })
  code!: string | null;
  @ApiProperty({ ...TEXT, description: 'Of a refusal: `scimType` of the answer.' })
  scim_type!: string | null;
  @ApiProperty({ ...TEXT, description: 'Why it was refused, without quoted values; of Bulk its operations by status.' })
  detail!: string | null;
  @ApiProperty({
    ...TEXT,
    description: 'Of a refused request that names no user here: the `userName` of its body.',
  })
  user_name!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'The length of the body.' })
  body_bytes!: number | null;
}

export class RequestDetailBody extends RequestBody {
  @ApiProperty({
    type: Object,
    nullable: true,
    additionalProperties: true,
    description:
      'The body as it came, with `(removed)` in place of passwords and secrets. Null: there was none, it was longer than ' +
      '64 KiB or no JSON, or it is older than `RETENTION_BODIES`.',
  })
  body!: unknown;
}
