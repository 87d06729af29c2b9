import { DomainError } from '../../../base/errors/domain-error.js';

/** A request would add data of a tenant whose storage is exhausted: 507 (RFC 4918 §11.5). */
export class StorageExhausted extends DomainError {
  readonly kind = 'no-storage';
  readonly code = 'storage_exhausted';
  constructor() {
    super(
      'The tenant stores as many bytes as its limit allows. Requests that add data are refused; deactivations, deletions ' +
        'and reads pass. Delete what is not needed, or have the operator raise the limit.',
      { headers: { 'Retry-After': '300' } },
    );
  }
}
