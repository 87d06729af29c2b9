import { DomainError } from '../errors/domain-error.js';
import { MOST_WAITING, PATIENCE_MS } from '../gatherer.js';

/** 503: other requests and background work use the tenant's share of the database. */
export class TenantBusy extends DomainError {
  readonly kind = 'unavailable';
  readonly code: string = 'tenant_busy';
  constructor(queue: number, patienceMs: number, what = 'requests') {
    super(
      `Too many ${what} of this tenant are waiting for the database: at most ${queue} wait, for at most ` +
        `${patienceMs / 1000} seconds. Send fewer at the same time, and send this one again after Retry-After seconds.`,
      { headers: { 'Retry-After': '2' } },
    );
  }
}

/** Returns the refusal of a statement for which too many of its shape wait. */
export function tooManyGathered(): TenantBusy {
  return new TenantBusy(MOST_WAITING, PATIENCE_MS);
}

/** 503: the tenant's share of searches is in use. */
export class SearchBusy extends TenantBusy {
  constructor(queue: number, patienceMs: number) {
    super(queue, patienceMs, 'searches');
  }
}

/** A search took longer than the limit. */
export class SearchTooExpensive extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'search_too_expensive';
  constructor(seconds: number, cause?: unknown) {
    super(
      `This search took longer than the ${seconds} seconds that a search may take, and was stopped. Fast filters are: ` +
        'SCIM users by userName, externalId or emails.value with eq; SCIM groups by displayName, externalId or ' +
        'members.value with eq; in the API email and external_id; in logs and changes user_id. Add one of them (in SCIM ' +
        'with "and"), or read the whole list without filter, page by page, in the order of the ids or sorted by userName, ' +
        'displayName, externalId, meta.created or meta.lastModified.',
      { scimType: 'tooMany', cause },
    );
  }
}

/** 503: other requests of the tenant held the lock of a row for longer than a write waits. */
export class RecordBusy extends DomainError {
  readonly kind = 'unavailable';
  readonly code = 'record_busy';
  constructor(seconds: number, cause?: unknown) {
    super(
      `Other requests have been writing the same user or group for ${seconds} seconds, and nothing of this request was ` +
        'done. Send fewer requests about one group at the same time, and send this one again after Retry-After seconds.',
      { headers: { 'Retry-After': '2' }, cause },
    );
  }
}

/**
 * Whether a row was on its way to a default partition when the partition of its month was attached: the repeated statement
 * finds the new one. The constraint of a partition has no name.
 */
export function isNewPartition(error: unknown): boolean {
  const { code, table, constraint } = (error ?? {}) as { code?: unknown; table?: unknown; constraint?: unknown };
  return code === '23514' && constraint === undefined && typeof table === 'string' && table.endsWith('_default');
}

/** Returns the SQLSTATE of a database error, or '' for any other. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/**
 * SQLSTATE classes of failures that are about a row: bad data, a constraint, a deadlock, a lock. The server has undone the
 * statement. After any other failure its outcome may be unknown, or the next statement would fail as well.
 */
const OF_ONE_ROW = new Set(['22', '23', '40', '55']);

/** Whether one row of several made a statement fail, which has had no effect. */
export function isOfOneRow(error: unknown): boolean {
  return error instanceof RecordBusy || OF_ONE_ROW.has(codeOf(error).slice(0, 2));
}
