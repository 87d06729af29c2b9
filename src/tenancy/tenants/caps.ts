import type { SqlRunner } from '../../base/database/database.js';
import { DomainError } from '../../base/errors/domain-error.js';

/**
 * The limit of records that an administrator creates one by one, where nothing else bounds them. Each room has its own.
 */
export interface Cap {
  most: number;
  code: string;
  whose: string;
  what: string;
  remedy: string;
  /** Counts the records; `$1` is the tenant, `$2` the directory or candidate that owns them. */
  count: string;
  lock: string;
}

// A credential that a rotation ends does not count. But at most the same number of them may be ending.
const LIVE = `(revoked_at is null or revoked_at > now()) and (expires_at is null or expires_at > now())`;
export const liveIn = (from: string): string =>
  `select greatest(count(*) filter (where revoked_at is null), (count(*) + 1) / 2)::int as n from ${from} and ${LIVE}`;

/** Concurrent creates in a tenant wait for each other. */
export const TENANT_ROW = `select 1 from tenants where id = $1 for no key update`;

export const API_KEYS_CAP: Cap = {
  most: 200,
  code: 'too_many_api_keys',
  whose: 'A tenant',
  what: 'live API keys',
  remedy: 'revoke one that is not needed',
  count: liveIn('api_keys where tenant_id = $1'),
  lock: TENANT_ROW,
};

export const ROLES_CAP: Cap = {
  most: 200,
  code: 'too_many_roles',
  whose: 'A tenant',
  what: 'roles',
  remedy: 'delete one that is not needed',
  count: `select count(*)::int as n from roles where tenant_id = $1`,
  lock: TENANT_ROW,
};

/** The limit of a {@link Cap} is reached. */
class TooMany extends DomainError {
  readonly kind = 'conflict';
  readonly code: string;
  constructor(cap: Cap, count: number) {
    super(`${cap.whose} has at most ${cap.most} ${cap.what}, and there are ${count}: ${cap.remedy}.`);
    this.code = cap.code;
  }
}

/**
 * Makes sure that there is room for one more record. Concurrent creates wait for each other until the transaction ends,
 * so that they do not exceed the cap together.
 *
 * @param ownerId the directory or candidate, of records that belong to one
 * @throws {TooMany} when there is no room
 */
export async function demandRoom(tx: SqlRunner, cap: Cap, tenantId: string, ownerId?: string): Promise<void> {
  await tx.query(cap.lock, ownerId === undefined ? [tenantId] : [tenantId, ownerId]);
  await lookForRoom(tx, cap, tenantId, ownerId);
}

/** The same without the lock, before expensive work: {@link demandRoom} decides. */
export async function lookForRoom(db: SqlRunner, cap: Cap, tenantId: string, ownerId?: string): Promise<void> {
  const values = ownerId === undefined ? [tenantId] : [tenantId, ownerId];
  const { rows } = await db.query<{ n: number }>(cap.count, values);
  if (rows[0]!.n >= cap.most) throw new TooMany(cap, rows[0]!.n);
}
