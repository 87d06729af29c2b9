import { Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { ApiController } from './api-controller.js';
import { ApiKeysService } from './api-keys.service.js';
import type { Caller } from './caller.js';
import { CurrentCaller } from './current-caller.js';
import { NoScope } from './require-scope.js';
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

/** The answer of `GET /me`. */
class MeBody {
  @ApiProperty()
  tenant!: MeTenant;
  @ApiProperty()
  api_key!: MeKey;
}

/** The connection test of automation tools: which tenant, which key, what it may do. */
@ApiController('me', { unversioned: true })
export class MeController {
  constructor(
    private readonly tenants: TenantStore,
    private readonly keys: ApiKeysService,
  ) {}

  @Get()
  @NoScope()
  @ApiOperation({ summary: 'Checks the connection and the credential' })
  @ApiOkResponse({ type: MeBody })
  async me(@CurrentCaller() caller: Caller): Promise<MeBody> {
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
