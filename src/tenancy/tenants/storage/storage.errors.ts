import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
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

const PASSES = Symbol('the operation is let through while the storage of the tenant is exhausted');

/** The key in the description. */
export const DOCUMENTED_PASSES = 'x-even-when-exhausted';

/**
 * Admits the operation while the storage of the tenant is exhausted: it ends, removes or stops something, or its
 * service decides by the content of the request.
 */
export const EvenWhenExhausted = (): MethodDecorator =>
  applyDecorators(SetMetadata(PASSES, true), ApiExtension(DOCUMENTED_PASSES, true));

export function passesExhausted(handler: object): boolean {
  return Reflect.getMetadata(PASSES, handler) === true;
}
