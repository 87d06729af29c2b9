import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Scope } from './scopes.js';

/** What a route demands: a scope, any valid API key, or the operator's token. */
export type Demand = Scope | 'any-key' | 'operator';

const DEMAND = Symbol('what a route demands of its caller');

/** Where the documentation finds the scope. */
export const DOCUMENTED_SCOPE = 'x-scope';

/** The route is for keys with this scope. */
export const RequireScope = (scope: Scope): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(DEMAND, scope), ApiExtension(DOCUMENTED_SCOPE, scope));

/** The route is for every valid API key. */
export const NoScope = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'any-key' satisfies Demand);

/** The route is for the installation's operator. */
export const OperatorOnly = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'operator' satisfies Demand);

/** Returns the scope that a handler or its controller declares; undefined: none is declared. */
export function demandOf(handler: object, controller: object): Demand | undefined {
  return (Reflect.getMetadata(DEMAND, handler) ?? Reflect.getMetadata(DEMAND, controller)) as Demand | undefined;
}
