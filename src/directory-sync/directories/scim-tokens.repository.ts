import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import type { CredentialRequests } from './credential-hours.js';
import type { ScimTokenBody } from './scim-tokens.dto.js';

/** A SCIM token as it is stored. */
export type ScimTokenRow = Omit<ScimTokenBody, keyof CredentialRequests>;

const COLUMNS = 'id, name, prefix, created_by, expires_at, last_used_at, revoked_at, created_at';

/** Statements on the table of SCIM tokens. */
@Injectable()
export class ScimTokensRepository {
  constructor(private readonly db: Database) {}

  async insert(
    tx: SqlRunner,
    token: {
      tenantId: string;
      id: string;
      directoryId: string;
      name: string;
      prefix: string;
      hash: Buffer;
      createdBy: unknown;
      expiresAt: Date | null;
    },
  ): Promise<void> {
    await tx.query(
      `insert into scim_tokens (tenant_id, id, directory_id, name, prefix, hash, created_by, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        token.tenantId,
        token.id,
        token.directoryId,
        token.name,
        token.prefix,
        token.hash,
        JSON.stringify(token.createdBy),
        token.expiresAt,
      ],
    );
  }

  async list(tenantId: string, directoryId: string, page: PageRequest): Promise<ScimTokenRow[]> {
    const { rows } = await this.db.query<ScimTokenRow>(
      `select ${COLUMNS} from scim_tokens
       where tenant_id = $1 and directory_id = $2 and ($3::text is null or id < $3) order by id desc limit $4`,
      [tenantId, directoryId, page.after, page.limit + 1],
    );
    return rows;
  }

  /** Returns when a token of a directory was last used, of those that no admin has ended; null: none was. */
  async lastUse(tx: SqlRunner, tenantId: string, directoryId: string): Promise<Date | null> {
    const { rows } = await tx.query<{ at: Date | null }>(
      `select max(last_used_at) as at from scim_tokens
       where tenant_id = $1 and directory_id = $2 and (revoked_at is null or revoked_at > now())`,
      [tenantId, directoryId],
    );
    return rows[0]!.at;
  }

  async find(
    tenantId: string,
    directoryId: string,
    id: string,
    db: SqlRunner = this.db,
    lock = false,
  ): Promise<ScimTokenRow | null> {
    const { rows } = await db.query<ScimTokenRow>(
      `select ${COLUMNS} from scim_tokens where tenant_id = $1 and directory_id = $2 and id = $3
       ${lock ? 'for update' : ''}`,
      [tenantId, directoryId, id],
    );
    return rows[0] ?? null;
  }

  /** Ends a token in `inSeconds` seconds; an earlier end stays. */
  async revoke(tx: SqlRunner, tenantId: string, id: string, inSeconds: number): Promise<void> {
    await tx.query(
      `update scim_tokens set revoked_at = least(revoked_at, now() + make_interval(secs => $3))
       where tenant_id = $1 and id = $2`,
      [tenantId, id, inSeconds],
    );
  }

  async hasDirectory(tenantId: string, id: string, db: SqlRunner = this.db): Promise<boolean> {
    const { rowCount } = await db.query(
      `select 1 from directories where tenant_id = $1 and id = $2 and deleted_at is null`,
      [tenantId, id],
    );
    return rowCount === 1;
  }
}
