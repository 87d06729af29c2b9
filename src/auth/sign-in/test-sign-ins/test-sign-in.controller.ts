import { Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { ApiRefusals } from '../../../base/http/api-answers.js';
import { once } from '../../../tenancy/idempotency/idempotency-keys.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { ConnectionStore } from '../../connections/connection.store.js';
import { SignInStart } from '../requests/sign-in-start.js';

class TestSignInBody {
  @ApiProperty({
    description: 'To be opened within a quarter of an hour, in the browser that is to sign in. Its button works once.',
  })
  url!: string;
}

/** Test sign-ins, which begin no session. */
@ApiController('connections/:connection_id/test-sign-in', { tag: 'connections' })
@RequireScope('admin')
@ApiRefusals()
export class TestSignInController {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly start: SignInStart,
    private readonly addresses: AuthAddresses,
    private readonly db: Database,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'A test sign-in: changes nothing, and shows what the IdP sends and which user that matches',
  })
  @ApiCreatedResponse({ type: TestSignInBody })
  async prepare(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<TestSignInBody> {
    const connection = await this.connections.byId(caller.tenantId, id);
    if (connection === null) throw new NotFound('connection');
    const handle = await once(this.db, caller, (tx) => this.start.prepareTest(tx, connection, caller.actor));
    return { url: this.addresses.test(connection.slug, handle) };
  }
}
