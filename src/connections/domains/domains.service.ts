import { domainToUnicode } from 'node:url';
import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { AuditService } from '../../tenants/audit/audit.service.js';
import { OnlyDoor } from '../sso-requirement/sso-requirement.js';
import { domainProblem, normalDomain } from './domain.rules.js';
import { domainShape } from './domain.mapping.js';
import { DomainVerification } from './domain-verification.js';
import type { AuditBy } from '../../tenants/audit/audit.service.js';
import type { ChangeDomain, CreateDomain, DomainBody } from './domains.dto.js';
import { DomainExists, DomainNotVerified, TooManyDomains } from './domains.errors.js';
import { BindingsRepository } from '../../sessions/bindings.repository.js';
import { DomainsRepository, type DomainRow } from './domains.repository.js';
import { DomainsStore } from './domains.store.js';

const MAX_DOMAINS = 200;

/** The domains in whose name a tenant's people sign in. A domain counts only once it was shown to be the tenant's. */
@Injectable()
export class DomainsService {
  constructor(
    private readonly db: Database,
    private readonly repository: DomainsRepository,
    private readonly bindings: BindingsRepository,
    private readonly verification: DomainVerification,
    private readonly audit: AuditService,
    private readonly store: DomainsStore,
    private readonly onlyDoor: OnlyDoor,
  ) {}

  /** Puts a domain in the list, to be verified. 409 when it is there already, or 200 others are. */
  async create(by: AuditBy, input: CreateDomain): Promise<DomainBody> {
    return this.db.transaction(by.tenantId, async (tx) => {
      const row = await this.add(tx, by, normalDomain(input.domain.trim())!, input.connection_id ?? null);
      if (row === null) throw new DomainExists();
      return domainShape(row);
    });
  }

  list(tenantId: string, page: PageRequest): Promise<DomainRow[]> {
    return this.repository.list(tenantId, page);
  }

  /** 404 when it is not in the tenant's list. */
  async get(tenantId: string, domain: string): Promise<DomainBody> {
    return domainShape(await this.demand(tenantId, domain));
  }

  /** Binds the domain to a connection, or to none. */
  async change(by: AuditBy, domain: string, input: ChangeDomain): Promise<DomainBody> {
    const after = await this.db.transaction(by.tenantId, async (tx) => {
      const before = await this.demand(by.tenantId, domain, tx, true);
      return input.connection_id === undefined ? before : this.bind(tx, by, before, input.connection_id);
    });
    this.store.forget();
    return domainShape(after);
  }

  /**
   * Looks for the record now. 409 `domain_not_verified`, which says what was found, when it is not there; 409
   * `domain_taken` when another tenant was quicker.
   */
  async verify(by: AuditBy, domain: string): Promise<DomainBody> {
    const row = await this.demand(by.tenantId, domain);
    if (row.verified_by === 'operator') return domainShape(row);
    const proof = await this.verification.prove(row);
    const after = await this.verification.settle(by, row, proof);
    if (after === null) throw new NotFound('domain');
    if (proof.kind !== 'proved' && after.verified_by !== 'operator') throw new DomainNotVerified(proof.detail);
    return domainShape(after);
  }

  /** The domain goes from the list, and is nobody's if it was this tenant's. */
  async remove(by: AuditBy, domain: string): Promise<void> {
    await this.db.transaction(by.tenantId, async (tx) => {
      const row = await this.demand(by.tenantId, domain, tx, true);
      await this.repository.delete(tx, row.tenant_id, row.domain);
      await this.note(tx, by, 'domain.removed', row.domain, row, null);
    });
    this.store.forget();
  }

  /** The operator's word in place of the record. 409 `domain_taken` when it is another tenant's. */
  async trust(by: AuditBy, text: string, input: ChangeDomain): Promise<DomainBody> {
    const problem = domainProblem(text);
    if (problem !== null) throw new InvalidFields([{ field: 'domain', message: problem }]);
    const domain = normalDomain(text)!;
    const after = await this.db.transaction(by.tenantId, async (tx) => {
      const connectionId = input.connection_id;
      const known = await this.repository.find(by.tenantId, domain, tx, true);
      const row = known ?? (await this.add(tx, by, domain, connectionId ?? null));
      // Only who was quicker by a moment can have put it there.
      if (row === null) throw new DomainExists();
      const bound = known === null || connectionId === undefined ? row : await this.bind(tx, by, row, connectionId);
      return bound.verified_by === 'operator' ? bound : this.verification.verify(tx, by, bound, 'operator');
    });
    this.store.forget();
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
    // The e-mails of a domain that is not verified lead nowhere yet: nothing is taken from its users. The operator is the
    // one who opens a door to a tenant that has locked itself out, and is not held back.
    if (connectionId !== null && before.verified_by !== null && by.actor.kind !== 'operator') {
      await this.onlyDoor.demandTested(tx, by.tenantId, before.connection_id, connectionId);
    }
    await this.repository.bind(tx, before.tenant_id, before.domain, connectionId);
    if (connectionId !== null) {
      await this.endBindingsOfOthers(tx, before.tenant_id, before.domain, connectionId);
    }
    const after = { ...before, connection_id: connectionId };
    await this.note(tx, by, 'domain.changed', before.domain, before, after);
    return after;
  }

  /** Only this connection may say an e-mail of the domain now, so what other connections have linked by it ends. */
  private endBindingsOfOthers(tx: SqlRunner, tenantId: string, domain: string, connectionId: string): Promise<void> {
    return this.bindings.dropOfDomain(tx, tenantId, [domain, domainToUnicode(domain)], connectionId);
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
