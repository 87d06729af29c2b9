import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Logger } from '../../../base/log/logger.js';
import { Background } from '../../../base/loop.js';
import { systemActor } from '../../../tenancy/identity/source.js';
import { RECHECK_HOURS, domainStateOf } from './domain-check.rules.js';
import { DomainVerification } from './domain-verification.js';
import { DomainsRepository } from './domains.repository.js';

const EVERY_MS = 5 * 60_000;
const HOUR = 3_600_000;

/**
 * Checks daily that the records of verified domains are still there. A domain without its record links no further users;
 * after a week the tenant loses it. Without an answer of a name server nothing changes.
 */
@Injectable()
export class DomainChecks extends Background {
  constructor(
    private readonly repository: DomainsRepository,
    private readonly verification: DomainVerification,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    super(EVERY_MS, 'checking domains', logger);
  }

  /** One domain that is due; true if there may be another. */
  override async run(): Promise<boolean> {
    const now = this.clock.now();
    const row = await this.repository.takeDue(new Date(now.getTime() - RECHECK_HOURS * HOUR), now);
    if (row === null) return false;
    const by = { tenantId: row.tenant_id, actor: systemActor('domain check'), requestId: null };
    const proof = await this.verification.prove(row);
    const after = await this.verification.settle(by, row, proof);
    if (after !== null && domainStateOf(after) !== domainStateOf(row)) {
      this.logger.warn('domain.checked', { tenant_id: row.tenant_id, domain: row.domain, state: domainStateOf(after) });
    } else if (proof.kind === 'unknown') {
      this.logger.warn('domain.unanswered', { tenant_id: row.tenant_id, domain: row.domain, detail: proof.detail });
    }
    return true;
  }
}
