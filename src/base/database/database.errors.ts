import { DomainError } from '../errors/domain-error.js';

/** A tenant has used up its share of the database for now: its own requests and background work are in front. */
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

/** The same for searches, which have fewer connections. */
export class SearchBusy extends TenantBusy {
  constructor(queue: number, patienceMs: number) {
    super(queue, patienceMs, 'searches');
  }
}

/** A search that the database could not answer in the time that searches have. */
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

/** Other requests of the tenant have kept a row locked longer than a write waits for it. */
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
