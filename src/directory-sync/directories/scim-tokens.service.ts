import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { mintToken } from '../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { newId } from '../../base/ids.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import { liveIn, TENANT_ROW, type Cap, demandRoom } from '../../tenancy/tenants/caps.js';
import { expiryProblem, rotatedExpiry } from '../../tenancy/tenants/credentials.rules.js';
import { scimBaseOf, TenantAddresses } from '../../tenancy/tenants/tenant-addresses.js';
import type { RotateCredential } from '../../tenancy/tenants/tenants.dto.js';
import { CredentialEnded } from '../../tenancy/tenants/tenants.errors.js';
import type { CreateScimToken, NewScimTokenBody, ScimTokenBody } from './directories.dto.js';
import { DirectoriesRepository, type ScimTokenRow } from './directories.repository.js';
import { DirectoryMarks, NO_REQUESTS, demandUnused } from './directory-marks.js';
import type { AdminRequest } from './directory.js';
import { ScimTokenStore, ScimTokenUses } from './scim-token.store.js';

const DIRECTORY_ROW = `select 1 from directories where tenant_id = $1 and id = $2 for no key update`;

export const DIRECTORIES_CAP: Cap = {
  most: 50,
  code: 'too_many_directories',
  whose: 'A tenant',
  what: 'directories',
  remedy: 'delete one that is not needed',
  count: `select count(*)::int as n from directories where tenant_id = $1 and deleted_at is null`,
  lock: TENANT_ROW,
};

export const SCIM_TOKENS_CAP: Cap = {
  most: 20,
  code: 'too_many_scim_tokens',
  whose: 'A directory',
  what: 'live SCIM tokens',
  remedy: 'revoke one that is not needed',
  count: liveIn('scim_tokens where tenant_id = $1 and directory_id = $2'),
  lock: DIRECTORY_ROW,
};

const DEFAULT_OVERLAP_SECONDS = 86_400;

/** The SCIM tokens of a directory. Several can be valid at once, so that a rotation needs no outage. */
@Injectable()
export class ScimTokensService {
  constructor(
    private readonly db: Database,
    private readonly repository: DirectoriesRepository,
    private readonly audit: AuditService,
    private readonly credentials: ScimTokenStore,
    private readonly addresses: TenantAddresses,
    private readonly clock: Clock,
    private readonly uses: ScimTokenUses,
    private readonly marks: DirectoryMarks,
  ) {}

  async forget(ids: readonly string[]): Promise<void> {
    await this.credentials.forget(...ids);
  }

  async create(by: AdminRequest, directoryId: string, input: CreateScimToken): Promise<NewScimTokenBody> {
    return once(this.db, by, async (tx) => {
      await this.demandDirectory(by.tenantId, directoryId, tx);
      return this.createIn(tx, by, directoryId, input);
    });
  }

  async createIn(
    tx: SqlRunner,
    by: AdminRequest,
    directoryId: string,
    input: CreateScimToken,
  ): Promise<NewScimTokenBody> {
    const expiresAt = input.expires_at ?? null;
    const problem = expiresAt === null ? null : expiryProblem(expiresAt, this.clock.now());
    if (problem !== null) throw new InvalidFields([{ field: 'expires_at', message: problem }]);
    await demandRoom(tx, SCIM_TOKENS_CAP, by.tenantId, directoryId);
    const minted = mintToken('tbs', by.tenantId);
    const id = newId('tok');
    await this.repository.insertToken(tx, {
      tenantId: by.tenantId,
      id,
      directoryId,
      name: input.name ?? 'token',
      prefix: minted.prefix,
      hash: minted.hash,
      createdBy: by.actor,
      expiresAt,
    });
    const token = (await this.repository.findToken(by.tenantId, directoryId, id, tx))!;
    await this.note(tx, by, 'scim_token.created', directoryId, token);
    return {
      ...token,
      ...NO_REQUESTS,
      scim_token: minted.token,
      scim_base_url: scimBaseOf(await this.addresses.of(by.tenantId)),
    };
  }

  async list(tenantId: string, directoryId: string, page: PageRequest): Promise<ScimTokenBody[]> {
    await this.demandDirectory(tenantId, directoryId);
    return this.marks.shownWith(tenantId, await this.repository.listTokens(tenantId, directoryId, page));
  }

  async get(tenantId: string, directoryId: string, id: string): Promise<ScimTokenBody> {
    await this.demandDirectory(tenantId, directoryId);
    const [token] = await this.marks.shownWith(tenantId, [await this.demand(tenantId, directoryId, id)]);
    return token!;
  }

  /**
   * Replaces a token. The old one stays valid for the overlap. The new one has the same lifetime unless the request has
   * an end.
   *
   * @throws {CredentialEnded} when the old token has ended
   */
  async rotate(by: AdminRequest, directoryId: string, id: string, input: RotateCredential): Promise<NewScimTokenBody> {
    const next = await once(this.db, by, async (tx) => {
      await this.demandDirectory(by.tenantId, directoryId, tx);
      const old = await this.demand(by.tenantId, directoryId, id, tx, true);
      const now = this.clock.now();
      if (old.revoked_at !== null || (old.expires_at !== null && old.expires_at <= now)) throw new CredentialEnded();
      // The old token ends first, so that it does not count towards the limit.
      await this.repository.revokeToken(tx, by.tenantId, id, input.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS);
      const token = await this.createIn(tx, by, directoryId, {
        name: old.name,
        expires_at: rotatedExpiry(old, input.expires_at, now),
      });
      await this.note(
        tx,
        by,
        'scim_token.rotated',
        directoryId,
        await this.demand(by.tenantId, directoryId, id, tx),
        old,
      );
      return token;
    });
    await this.credentials.forget(id);
    return next;
  }

  /** @throws {CredentialInUse} when a token was used in the last 24 hours, unless `force` is set */
  async demandIdle(tx: SqlRunner, tenantId: string, directoryId: string, force: boolean): Promise<void> {
    demandUnused(await this.repository.lastUseOfToken(tx, tenantId, directoryId), this.clock.now(), force);
  }

  /** Ends a token. Every process refuses the token within a second. */
  async revoke(by: AdminRequest, directoryId: string, id: string, force: boolean): Promise<void> {
    await this.uses.flush();
    await this.db.transaction(by.tenantId, async (tx) => {
      await this.demandDirectory(by.tenantId, directoryId, tx);
      const before = await this.demand(by.tenantId, directoryId, id, tx, true);
      if (before.revoked_at !== null && before.revoked_at.getTime() <= this.clock.now().getTime()) return;
      demandUnused(before.last_used_at, this.clock.now(), force);
      await this.repository.revokeToken(tx, by.tenantId, id, 0);
      await this.note(
        tx,
        by,
        'scim_token.revoked',
        directoryId,
        await this.demand(by.tenantId, directoryId, id, tx),
        before,
      );
    });
    await this.credentials.forget(id);
  }

  private async demandDirectory(tenantId: string, directoryId: string, db?: SqlRunner): Promise<void> {
    if (!(await this.repository.hasDirectory(tenantId, directoryId, db))) throw new NotFound('directory');
  }

  private async demand(
    tenantId: string,
    directoryId: string,
    id: string,
    db?: SqlRunner,
    lock = false,
  ): Promise<ScimTokenRow> {
    const token = await this.repository.findToken(tenantId, directoryId, id, db, lock);
    if (token === null) throw new NotFound('SCIM token');
    return token;
  }

  private note(
    tx: SqlRunner,
    by: AdminRequest,
    action: string,
    directoryId: string,
    token: ScimTokenRow,
    before?: ScimTokenRow,
  ): Promise<void> {
    const after = { ...token, directory_id: directoryId };
    return this.audit.record(tx, { ...by, action, targetType: 'scim_token', targetId: token.id, before, after });
  }
}
