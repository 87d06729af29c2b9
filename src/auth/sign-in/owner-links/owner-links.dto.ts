import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../../../base/http/fields.js';
import { REASON } from '../../../tenancy/tenants/tenants.dto.js';

/** The user of a new sign-in link. */
export class MakeOwnerLink {
  @Text({
    max: 64,
    optional: true,
    nullable: true,
    example: 'usr_01k0000000abcdefghjkmnpqrs',
    description: 'The owner, when left out; or one of the tenant’s break-glass accounts.',
  })
  user_id?: string | null;

  @Text(REASON)
  reason?: string;
}

/** A sign-in link. It is shown once. */
export class OwnerLinkBody {
  @ApiProperty({ format: 'uri', description: 'Works once. The secret is in the fragment, which no server sees.' })
  url!: string;
  @ApiProperty({ description: 'The user who signs in by it.' })
  user_id!: string;
  @ApiProperty({ description: 'Ten minutes from now.' })
  expires_at!: Date;
}

/** The form of the page of a link. */
export class OwnerSignInForm {
  @ApiProperty({ description: 'The secret of the link, or the whole link.' })
  code!: string;
}
