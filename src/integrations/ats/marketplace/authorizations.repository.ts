import { Injectable } from '@nestjs/common';
import { hashToken, parseToken, sameHash } from '../../../base/crypto/tokens.js';
import { Database } from '../../../base/database/database.js';
import { ConnectRefused } from './marketplace.errors.js';

export interface Authorization {
  provider: string;
  browser_hash: Buffer;
  /** The signed-in user who began it; null for a connect link. */
  user_id: string | null;
  link_id: string | null;
  /** The connection that gets the grant; null for a new one, until it is made. */
  connection_id: string | null;
  used: boolean;
  expired: boolean;
}

type NewAuthorization = Omit<Authorization, 'used' | 'expired'> & { hash: Buffer };

const SECONDS = 600;

export interface KnownState {
  tenantId: string;
  hash: Buffer;
  authorization: Authorization;
}

/** Stores authorizations at ATSs, and finds them by `state`, of which only the hash is stored. */
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

  private async find(tenantId: string, hash: Buffer): Promise<Authorization | null> {
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

  async made(tenantId: string, hash: Buffer, connectionId: string): Promise<void> {
    await this.db.query(`update ats_authorizations set connection_id = $3 where tenant_id = $1 and hash = $2`, [
      tenantId,
      hash,
      connectionId,
    ]);
  }

  /** @throws {ConnectRefused} `state_unknown`, or `other_provider` */
  async stateOf(provider: string, state: string): Promise<KnownState> {
    const parsed = parseToken(state);
    if (parsed?.kind !== 'tbg') throw new ConnectRefused('state_unknown');
    const { tenantId, hash } = parsed;
    const authorization = await this.find(tenantId, hash);
    if (authorization === null) throw new ConnectRefused('state_unknown');
    if (authorization.provider !== provider) throw new ConnectRefused('other_provider');
    return { tenantId, hash, authorization };
  }

  /** Returns the secret of this browser. @throws {ConnectRefused} `other_browser` */
  secretOf({ hash, authorization }: KnownState, cookies: ReadonlyMap<string, string>): string {
    const secret = cookies.get(stateCookie(hash));
    if (secret === undefined || !sameHash(hashToken(secret), authorization.browser_hash)) {
      throw new ConnectRefused('other_browser');
    }
    return secret;
  }

  /** The cookie of an answer, to be removed; null for an unknown state. */
  cookieOf(state: string): string | null {
    const parsed = parseToken(state);
    return parsed?.kind === 'tbg' ? stateCookie(parsed.hash) : null;
  }
}

export function stateCookie(hash: Buffer): string {
  return `__Host-ats-${hash.toString('hex').slice(0, 16)}`;
}
