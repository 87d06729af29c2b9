import { ApiProperty } from '@nestjs/swagger';

const TEXT = { type: String, nullable: true } as const;

/** The platform's view of a user. */
export class PersonBody {
  @ApiProperty(TEXT)
  email!: string | null;
  @ApiProperty()
  first_name!: string;
  @ApiProperty()
  last_name!: string;
  @ApiProperty(TEXT)
  role!: string | null;
  @ApiProperty(TEXT)
  external_id!: string | null;
}
