import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { Sealer } from '../../base/crypto/seal.js';
import { Database } from '../../base/database/database.js';
import { Conflict, DomainError, MalformedRequest } from '../../base/errors/domain-error.js';
import { Logger } from '../../base/log/logger.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';

/** 422: the Idempotency-Key was used for another request before. */
class IdempotencyKeyReused extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'idempotency_key_reused';
  constructor() {
    super('This Idempotency-Key came with another request before.', {
      errors: [{ field: 'Idempotency-Key', message: 'was used with another address or body' }],
    });
  }
}

/** The first answer to an Idempotency-Key, thrown in place of repeating the work; the surfaces send it unchanged. */
export class StoredAnswer extends Error {
  constructor(
    readonly status: number,
    readonly contentType: string,
    readonly body: string,
    readonly location: string | null,
  ) {
    super('answered before');
    this.name = 'StoredAnswer';
  }
}

interface KeyRow {
  request_hash: Buffer;
  status: number | null;
  content_type: string | null;
  response: string | null;
  location: string | null;
}

// Longer than any request may take. An older row without an answer belongs to a process that died. If the work had an
// effect, the repetition meets it as an ordinary conflict (a taken name, an existing record).
const ABANDONED = '60 seconds';
const KEPT = '24 hours';
/** Statuses for wrong requests: nothing was done, and the key can be used again for the corrected request. */
const UNSPENT: ReadonlySet<number> = new Set([400, 406, 413, 415, 422, 429]);

/** Keys that are older than a day: the same key is a new one then. */
export const IDEMPOTENCY_LEFTOVERS = [
  `delete from idempotency_keys where created_at < now() - interval '${KEPT}'`,
] as const;

/**
 * Handles Idempotency-Key on POST with an API key. The row is written before the work, so that one of several equal
 * requests does it. Answers are stored encrypted, since some of them contain a secret.
 */
@Injectable()
export class Idempotency {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly logger: Logger,
  ) {}

  /**
   * Claims the key of the request, if it has one, and stores the answer before it is sent.
   *
   * @throws {StoredAnswer} for a repeated request
   * @throws {Conflict} while the first request is still running
   * @throws {IdempotencyKeyReused} when the key came with another request
   */
  async begin(req: BridgeRequest, res: BridgeResponse, tenantId: string, credentialId: string): Promise<void> {
    const key = req.headers['idempotency-key'];
    if (key === undefined || req.method !== 'POST') return;
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new MalformedRequest(
        'An Idempotency-Key has 1 to 255 visible ASCII characters.',
        'invalid_idempotency_key',
      );
    }
    const requestHash = hash('sha256', `${req.originalUrl}\n${JSON.stringify(req.body) ?? ''}`, 'buffer');
    const id = [tenantId, credentialId, key];
    // The second round is only for a row that was deleted between the two statements.
    for (let attempt = 0; attempt < 2; attempt++) {
      if (await this.claim(id, requestHash)) {
        this.keepAnswer(res, id, requestHash);
        return;
      }
      const row = await this.find(id);
      if (row === undefined) continue;
      if (!row.request_hash.equals(requestHash)) throw new IdempotencyKeyReused();
      if (row.status !== null) {
        const body = this.sealer.unseal(row.response!, aad(id));
        throw new StoredAnswer(row.status, row.content_type ?? 'application/json', body, row.location);
      }
    }
    throw new Conflict('request_in_progress', 'The first request with this Idempotency-Key is still running.', {
      headers: { 'Retry-After': '1' },
    });
  }

  private async claim(id: string[], requestHash: Buffer): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `insert into idempotency_keys as k (tenant_id, credential_id, key, request_hash) values ($1, $2, $3, $4)
       on conflict (tenant_id, credential_id, key) do update
         set request_hash = excluded.request_hash, status = null, content_type = null, response = null,
             location = null, created_at = now()
         where k.created_at < now() - interval '${KEPT}'
            or (k.status is null and k.created_at < now() - interval '${ABANDONED}' and k.request_hash = excluded.request_hash)
       returning 1`,
      [...id, requestHash],
    );
    return rowCount === 1;
  }

  private async find(id: string[]): Promise<KeyRow | undefined> {
    const { rows } = await this.db.query<KeyRow>(
      `select request_hash, status, content_type, response, location from idempotency_keys
       where tenant_id = $1 and credential_id = $2 and key = $3`,
      id,
    );
    return rows[0];
  }

  // Delays the answer until it is stored; only requests with a key pay for this.
  private keepAnswer(res: BridgeResponse, id: string[], requestHash: Buffer): void {
    const end = res.end.bind(res) as (chunk?: unknown) => BridgeResponse;
    res.end = ((chunk?: unknown) => {
      const body = typeof chunk === 'string' ? chunk : Buffer.isBuffer(chunk) ? chunk.toString('utf8') : '';
      this.finish(res, id, requestHash, body)
        .catch((error: unknown) =>
          this.logger.error('answer to an Idempotency-Key not stored', { error, tenant_id: id[0] }),
        )
        .finally(() => end(chunk));
      return res;
    }) as typeof res.end;
  }

  private async finish(res: BridgeResponse, id: string[], requestHash: Buffer, body: string): Promise<void> {
    // After a failure of the service the repetition can succeed, and a corrected request can use the same key.
    if (res.statusCode >= 500 || UNSPENT.has(res.statusCode)) {
      await this.db.query(
        `delete from idempotency_keys where tenant_id = $1 and credential_id = $2 and key = $3 and status is null`,
        id,
      );
      return;
    }
    await this.db.query(
      `update idempotency_keys set status = $5, content_type = $6, response = $7, location = $8
       where tenant_id = $1 and credential_id = $2 and key = $3 and request_hash = $4 and status is null`,
      [
        ...id,
        requestHash,
        res.statusCode,
        res.getHeader('content-type') ?? null,
        this.sealer.seal(body, aad(id)),
        res.getHeader('location') ?? null,
      ],
    );
  }
}

function aad(id: string[]): string {
  return `${id[0]!}:idempotency_keys.response:${id[1]!}`;
}
