import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { mintToken } from '../../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { Conflict, NotFound } from '../../../base/errors/domain-error.js';
import { Choice } from '../../../base/http/fields.js';
import { newId } from '../../../base/ids.js';
import { makerEnd } from '../../../directory-sync/users/user-relations.js';
import { once } from '../../../tenancy/idempotency/idempotency-keys.js';
import type { Actor } from '../../../tenancy/identity/person.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { AtsAddresses } from '../connections/ats-connections.store.js';
import { TokenClient } from '../oauth/token-client.js';
import { connectors } from '../providers/providers.js';

export class CreateConnectLink {
  @Choice(
    connectors()
      .filter(({ abilities }) => abilities.oauth)
      .map(({ provider }) => provider),
    { description: 'The ATS; one that connects by OAuth.', example: 'lever' },
  )
  provider!: string;
}

export class ConnectLinkBody {
  @ApiProperty({ example: 'alk_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ example: 'lever' })
  provider!: string;
  @ApiProperty({ description: 'Three days from its making.' })
  expires_at!: Date;
  @ApiProperty({ type: Date, nullable: true })
  used_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  revoked_at!: Date | null;
  @ApiProperty()
  created_at!: Date;
}

export class NewConnectLinkBody extends ConnectLinkBody {
  @ApiProperty({ format: 'uri', description: 'Works once. The secret is in the fragment, which no server sees.' })
  url!: string;
}

export interface OpenLink {
  id: string;
  provider: string;
  created_by: Actor;
  created_at: Date;
}

const DAYS = 3;
const MAKER_END = makerEnd('$1', 'ats_connect_links.created_by');
const COLUMNS = `id, provider, expires_at, used_at, created_at,
  case when used_at is null and ${MAKER_END} <= now() then least(revoked_at, ${MAKER_END}) else revoked_at end as revoked_at`;
const OPEN = `used_at is null and revoked_at is null and expires_at > now() and ${MAKER_END} > now()`;

/** Links that ended a month ago. */
export const CONNECT_LINK_LEFTOVERS = [
  `delete from ats_connect_links where expires_at < now() - interval '30 days'`,
  `delete from ats_authorizations where expires_at < now() - interval '1 day'`,
];

@Injectable()
export class ConnectLinksService {
  constructor(
    private readonly db: Database,
    private readonly clients: TokenClient,
    private readonly addresses: AtsAddresses,
    private readonly audit: AuditService,
  ) {}

  /** @throws {Conflict} `no_oauth_client` where the operator has set no client at the provider */
  async make(caller: Caller, provider: string): Promise<NewConnectLinkBody> {
    const { tenantId, actor, requestId } = caller;
    if (this.clients.clientOf(provider) === null) {
      throw new Conflict(
        'no_oauth_client',
        `The operator has set no OAuth client for ${provider} (ATS_OAUTH_CLIENTS).`,
      );
    }
    return once(this.db, caller, async (tx) => {
      const { token, hash } = mintToken('tbi', tenantId);
      const id = newId('alk');
      const { rows } = await tx.query<ConnectLinkBody>(
        `insert into ats_connect_links (tenant_id, id, hash, provider, created_by, expires_at)
       values ($1, $2, $3, $4, $5, now() + interval '${DAYS} days') returning ${COLUMNS}`,
        [tenantId, id, hash, provider, JSON.stringify(actor)],
      );
      const line = { action: 'ats_connect_link.created', targetType: 'ats_connect_link', targetId: id };
      await this.audit.record(tx, { tenantId, actor, requestId, ...line, after: { provider } });
      return { ...rows[0]!, url: this.addresses.connectLink(provider, token) };
    });
  }

  /** @throws {NotFound} when there is no such open link */
  async revoke({ tenantId, actor, requestId }: Caller, id: string): Promise<void> {
    await this.db.transaction(tenantId, async (tx) => {
      const { rowCount } = await tx.query(
        `update ats_connect_links set revoked_at = now() where tenant_id = $1 and id = $2 and ${OPEN}`,
        [tenantId, id],
      );
      if (rowCount !== 1) throw new NotFound('connect link');
      const line = { action: 'ats_connect_link.revoked', targetType: 'ats_connect_link', targetId: id };
      await this.audit.record(tx, { tenantId, actor, requestId, ...line });
    });
  }

  async listLinks(tenantId: string, after: string | null, limit: number): Promise<ConnectLinkBody[]> {
    const { rows } = await this.db.query<ConnectLinkBody>(
      `select ${COLUMNS} from ats_connect_links where tenant_id = $1 and ($2::text is null or id < $2)
       order by id desc limit $3`,
      [tenantId, after, limit + 1],
    );
    return rows;
  }

  /** Returns an open link by its secret; null when it is unknown, used, revoked or expired. */
  async byHash(tenantId: string, hash: Buffer): Promise<OpenLink | null> {
    const { rows } = await this.db.query<OpenLink>(
      `select id, provider, created_by, created_at from ats_connect_links where tenant_id = $1 and hash = $2 and ${OPEN}`,
      [tenantId, hash],
    );
    return rows[0] ?? null;
  }

  async byId(tenantId: string, id: string): Promise<OpenLink | null> {
    const { rows } = await this.db.query<OpenLink>(
      `select id, provider, created_by, created_at from ats_connect_links where tenant_id = $1 and id = $2 and ${OPEN}`,
      [tenantId, id],
    );
    return rows[0] ?? null;
  }

  /** Returns the maker of a link, also of a used one; null when the maker is gone or has no right any more. */
  async makerOf(tenantId: string, id: string): Promise<Actor | null> {
    const { rows } = await this.db.query<{ created_by: Actor }>(
      `select created_by from ats_connect_links where tenant_id = $1 and id = $2 and revoked_at is null and ${MAKER_END} > now()`,
      [tenantId, id],
    );
    return rows[0]?.created_by ?? null;
  }

  /** Uses up a link. Of concurrent uses one succeeds. @returns null when it is no longer open */
  async useLink(tx: SqlRunner, tenantId: string, id: string): Promise<OpenLink | null> {
    const { rows } = await tx.query<OpenLink>(
      `update ats_connect_links set used_at = now() where tenant_id = $1 and id = $2 and ${OPEN}
       returning id, provider, created_by, created_at`,
      [tenantId, id],
    );
    return rows[0] ?? null;
  }
}
