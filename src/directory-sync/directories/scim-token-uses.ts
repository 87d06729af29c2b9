import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { CredentialUses, storeLastUses, type UsedCredential } from '../../tenancy/tenants/credential-uses.js';
import { DirectoryMarks } from './directory-marks.js';

type UsedToken = UsedCredential & { directoryId: string };

/** When each SCIM token was last used, and with it when each directory has sent its last request. */
@Injectable()
export class ScimTokenUses extends CredentialUses<UsedToken> {
  constructor(
    private readonly db: Database,
    private readonly marks: DirectoryMarks,
    logger: Logger,
  ) {
    super(logger);
  }

  protected override async write(uses: readonly (UsedToken & { at: Date })[]): Promise<void> {
    await storeLastUses(this.db, 'scim_tokens', uses);
    await this.marks.seen(uses);
  }
}
