import { HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { reseal } from '../base/sealing/reseal.js';
import { Sealer } from '../base/crypto/seal.js';
import { Database } from '../base/database/database.js';
import { Logger } from '../base/log/logger.js';
import { OperatorController } from '../tenancy/tenants/api-key.guard.js';
import { InstallationAudit } from '../tenancy/tenants/audit/audit.service.js';
import { CurrentCaller, RecentSignIn, type Caller } from '../tenancy/tenants/caller.js';
import { SEALED_COLUMNS } from './sealed-columns.js';

/** Routes by which the operator encrypts all stored secrets with the current key. */
@OperatorController('tenants/keys')
export class KeyRotationController {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly logger: Logger,
    private readonly audit: InstallationAudit,
  ) {}

  @RecentSignIn()
  @Post('rotate')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Encrypts all secrets with the current key of the settings; the old keys can be removed afterwards',
    description:
      '`unopened` is present only if no key of the settings opens some secrets, and counts them by column. Keep the old keys until it is absent.',
  })
  async rotate(@CurrentCaller() { actor, requestId }: Caller): Promise<Rotation> {
    const act = { actor, requestId, targetType: 'encryption_key', targetId: this.sealer.currentKeyId };
    // A rotation has many transactions and can be cut off. So its beginning has a line too.
    await this.audit.record({ ...act, action: 'secrets.reseal_begun' });
    const resealed: Record<string, number> = {};
    const unopened: Record<string, number> = {};
    for (const column of SEALED_COLUMNS) {
      const name = `${column.table}.${column.column}`;
      const found = await reseal(this.db, this.sealer, column);
      resealed[name] = found.resealed;
      if (found.unopened > 0) unopened[name] = found.unopened;
    }
    const result: Rotation = { key_id: this.sealer.currentKeyId, resealed };
    if (Object.keys(unopened).length > 0) result.unopened = unopened;
    await this.audit.record({ ...act, action: 'secrets.resealed', after: result });
    this.logger.info('secrets sealed anew', { ...result });
    return result;
  }
}

/** The result of a rotation, by `table.column`. */
interface Rotation {
  key_id: string;
  resealed: Record<string, number>;
  unopened?: Record<string, number>;
}
