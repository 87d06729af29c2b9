import { Injectable } from '@nestjs/common';
import { Logger } from '../../base/log/logger.js';
import { RefusalFace } from '../../directory-sync/routes/bulk/scim-bulk.service.js';
import { refusalOf } from './refusal.js';
import { scimError } from './scim-error.js';

/** The errors of single bulk operations: the same faces, inside one answer. */
@Injectable()
export class BulkRefusals extends RefusalFace {
  constructor(private readonly logger: Logger) {
    super();
  }

  scimError(thrown: unknown) {
    const refusal = refusalOf(thrown);
    if (refusal.kind === 'internal') this.logger.error('bulk operation failed', { error: thrown });
    return scimError(refusal);
  }
}
