import { ApiProperty } from '@nestjs/swagger';
import { Choice, Text } from '../../base/http/fields.js';
import type { ConsoleRole } from '../../tenancy/tenants/console-credentials.js';

const REASON = { max: 500, min: 1, example: 'Ticket 4711: the administrators are locked out' };

/** The body of `POST /console/session`. */
export class EnterConsole {
  @Text({
    max: 500,
    optional: true,
    description:
      'The secret of a link of the operator: what follows `#link=`. Left out: by the sign-in of the browser.',
  })
  link?: string;
}

/** The body of `POST /installation/console-links`. */
export class MakeConsoleLink {
  @Choice(['operator', 'admin', 'auditor'], {
    description: 'What the link opens: the installation, or one tenant with all rights or with rights to read.',
  })
  role!: ConsoleRole;

  @Text({
    max: 64,
    optional: true,
    nullable: true,
    example: 'ten_01k0000000abcdefghjkmnpqrs',
    description: 'The tenant of the roles `admin` and `auditor`; not of `operator`.',
  })
  tenant_id?: string | null;

  @Text({ ...REASON, description: 'Why. The audit log of the tenant, or of the installation, has it.' })
  reason!: string;

  @Text({
    max: 200,
    optional: true,
    example: 'ann.lee',
    description: 'The person who makes the link; the audit log has the name with the link and with its use.',
  })
  made_by?: string;
}

/** A link of the console. It is shown once. */
export class ConsoleLinkBody {
  @ApiProperty({ format: 'uri', description: 'Works once. The secret is in the fragment, which no server sees.' })
  url!: string;
  @ApiProperty({ enum: ['operator', 'admin', 'auditor'] })
  role!: ConsoleRole;
  @ApiProperty({ type: String, nullable: true })
  tenant_id!: string | null;
  @ApiProperty({ description: 'Ten minutes from now.' })
  expires_at!: Date;
}

/** The body of `POST /tenants/{id}/enter`. */
export class EnterTenant {
  @Text({ ...REASON, description: 'Why. The audit log of the tenant has it.' })
  reason!: string;
}

class EnteredTenant {
  @ApiProperty()
  id!: string;
  @ApiProperty()
  name!: string;
}

/** A tenant that the operator reads. */
export class EnteredBody {
  @ApiProperty()
  tenant!: EnteredTenant;
  @ApiProperty({ description: 'Thirty minutes from now.' })
  entered_until!: Date;
}

/** How long a session of the console lasts without use. */
export const IDLE_SECONDS = 1_800;

/** How long after the sign-in, or the opening of the link, it ends at the latest. */
export const ABSOLUTE_SECONDS = 8 * 3_600;

/** How long a link can be opened: long enough to hand it over. */
export const LINK_SECONDS = 600;

/** How long the operator reads a tenant after entering it. */
export const ENTERED_SECONDS = 1_800;
