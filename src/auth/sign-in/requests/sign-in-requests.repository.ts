import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { Actor } from '../../../tenancy/identity/person.js';
import { makerEnd } from '../../../directory-sync/users/user-relations.js';
import { SIGN_IN_SECONDS } from './browser-half.js';

export interface SignInRequest {
  id: string;
  connection_id: string;
  kind: 'sign-in' | 'test';
  browser_hash: Buffer | null;
  return_to: string | null;
  code_challenge: string | null;
  /** The IdP was asked to authenticate the user anew (`prompt=login`, `ForceAuthn`). */
  asked_anew: boolean;
  actor: Actor | null;
  used: boolean;
  expired: boolean;
  created_at: Date;
}

type NewSignInRequest = Omit<SignInRequest, 'connection_id' | 'used' | 'expired' | 'created_at'>;

/** A test ends with the key or user that prepared it, too. */
const OPEN = `(expires_at > now() and (actor is null or ${makerEnd('$1', 'sign_in_requests.actor')} > now()))`;

const SHOWN = 'id, connection_id, kind, browser_hash, return_to, code_challenge, asked_anew, actor, created_at';
const COLUMNS = `${SHOWN}, used_at is not null as used,
  not ${OPEN} as expired`;

const TEST_LINK_SECONDS = 900;

@Injectable()
export class SignInRequestsRepository {
  constructor(private readonly db: Database) {}

  async insert(
    tenantId: string,
    connectionId: string,
    request: NewSignInRequest,
    db: SqlRunner = this.db,
  ): Promise<void> {
    const seconds = request.browser_hash === null ? TEST_LINK_SECONDS : SIGN_IN_SECONDS;
    await db.query(
      `insert into sign_in_requests (tenant_id, id, connection_id, kind, browser_hash, return_to, code_challenge, actor,
         expires_at, asked_anew)
       values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9), $10)`,
      [
        tenantId,
        request.id,
        connectionId,
        request.kind,
        request.browser_hash,
        request.return_to,
        request.code_challenge,
        request.actor === null ? null : JSON.stringify(request.actor),
        seconds,
        request.asked_anew,
      ],
    );
  }

  async find(tenantId: string, id: string): Promise<SignInRequest | null> {
    const { rows } = await this.db.query<SignInRequest>(
      `select ${COLUMNS} from sign_in_requests where tenant_id = $1 and id = $2`,
      [tenantId, id],
    );
    return rows[0] ?? null;
  }

  /**
   * Uses up an open request of a connection and a browser, in one statement. Of concurrent uses one succeeds.
   *
   * @returns the request before its use; null when it is unknown, used, expired, or of another connection or browser
   */
  async take(tenantId: string, connectionId: string, id: string, browserHash: Buffer): Promise<SignInRequest | null> {
    const { rows } = await this.db.query<SignInRequest>(
      `update sign_in_requests set used_at = now()
       where tenant_id = $1 and id = $2 and connection_id = $3 and browser_hash = $4 and used_at is null
         and ${OPEN}
       returning ${SHOWN}, false as used, false as expired`,
      [tenantId, id, connectionId, browserHash],
    );
    return rows[0] ?? null;
  }

  /** Returns false when the request is used or expired. Of concurrent uses one succeeds. */
  async consume(tenantId: string, id: string): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `update sign_in_requests set used_at = now()
       where tenant_id = $1 and id = $2 and used_at is null and ${OPEN}`,
      [tenantId, id],
    );
    return rowCount === 1;
  }

  async keepResult(tenantId: string, id: string, result: object): Promise<void> {
    await this.db.query(
      `update sign_in_requests set result = $3, result_until = now() + make_interval(secs => $4)
       where tenant_id = $1 and id = $2`,
      [tenantId, id, JSON.stringify(result), SIGN_IN_SECONDS],
    );
  }

  /** Returns the stored result of a test and the hash of its browser; null when none is stored, or it has expired. */
  async keptResult(
    tenantId: string,
    connectionId: string,
    id: string,
  ): Promise<{ result: object; browser_hash: Buffer } | null> {
    const { rows } = await this.db.query<{ result: object; browser_hash: Buffer }>(
      `select result, browser_hash from sign_in_requests
       where tenant_id = $1 and id = $2 and connection_id = $3 and result_until > now()`,
      [tenantId, id, connectionId],
    );
    return rows[0] ?? null;
  }

  async claim(tenantId: string, id: string, browserHash: Buffer): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `update sign_in_requests set browser_hash = $3, expires_at = now() + make_interval(secs => $4)
       where tenant_id = $1 and id = $2 and browser_hash is null and used_at is null and ${OPEN}`,
      [tenantId, id, browserHash, SIGN_IN_SECONDS],
    );
    return rowCount === 1;
  }
}
