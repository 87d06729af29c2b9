import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { CredentialUses, storeLastUses, type UsedCredential } from '../../tenancy/tenants/credential-cache.js';

/** When each session of the console was last used: its idle time begins then. */
@Injectable()
export class ConsoleSessionUses extends CredentialUses {
  constructor(
    private readonly db: Database,
    logger: Logger,
  ) {
    super(logger);
  }

  protected override write(uses: readonly (UsedCredential & { at: Date })[]): Promise<void> {
    return storeLastUses(this.db, 'console_sessions', uses);
  }
}
