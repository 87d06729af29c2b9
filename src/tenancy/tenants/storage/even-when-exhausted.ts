import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

const PASSES = Symbol('the operation is let through while the storage of the tenant is exhausted');

/** The key in the description. */
export const DOCUMENTED_PASSES = 'x-even-when-exhausted';

/**
 * The operation is let through while the storage of the tenant is exhausted: it ends, takes away or stops something, or its
 * service decides by the content of the request.
 */
export const EvenWhenExhausted = (): MethodDecorator =>
  applyDecorators(SetMetadata(PASSES, true), ApiExtension(DOCUMENTED_PASSES, true));

/** Returns whether a handler is let through while the storage of the tenant is exhausted. */
export function passesExhausted(handler: object): boolean {
  return Reflect.getMetadata(PASSES, handler) === true;
}
