import { ApiProperty } from '@nestjs/swagger';

/** The kinds of records that the search finds. */
const HIT_KINDS = [
  'user',
  'directory',
  'group',
  'task',
  'request',
  'change',
  'sign_in',
  'candidate',
  'interview',
  'job',
  'api_key',
  'scim_token',
  'client',
  'connection',
  'ats_connection',
  'webhook',
  'session',
  'event',
] as const;

/** A record that the search has found. */
export class SearchHit {
  @ApiProperty({ enum: HIT_KINDS })
  kind!: (typeof HIT_KINDS)[number];
  @ApiProperty({ example: 'usr_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ description: 'The name of the record.', example: 'Ann Other' })
  title!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Of a user the e-mail, of a directory its profile, of a group the name of its directory, of a task, change, interview, job or connection to an ATS its state, of a request its status, of a sign-in what came of it, of a credential its beginning.',
  })
  detail!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Of a group or credential its directory, of a request, change, sign-in or session its user, of an interview its candidate, of an event its record; else null.',
  })
  parent_id!: string | null;
  @ApiProperty({
    type: String,
    enum: ['active', 'inactive', 'held'],
    required: false,
    description: 'Of a user; else missing.',
  })
  state?: 'active' | 'inactive' | 'held';
}

/** What the search has found. */
export class SearchBody {
  @ApiProperty({ type: [SearchHit], description: 'At most 20.' })
  data!: SearchHit[];
}
