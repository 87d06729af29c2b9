import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Scope } from './scopes.js';

/** What a route demands: one of some scopes, any valid API key, or the operator's token. */
export type Demand = readonly Scope[] | 'any-key' | 'operator';

const DEMAND = Symbol('what a route demands of its caller');

/** Where the documentation finds the scope. */
export const DOCUMENTED_SCOPE = 'x-scope';

/** The route is for keys with one of these scopes. */
export const RequireScope = (...scopes: [Scope, ...Scope[]]): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(DEMAND, scopes), ApiExtension(DOCUMENTED_SCOPE, scopes));

/** The route is for every valid API key. */
export const NoScope = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'any-key' satisfies Demand);

/** The route is for the installation's operator. */
export const OperatorOnly = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'operator' satisfies Demand);

/** Returns the scopes that a handler or its controller declares; undefined: none are declared. */
export function demandOf(handler: object, controller: object): Demand | undefined {
  return (Reflect.getMetadata(DEMAND, handler) ?? Reflect.getMetadata(DEMAND, controller)) as Demand | undefined;
}
