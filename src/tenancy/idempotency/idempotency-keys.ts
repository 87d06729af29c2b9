import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { Sealer } from '../../base/crypto/seal.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { Conflict, DomainError, MalformedRequest } from '../../base/errors/domain-error.js';
import { Logger } from '../../base/log/logger.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';

/** 422. */
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

/** A request with an Idempotency-Key. */
export interface Repeat {
  /** 64 hexadecimal digits that each repetition of the request has. */
  readonly name: string;
  /** What an earlier request with this key committed before its process died. */
  readonly committed?: { readonly result: unknown };
  /** Stores the result of a write, in its transaction. */
  keep(tx: SqlRunner, result: unknown): Promise<void>;
}

/** A caller whose request may be a repetition. */
export interface Repeatable {
  readonly tenantId: string;
  readonly repeat?: Repeat | undefined;
}

/**
 * Runs a write in a transaction, once for each Idempotency-Key. Its result, with a secret that is shown once, is stored
 * in the same transaction: a repetition after a crash gets the result, and makes no second record.
 *
 * @param work returns plain data (`node:v8` serialises it)
 */
export async function once<T>(
  db: Database,
  { tenantId, repeat }: Repeatable,
  work: (tx: SqlRunner) => Promise<T>,
): Promise<T> {
  if (repeat === undefined) return db.transaction(tenantId, work);
  if (repeat.committed !== undefined) return repeat.committed.result as T;
  return db.transaction(tenantId, async (tx) => {
    const result = await work(tx);
    await repeat.keep(tx, result);
    return result;
  });
}

interface KeyRow {
  request_hash: Buffer;
  status: number | null;
  content_type: string | null;
  response: string | null;
  location: string | null;
}

// Longer than any request takes. An older row without an answer belongs to a process that died. Its commit is in the
// row (`once`), or is an ordinary conflict for the repetition (a taken name).
const ABANDONED = '60 seconds';
const KEPT = '24 hours';
/** Statuses of wrong requests: nothing was done, and the corrected request can use the key again. */
const UNSPENT: ReadonlySet<number> = new Set([400, 406, 413, 415, 422, 429]);

/** After a day the same key is a new one. */
export const IDEMPOTENCY_LEFTOVERS = [
  `delete from idempotency_keys where created_at < now() - interval '${KEPT}'`,
] as const;

/**
 * Handles Idempotency-Key on POST with an API key. The row is written before the work, so that one of several equal
 * requests does the work. Answers are stored encrypted, since some of them contain a secret.
 */
@Injectable()
export class Idempotency {
  private readonly running = new Set<string>();

  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly logger: Logger,
  ) {}

  /**
   * Claims the key of the request, if there is one, and stores the answer before it is sent.
   *
   * @returns the repetition for the service; undefined without a key
   * @throws {StoredAnswer} for a repeated request
   * @throws {Conflict} while the first request is still running
   * @throws {IdempotencyKeyReused} when the key came with another request
   */
  async begin(
    req: BridgeRequest,
    res: BridgeResponse,
    tenantId: string,
    credentialId: string,
  ): Promise<Repeat | undefined> {
    const key = req.headers['idempotency-key'];
    if (key === undefined || req.method !== 'POST') return undefined;
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
      const claimed = await this.claim(id, requestHash);
      if (claimed !== undefined) {
        this.keepAnswer(res, id, requestHash);
        return this.repeatOf(id, claimed.committed);
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

  // A row with a committed result is taken over at once, unless its request still runs here: the work is not repeated.
  private async claim(id: string[], requestHash: Buffer): Promise<{ committed: string | null } | undefined> {
    const { rows } = await this.db.query<{ committed: string | null }>(
      `insert into idempotency_keys as k (tenant_id, credential_id, key, request_hash) values ($1, $2, $3, $4)
       on conflict (tenant_id, credential_id, key) do update
         set request_hash = excluded.request_hash, status = null, content_type = null, response = null,
             location = null, created_at = now(),
             committed = case when k.created_at >= now() - interval '${KEPT}' then k.committed end
         where k.created_at < now() - interval '${KEPT}'
            or (k.status is null and k.request_hash = excluded.request_hash
                and (k.created_at < now() - interval '${ABANDONED}' or (k.committed is not null and not $5::boolean)))
       returning committed`,
      [...id, requestHash, this.running.has(id.join(' '))],
    );
    return rows[0];
  }

  private repeatOf(id: string[], committed: string | null): Repeat {
    const sealedAs = committedAad(id);
    const read = (text: string): unknown => deserialize(Buffer.from(this.sealer.unseal(text, sealedAs), 'base64'));
    return {
      name: hash('sha256', id.join(' ')),
      ...(committed === null ? {} : { committed: { result: read(committed) } }),
      keep: async (tx, result) => {
        const text = this.sealer.seal(serialize(result).toString('base64'), sealedAs);
        await tx.query(
          `update idempotency_keys set committed = $4 where tenant_id = $1 and credential_id = $2 and key = $3`,
          [...id, text],
        );
      },
    };
  }

  private async find(id: string[]): Promise<KeyRow | undefined> {
    const { rows } = await this.db.query<KeyRow>(
      `select request_hash, status, content_type, response, location from idempotency_keys
       where tenant_id = $1 and credential_id = $2 and key = $3`,
      id,
    );
    return rows[0];
  }

  // Delays the answer until it is stored; only requests with a key pay for the delay.
  private keepAnswer(res: BridgeResponse, id: string[], requestHash: Buffer): void {
    const name = id.join(' ');
    this.running.add(name);
    res.once('close', () => this.running.delete(name));
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
    // After a failure of the service a repetition can succeed, and a corrected request can use the same key.
    if (res.statusCode >= 500 || UNSPENT.has(res.statusCode)) {
      await this.db.query(
        `delete from idempotency_keys
         where tenant_id = $1 and credential_id = $2 and key = $3 and status is null and committed is null`,
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

function committedAad(id: string[]): string {
  return `${id[0]!}:idempotency_keys.committed:${id[1]!}`;
}
