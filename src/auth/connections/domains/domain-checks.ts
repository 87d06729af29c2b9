import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Logger } from '../../../base/log/logger.js';
import { DONE, WorkKind, type TurnOutcome, type Turn } from '../../../base/work/work.js';
import { systemActor } from '../../../tenancy/identity/person.js';
import { domainStateOf } from './domain-check.rules.js';
import { DomainVerification } from './domain-verification.js';
import { DomainsRepository, DUE_DOMAINS } from './domains.repository.js';

/**
 * Checks daily that the records of verified domains are still there. A domain without its record links no further users;
 * after a week the tenant loses it. Without an answer of a name server nothing changes.
 */
@Injectable()
export class DomainChecks extends WorkKind {
  override readonly kind = 'domains.checks';
  override readonly everyMs = 5 * 60_000;
  override readonly callsOut = true;

  constructor(
    private readonly repository: DomainsRepository,
    private readonly verification: DomainVerification,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    super();
  }

  override due(): string {
    return DUE_DOMAINS;
  }

  /** Checks one domain. */
  override async run({ tenantId, id }: Turn): Promise<TurnOutcome> {
    const row = await this.repository.findDue(tenantId, id, this.clock.now());
    if (row === null) return DONE;
    const by = { tenantId: row.tenant_id, actor: systemActor('domain check'), requestId: null };
    const proof = await this.verification.prove(row);
    const after = await this.verification.settle(by, row, proof);
    if (after !== null && domainStateOf(after) !== domainStateOf(row)) {
      this.logger.warn('domain.checked', { tenant_id: row.tenant_id, domain: row.domain, state: domainStateOf(after) });
    } else if (proof.kind === 'unknown') {
      this.logger.warn('domain.unanswered', { tenant_id: row.tenant_id, domain: row.domain, detail: proof.detail });
    }
    return DONE;
  }
}
