import { randomBytes } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { InvalidFields, NotFound } from '../../../base/errors/domain-error.js';
import type { PageRequest } from '../../../base/http/page.js';
import { BindingsRepository } from '../../../tenancy/sessions/bindings.repository.js';
import { AuditService, type AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { domainProblem, normalDomain } from './domain.rules.js';
import { domainShape, type ChangeDomain, type CreateDomain, type DomainBody } from './domains.dto.js';
import { DomainExists, DomainNotVerified, TooManyDomains } from './domains.errors.js';
import { DomainsRepository, madeByOthers, type DomainRow } from './domains.repository.js';
import { DomainsStore } from './domains.store.js';
import { DomainVerification } from './verification.js';

const MAX_DOMAINS = 200;

@Injectable()
export class DomainsService {
  constructor(
    private readonly db: Database,
    private readonly repository: DomainsRepository,
    private readonly bindings: BindingsRepository,
    private readonly verification: DomainVerification,
    private readonly audit: AuditService,
    private readonly store: DomainsStore,
  ) {}

  async create(by: AuditBy, input: CreateDomain): Promise<DomainBody> {
    return this.db.transaction(by.tenantId, async (tx) => {
      const domain = normalDomain(input.domain.trim())!;
      const row = await this.add(tx, by, domain, input.connection_id ?? null);
      if (row === null) throw new DomainExists(domain, await this.repository.boundTo(tx, by.tenantId, domain));
      return domainShape(row);
    });
  }

  list(tenantId: string, page: PageRequest): Promise<DomainRow[]> {
    return this.repository.list(tenantId, page);
  }

  async get(tenantId: string, domain: string): Promise<DomainBody> {
    return domainShape(await this.demand(tenantId, domain));
  }

  async change(by: AuditBy, domain: string, input: ChangeDomain): Promise<DomainBody> {
    const after = await this.db.transaction(by.tenantId, async (tx) => {
      const before = await this.demand(by.tenantId, domain, tx, true);
      return input.connection_id === undefined ? before : this.bind(tx, by, before, input.connection_id);
    });
    await this.store.forget();
    return domainShape(after);
  }

  async verify(by: AuditBy, domain: string): Promise<DomainBody> {
    const row = await this.demand(by.tenantId, domain);
    if (row.verified_by === 'operator') return domainShape(row);
    const proof = await this.verification.prove(row);
    const after = await this.verification.settle(by, row, proof);
    if (after === null) throw new NotFound('domain');
    if (proof.kind !== 'proved' && after.verified_by !== 'operator') throw new DomainNotVerified(proof.detail);
    return domainShape(after);
  }

  async remove(by: AuditBy, domain: string): Promise<void> {
    await this.db.transaction(by.tenantId, async (tx) => {
      const row = await this.demand(by.tenantId, domain, tx, true);
      await this.repository.delete(tx, row.tenant_id, row.domain);
      await this.note(tx, by, 'domain.removed', row.domain, row, null);
    });
    await this.store.forget();
  }

  async trust(by: AuditBy, text: string, input: ChangeDomain): Promise<DomainBody> {
    const problem = domainProblem(text);
    if (problem !== null) throw new InvalidFields([{ field: 'domain', message: problem }]);
    const domain = normalDomain(text)!;
    const after = await this.db.transaction(by.tenantId, async (tx) => {
      const connectionId = input.connection_id;
      const known = await this.repository.find(by.tenantId, domain, tx, true);
      const row = known ?? (await this.add(tx, by, domain, connectionId ?? null));
      // Only a concurrent request can have inserted it.
      if (row === null) throw new DomainExists(domain, null);
      const bound = known === null || connectionId === undefined ? row : await this.bind(tx, by, row, connectionId);
      return bound.verified_by === 'operator' ? bound : this.verification.verify(tx, by, bound, 'operator');
    });
    await this.store.forget();
    return domainShape(after);
  }

  private async add(
    tx: SqlRunner,
    by: AuditBy,
    domain: string,
    connectionId: string | null,
  ): Promise<DomainRow | null> {
    await this.demandConnection(tx, by.tenantId, connectionId);
    const row = {
      tenant_id: by.tenantId,
      domain,
      connection_id: connectionId,
      challenge: randomBytes(32).toString('base64url'),
    };
    if (!(await this.repository.insert(tx, row))) return null;
    if (connectionId !== null) await this.endBindingsOfOthers(tx, by.tenantId, domain, connectionId);
    if ((await this.repository.count(tx, by.tenantId)) > MAX_DOMAINS) throw new TooManyDomains(MAX_DOMAINS);
    const made = (await this.repository.find(by.tenantId, domain, tx))!;
    await this.note(tx, by, 'domain.added', domain, null, made);
    return made;
  }

  private async bind(tx: SqlRunner, by: AuditBy, before: DomainRow, connectionId: string | null): Promise<DomainRow> {
    if (before.connection_id === connectionId) return before;
    await this.demandConnection(tx, by.tenantId, connectionId);
    // An unverified domain leads no user anywhere, so binding it takes nothing away. The operator restores access for a
    // tenant that is locked out, and is not held back.
    if (connectionId !== null && before.verified_by !== null && by.actor.kind !== 'operator') {
      await this.repository.demandTested(tx, by.tenantId, before.connection_id, connectionId);
    }
    await this.repository.bind(tx, before.tenant_id, before.domain, connectionId);
    if (connectionId !== null) {
      await this.endBindingsOfOthers(tx, before.tenant_id, before.domain, connectionId);
    }
    const after = { ...before, connection_id: connectionId };
    await this.note(tx, by, 'domain.changed', before.domain, before, after);
    return after;
  }

  /** Only this connection may vouch for e-mails of the domain now: bindings by e-mail of other connections end. */
  private endBindingsOfOthers(tx: SqlRunner, tenantId: string, domain: string, connectionId: string): Promise<void> {
    return this.bindings.remove(tx, tenantId, madeByOthers([domain, domainToUnicode(domain)], connectionId));
  }

  private async demandConnection(tx: SqlRunner, tenantId: string, id: string | null): Promise<void> {
    if (id === null || (await this.repository.hasConnection(tx, tenantId, id))) return;
    throw new InvalidFields([{ field: 'connection_id', message: 'must be a connection of this tenant' }]);
  }

  private async demand(tenantId: string, text: string, tx?: SqlRunner, lock = false): Promise<DomainRow> {
    const domain = normalDomain(text);
    const row = domain === null ? null : await this.repository.find(tenantId, domain, tx, lock);
    if (row === null) throw new NotFound('domain');
    return row;
  }

  private note(
    tx: SqlRunner,
    by: AuditBy,
    action: string,
    domain: string,
    before: DomainRow | null,
    after: DomainRow | null,
  ): Promise<void> {
    const line = { ...by, action, targetType: 'domain', targetId: domain };
    return this.audit.record(tx, {
      ...line,
      before: before === null ? undefined : domainShape(before),
      after: after === null ? undefined : domainShape(after),
    });
  }
}
