import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Config } from '../../../base/config/config.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { Logger } from '../../../base/log/logger.js';
import { DONE, WorkKind, type TurnOutcome, type Turn } from '../../../base/work/work.js';
import { EventsRepository } from '../../../engine/events/events.service.js';
import { systemActor } from '../../../tenancy/identity/person.js';
import { type AuditBy, AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import {
  type TxtFinding,
  checkOutcome,
  namesToAsk,
  proofOf,
  RECHECK_HOURS,
  RETRY_HOURS,
  type CheckOutcome,
  type DomainProof,
  domainStateOf,
} from './domain.rules.js';
import { domainShape } from './domains.dto.js';
import { DomainTaken } from './domains.errors.js';
import { DomainsRepository, type DomainRow, type Standing, DUE_DOMAINS } from './domains.repository.js';
import { DomainsStore } from './domains.store.js';

const TIMING = { timeout: 3_000, tries: 2 };
// Answers of name servers that prove the absence of a record.
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

const HOUR = 3_600_000;

@Injectable()
export class DomainVerification {
  private readonly servers: readonly string[];

  constructor(
    private readonly db: Database,
    private readonly repository: DomainsRepository,
    private readonly audit: AuditService,
    private readonly store: DomainsStore,
    private readonly clock: Clock,
    private readonly events: EventsRepository,
    config: Config,
  ) {
    this.servers = config.dnsServers;
  }

  /** Never throws; holds no lock and no database connection. */
  async prove({ domain, challenge }: DomainRow): Promise<DomainProof> {
    const findings = await Promise.all(namesToAsk(domain).map((name) => this.lookup(name)));
    return proofOf(domain, challenge, findings);
  }

  /**
   * @returns null when the domain was removed or added again since `asked` was read
   * @throws {DomainTaken} when the domain is proved but verified by another tenant
   */
  async settle(by: AuditBy, asked: DomainRow, proof: DomainProof): Promise<DomainRow | null> {
    const after = await this.db.transaction(asked.tenant_id, async (tx) => {
      const row = await this.repository.find(asked.tenant_id, asked.domain, tx, true);
      if (row === null || row.challenge !== asked.challenge) return null;
      // The operator's confirmation needs no record.
      if (row.verified_by === 'operator') return row;
      if (row.verified_by === 'dns') return this.recheck(tx, by, row, proof);
      if (proof.kind === 'proved') return this.verify(tx, by, row, 'dns');
      const problem = proof.kind === 'missing' ? proof.detail : row.problem;
      return this.write(tx, row, { ...row, problem, checked_at: this.clock.now() });
    });
    await this.store.forget();
    return after;
  }

  async verify(tx: SqlRunner, by: AuditBy, row: DomainRow, verifiedBy: 'dns' | 'operator'): Promise<DomainRow> {
    if (!(await this.repository.claim(tx, row.tenant_id, row.domain))) throw new DomainTaken();
    const now = this.clock.now();
    const standing = { verified_by: verifiedBy, verified_at: now, checked_at: now, problem: null, lost_at: null };
    const after = await this.write(tx, row, standing);
    await this.note(tx, by, 'domain.verified', row, after);
    return after;
  }

  private async recheck(tx: SqlRunner, by: AuditBy, row: DomainRow, proof: DomainProof): Promise<DomainRow> {
    const now = this.clock.now();
    const outcome = checkOutcome(row, proof, now);
    if (outcome.kind === 'released') await this.repository.release(tx, row.tenant_id, row.domain);
    const after = await this.write(tx, row, standingAfter(row, outcome, now));
    if (outcome.kind === 'lost' || outcome.kind === 'restored' || outcome.kind === 'released') {
      await this.note(tx, by, `domain.${outcome.kind}`, row, after);
    }
    if (outcome.kind === 'lost') {
      const data = { domain: row.domain, problem: outcome.problem };
      await this.events.record(row.tenant_id, [{ event: 'domain.lost', data }], tx);
    }
    return after;
  }

  private async write(tx: SqlRunner, row: DomainRow, standing: Standing): Promise<DomainRow> {
    await this.repository.stand(tx, row.tenant_id, row.domain, standing);
    return (await this.repository.find(row.tenant_id, row.domain, tx))!;
  }

  private note(tx: SqlRunner, by: AuditBy, action: string, before: DomainRow, after: DomainRow): Promise<void> {
    const line = { ...by, action, targetType: 'domain', targetId: before.domain };
    return this.audit.record(tx, { ...line, before: domainShape(before), after: domainShape(after) });
  }

  /** Returns the records of a name, each as one text. Never throws. `unknown`: SERVFAIL, no answer, or an invalid name. */
  async lookup(name: string, timing = TIMING): Promise<TxtFinding> {
    const resolver = new Resolver(timing);
    try {
      // A resolver per question: cancelling one does not cancel others.
      if (this.servers.length > 0) resolver.setServers(this.servers);
      const records = await resolver.resolveTxt(name);
      return { kind: 'found', texts: records.map((chunks) => chunks.join('')) };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
      return ABSENT.has(code) ? { kind: 'absent' } : { kind: 'unknown', why: code };
    }
  }
}

function standingAfter(row: DomainRow, outcome: CheckOutcome, now: Date): Standing {
  switch (outcome.kind) {
    case 'kept':
    case 'restored':
      return { ...row, checked_at: now, problem: null, lost_at: null };
    case 'lost':
      return { ...row, checked_at: now, problem: outcome.problem, lost_at: now };
    case 'still_lost':
      return { ...row, checked_at: now, problem: outcome.problem };
    case 'released':
      return { ...row, checked_at: now, problem: outcome.problem, verified_by: null, verified_at: null };
    case 'unknown':
      // Without a result, the next check is in an hour.
      return { ...row, checked_at: new Date(now.getTime() - (RECHECK_HOURS - RETRY_HOURS) * HOUR) };
  }
}

/**
 * Checks daily that the records of verified domains are still there. A domain without its record links no further users; after
 * a week the tenant loses it. Without an answer of a name server nothing changes.
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
