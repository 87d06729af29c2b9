import { Get } from '@nestjs/common';
import { PersonBody } from './tenants.dto.js';
import { ApiOkResponse, ApiOperation, ApiProperty, PickType } from '@nestjs/swagger';
import { ApiController } from './api-key.guard.js';
import { ApiKeysService } from './api-keys.service.js';
import { CurrentCaller, AnyCaller, type Caller } from './caller.js';
import { ConsoleCredentials, type ConsoleRole, type ConsoleSessionFacts } from './console-credentials.js';
import { SCOPES } from './scopes.js';
import { TenantStore } from './tenant.store.js';

class MeTenant {
  @ApiProperty()
  id!: string;
  @ApiProperty()
  name!: string;
}

class MeKey {
  @ApiProperty()
  id!: string;
  @ApiProperty()
  name!: string;
  @ApiProperty({ type: String, isArray: true, enum: SCOPES })
  scopes!: string[];
  @ApiProperty({ type: Date, nullable: true })
  expires_at!: Date | null;
}

class MeUser extends PickType(PersonBody, ['email', 'first_name', 'last_name']) {
  @ApiProperty()
  id!: string;
}

class MeSession {
  @ApiProperty({ enum: ['operator', 'admin', 'auditor'] })
  role!: ConsoleRole;
  @ApiProperty({ type: () => MeUser, nullable: true, description: 'Null for a session by a link of the operator.' })
  user!: MeUser | null;
  @ApiProperty({ description: 'Whether a link of the operator began it, in place of a sign-in.' })
  by_link!: boolean;
  @ApiProperty({ type: String, isArray: true, enum: SCOPES })
  scopes!: string[];
  @ApiProperty({
    description: 'When the user signed in, or the link was opened.',
  })
  signed_in_at!: Date;
  @ApiProperty({
    type: Date,
    nullable: true,
    description:
      'When the user authenticated, as the IdP states it (`auth_time`, `AuthnInstant`), or the link was opened; null: the IdP does not state it. Secrets, deletions and limits need an authentication of the last ten minutes.',
  })
  authenticated_at!: Date | null;
  @ApiProperty({ description: 'When it is over if it is not used any more.' })
  expires_at!: Date;
  @ApiProperty({ type: Date, nullable: true, description: 'Until when the operator reads `tenant`; null for others.' })
  entered_until!: Date | null;
}

/** The answer of `GET /me`: with `api_key` for a key, with `session` for a session of the console. */
export class MeBody implements Partial<ConsoleSessionFacts> {
  @ApiProperty({ type: () => MeTenant, nullable: true, description: 'Null for an operator who has entered no tenant.' })
  tenant!: MeTenant | null;
  @ApiProperty({ required: false, type: () => MeKey })
  api_key?: MeKey;
  @ApiProperty({ required: false, type: () => MeSession })
  session?: MeSession;
}

/** The connection test of automation tools and of the console: tenant, credential and its rights. */
@ApiController('me', { unversioned: true })
export class MeController {
  constructor(
    private readonly tenants: TenantStore,
    private readonly keys: ApiKeysService,
    private readonly consoles: ConsoleCredentials,
  ) {}

  @Get()
  @AnyCaller()
  @ApiOperation({ summary: 'Checks the connection and the credential' })
  @ApiOkResponse({ type: MeBody })
  async me(@CurrentCaller() caller: Caller): Promise<MeBody> {
    if (caller.console !== undefined) return this.consoles.describe(caller.console);
    const [tenant, key] = await Promise.all([
      this.tenants.get(caller.tenantId),
      this.keys.get(caller.tenantId, caller.keyId),
    ]);
    return {
      tenant: { id: tenant.id, name: tenant.name },
      api_key: { id: key.id, name: key.name, scopes: key.scopes, expires_at: key.expires_at },
    };
  }
}
