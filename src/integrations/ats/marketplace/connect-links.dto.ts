import { ApiProperty } from '@nestjs/swagger';
import { Choice } from '../../../base/http/fields.js';
import { connectors } from '../providers/providers.js';

/** The body of a new connect link. */
export class CreateConnectLink {
  @Choice(
    connectors()
      .filter(({ abilities }) => abilities.oauth)
      .map(({ provider }) => provider),
    { description: 'The ATS; one that connects by OAuth.', example: 'lever' },
  )
  provider!: string;
}

/** A link with which a person connects an ATS without an account here. */
export class ConnectLinkBody {
  @ApiProperty({ example: 'alk_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ example: 'lever' })
  provider!: string;
  @ApiProperty({ description: 'Three days from its making.' })
  expires_at!: Date;
  @ApiProperty({ type: Date, nullable: true })
  used_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  revoked_at!: Date | null;
  @ApiProperty()
  created_at!: Date;
}

/** The same with the link itself, which is shown this once. */
export class NewConnectLinkBody extends ConnectLinkBody {
  @ApiProperty({ format: 'uri', description: 'Works once. The secret is in the fragment, which no server sees.' })
  url!: string;
}
