import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';

/** An authorization that is under way: who began it, in which browser, for which connection. */
export interface Authorization {
  provider: string;
  browser_hash: Buffer;
  /** The signed-in person who began it; null: a connect link. */
  user_id: string | null;
  link_id: string | null;
  /** The connection that gets the grant; null: a new one, until it is made. */
  connection_id: string | null;
  used: boolean;
  expired: boolean;
}

/** An authorization that is to be stored. */
export type NewAuthorization = Omit<Authorization, 'used' | 'expired'> & { hash: Buffer };

const SECONDS = 600;

/** The statements of authorizations at ATSs. Of the `state` only its hash is kept. */
@Injectable()
export class AuthorizationsRepository {
  constructor(private readonly db: Database) {}

  async insert(tenantId: string, one: NewAuthorization): Promise<void> {
    await this.db.query(
      `insert into ats_authorizations (tenant_id, hash, provider, browser_hash, user_id, link_id, connection_id, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => ${SECONDS}))`,
      [tenantId, one.hash, one.provider, one.browser_hash, one.user_id, one.link_id, one.connection_id],
    );
  }

  async find(tenantId: string, hash: Buffer): Promise<Authorization | null> {
    const { rows } = await this.db.query<Authorization>(
      `select provider, browser_hash, user_id, link_id, connection_id, used_at is not null as used,
         expires_at <= now() as expired
       from ats_authorizations where tenant_id = $1 and hash = $2`,
      [tenantId, hash],
    );
    return rows[0] ?? null;
  }

  /** Uses up an authorization; false when it is used or expired. Of concurrent uses one succeeds. */
  async use(tenantId: string, hash: Buffer): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `update ats_authorizations set used_at = now()
       where tenant_id = $1 and hash = $2 and used_at is null and expires_at > now()`,
      [tenantId, hash],
    );
    return rowCount === 1;
  }

  /** Notes the connection that was made, for the page that follows. */
  async made(tenantId: string, hash: Buffer, connectionId: string): Promise<void> {
    await this.db.query(`update ats_authorizations set connection_id = $3 where tenant_id = $1 and hash = $2`, [
      tenantId,
      hash,
      connectionId,
    ]);
  }
}
