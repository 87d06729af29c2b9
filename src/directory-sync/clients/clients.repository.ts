import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import type { ClientSettings } from './client.rules.js';
import type { ClientBody, ClientSecretBody } from './clients.dto.js';

export type ClientRow = Omit<ClientBody, 'token_url' | 'scim_base_url'>;

const SECRET_COLUMNS = 'id, prefix, created_by, created_at, expires_at, last_used_at, revoked_at';
const COLUMNS = `id, name, kind, issuer, subject, audience, jwks, jwks_url, access_token_seconds, created_by, created_at,
  last_used_at, revoked_at`;

@Injectable()
export class ClientsRepository {
  constructor(private readonly db: Database) {}

  async insert(
    tx: SqlRunner,
    client: { tenantId: string; id: string; directoryId: string; name: string; seconds: number; createdBy: unknown },
    settings: ClientSettings,
  ): Promise<void> {
    const { kind, issuer, subject, audience, jwks, jwks_url } = settings;
    await tx.query(
      `insert into directory_clients (tenant_id, id, directory_id, name, access_token_seconds, created_by, kind, issuer,
         subject, audience, jwks, jwks_url)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        client.tenantId,
        client.id,
        client.directoryId,
        client.name,
        client.seconds,
        JSON.stringify(client.createdBy),
        kind,
        issuer,
        subject,
        audience,
        jwks === null ? null : JSON.stringify(jwks),
        jwks_url,
      ],
    );
  }

  async insertSecret(
    tx: SqlRunner,
    secret: {
      tenantId: string;
      id: string;
      clientId: string;
      prefix: string;
      hash: Buffer;
      createdBy: unknown;
      expiresAt: Date;
    },
  ): Promise<ClientSecretBody> {
    const { rows } = await tx.query<ClientSecretBody>(
      `insert into client_secrets (tenant_id, id, client_id, prefix, hash, created_by, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7) returning ${SECRET_COLUMNS}`,
      [
        secret.tenantId,
        secret.id,
        secret.clientId,
        secret.prefix,
        secret.hash,
        JSON.stringify(secret.createdBy),
        secret.expiresAt,
      ],
    );
    return rows[0]!;
  }

  async list(tenantId: string, directoryId: string, page: PageRequest): Promise<ClientRow[]> {
    const { rows } = await this.db.query<Omit<ClientRow, 'secrets'>>(
      `select ${COLUMNS} from directory_clients
       where tenant_id = $1 and directory_id = $2 and ($3::text is null or id < $3) order by id desc limit $4`,
      [tenantId, directoryId, page.after, page.limit + 1],
    );
    return this.withSecrets(tenantId, rows, this.db);
  }

  /** `lock`: other changes of the client wait. */
  async find(
    tenantId: string,
    directoryId: string,
    id: string,
    db: SqlRunner = this.db,
    lock = false,
  ): Promise<ClientRow | null> {
    const { rows } = await db.query<Omit<ClientRow, 'secrets'>>(
      `select ${COLUMNS} from directory_clients where tenant_id = $1 and directory_id = $2 and id = $3
       ${lock ? 'for no key update' : ''}`,
      [tenantId, directoryId, id],
    );
    const [client] = await this.withSecrets(tenantId, rows, db);
    return client ?? null;
  }

  async revoke(tx: SqlRunner, tenantId: string, id: string): Promise<void> {
    await tx.query(
      `update directory_clients set revoked_at = now() where tenant_id = $1 and id = $2 and revoked_at is null`,
      [tenantId, id],
    );
  }

  /** Ends all clients of a directory. Returns when one of them was last used; null when none was. */
  async revokeAll(tx: SqlRunner, tenantId: string, directoryId: string): Promise<Date | null> {
    const { rows } = await tx.query<{ last_used_at: Date | null }>(
      `update directory_clients set revoked_at = now()
       where tenant_id = $1 and directory_id = $2 and revoked_at is null returning last_used_at`,
      [tenantId, directoryId],
    );
    const uses = rows.map(({ last_used_at: at }) => at).filter((at) => at !== null);
    return uses.sort((a, b) => b.getTime() - a.getTime())[0] ?? null;
  }

  /** Ends secrets in `inSeconds` seconds; an earlier end stays. `id` null: all secrets of the client. */
  async revokeSecrets(
    tx: SqlRunner,
    tenantId: string,
    clientId: string,
    id: string | null,
    inSeconds: number,
  ): Promise<void> {
    await tx.query(
      `update client_secrets set revoked_at = least(revoked_at, now() + make_interval(secs => $4))
       where tenant_id = $1 and client_id = $2 and id = coalesce($3, id)
         and (revoked_at is null or revoked_at > now())`,
      [tenantId, clientId, id, inSeconds],
    );
  }

  async hasDirectory(tenantId: string, id: string, db: SqlRunner = this.db): Promise<boolean> {
    const { rowCount } = await db.query(
      `select 1 from directories where tenant_id = $1 and id = $2 and deleted_at is null`,
      [tenantId, id],
    );
    return rowCount === 1;
  }

  private async withSecrets(
    tenantId: string,
    clients: readonly Omit<ClientRow, 'secrets'>[],
    db: SqlRunner,
  ): Promise<ClientRow[]> {
    const { rows } = await db.query<ClientSecretBody & { client_id: string }>(
      `select client_id, ${SECRET_COLUMNS} from client_secrets where tenant_id = $1 and client_id = any($2)
       order by client_id, id desc`,
      [tenantId, clients.map(({ id }) => id)],
    );
    return clients.map((client) => ({
      ...client,
      secrets: rows.filter(({ client_id }) => client_id === client.id).map(({ client_id: _, ...secret }) => secret),
    }));
  }
}
