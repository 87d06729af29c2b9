import { ApiProperty, OmitType } from '@nestjs/swagger';
import { PersonBody } from '../../../tenancy/tenants/tenants.dto.js';

/** An active user whom the replaced directory still manages. */
export class UnlinkedUserBody extends OmitType(PersonBody, ['external_id']) {
  @ApiProperty({ example: 'usr_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  user_id!: string;
  @ApiProperty({ example: 'ann@example.com' })
  user_name!: string;
  @ApiProperty({ example: 'held' })
  seat!: string;
  @ApiProperty({ type: String, nullable: true, description: 'Why the user is held; null: the user is not held.' })
  held!: string | null;
  @ApiProperty({ type: String, format: 'date-time', description: 'The last change of the user.' })
  updated_at!: string;
}
