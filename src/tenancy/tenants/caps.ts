import type { SqlRunner } from '../../base/database/database.js';
import { DomainError } from '../../base/errors/domain-error.js';

/** The most of one noun that an admin can make with one call each, where nothing else bounds it. Each room has its own. */
export interface Cap {
  /** How many there can be at the same time. */
  most: number;
  /** The code of the refusal. */
  code: string;
  /** Whose they are, in words. */
  whose: string;
  what: string;
  /** What makes room again. */
  remedy: string;
  /** Counts them; `$1` is the tenant, `$2` the directory or candidate whose they are. */
  count: string;
  /** Locks the row that creates of the same noun wait for. */
  lock: string;
}

// A credential that is being rotated out ends at its time: it takes no place, but at most as many again may be ending.
const LIVE = `(revoked_at is null or revoked_at > now()) and (expires_at is null or expires_at > now())`;
/** Returns the statement that counts live credentials. */
export const liveIn = (from: string): string =>
  `select greatest(count(*) filter (where revoked_at is null), (count(*) + 1) / 2)::int as n from ${from} and ${LIVE}`;

/** Creates of the same noun in a tenant wait for each other. */
export const TENANT_ROW = `select 1 from tenants where id = $1 for no key update`;

/** How many live API keys a tenant can have. */
export const API_KEYS_CAP: Cap = {
  most: 200,
  code: 'too_many_api_keys',
  whose: 'A tenant',
  what: 'live API keys',
  remedy: 'revoke one that is not needed',
  count: liveIn('api_keys where tenant_id = $1'),
  lock: TENANT_ROW,
};

/** How many roles a tenant can have. */
export const ROLES_CAP: Cap = {
  most: 200,
  code: 'too_many_roles',
  whose: 'A tenant',
  what: 'roles',
  remedy: 'delete one that is not needed',
  count: `select count(*)::int as n from roles where tenant_id = $1`,
  lock: TENANT_ROW,
};

/** As many of a noun as there can be. */
class TooMany extends DomainError {
  readonly kind = 'conflict';
  readonly code: string;
  constructor(cap: Cap, count: number) {
    super(`${cap.whose} has at most ${cap.most} ${cap.what}, and there are ${count}: ${cap.remedy}.`);
    this.code = cap.code;
  }
}

/**
 * Makes sure that there is room for one more. Creates of the same noun wait for each other until the transaction ends,
 * so that those who come at once do not go over the cap together.
 *
 * @param ownerId the directory or candidate, of a noun that belongs to one
 * @throws {TooMany} when there is no room
 */
export async function demandRoom(tx: SqlRunner, cap: Cap, tenantId: string, ownerId?: string): Promise<void> {
  await tx.query(cap.lock, ownerId === undefined ? [tenantId] : [tenantId, ownerId]);
  await lookForRoom(tx, cap, tenantId, ownerId);
}

/** The same without the lock, before work that would be in vain: {@link demandRoom} decides. */
export async function lookForRoom(db: SqlRunner, cap: Cap, tenantId: string, ownerId?: string): Promise<void> {
  const values = ownerId === undefined ? [tenantId] : [tenantId, ownerId];
  const { rows } = await db.query<{ n: number }>(cap.count, values);
  if (rows[0]!.n >= cap.most) throw new TooMany(cap, rows[0]!.n);
}
