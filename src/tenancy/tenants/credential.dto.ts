import { ApiProperty } from '@nestjs/swagger';

/** What the API shows of every credential; never its secret. */
export class CredentialBody {
  @ApiProperty()
  name!: string;
  @ApiProperty({ description: 'The beginning of the secret, by which an administrator recognises the credential.' })
  prefix!: string;
  @ApiProperty({ type: Object, additionalProperties: true })
  created_by!: unknown;
  @ApiProperty({ type: Date, nullable: true })
  expires_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  last_used_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  revoked_at!: Date | null;
  @ApiProperty()
  created_at!: Date;
}
