import { ApiProperty } from '@nestjs/swagger';

/** The kinds of records that the search finds. */
const HIT_KINDS = ['user', 'directory', 'group', 'task', 'request', 'change'] as const;

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
      'Of a user the e-mail, of a directory its profile, of a group the name of its directory, of a task or change its state, of a request its status.',
  })
  detail!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of a group its directory, of a request or change its user; else null.',
  })
  parent_id!: string | null;
}

/** What the search has found. */
export class SearchBody {
  @ApiProperty({ type: [SearchHit], description: 'At most 20.' })
  data!: SearchHit[];
}
