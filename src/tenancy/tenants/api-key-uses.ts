import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { CredentialUses, storeLastUses, type UsedCredential } from './credential-uses.js';

/** When each API key was last used. */
@Injectable()
export class ApiKeyUses extends CredentialUses {
  constructor(
    private readonly db: Database,
    logger: Logger,
  ) {
    super(logger);
  }

  protected override write(uses: readonly (UsedCredential & { at: Date })[]): Promise<void> {
    return storeLastUses(this.db, 'api_keys', uses);
  }
}
