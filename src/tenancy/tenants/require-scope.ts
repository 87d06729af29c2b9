import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Scope } from './scopes.js';

/** Alternatives, of which one is enough; each is a list of scopes that are needed together. OpenAPI 3.1 lists them so too. */
export type ScopeDemand = readonly (readonly Scope[])[];

/** What a route demands: scopes, any credential of a tenant, any credential at all, or the operator's. */
export type Demand = ScopeDemand | 'any-key' | 'any-caller' | 'operator';

const DEMAND = Symbol('what a route demands of its caller');

/** Where the documentation finds the scope. */
export const DOCUMENTED_SCOPE = 'x-scope';

/** The route is for keys with one of these scopes. */
export const RequireScope = (...scopes: [Scope, ...Scope[]]): MethodDecorator & ClassDecorator =>
  requireAlternatives(scopes.map((scope) => [scope]));

/** The route is for keys with all of these scopes: what it shows belongs to more than one room. */
export const RequireEveryScope = (...scopes: [Scope, Scope, ...Scope[]]): MethodDecorator & ClassDecorator =>
  requireAlternatives([scopes]);

const requireAlternatives = (demand: ScopeDemand): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(DEMAND, demand satisfies Demand), ApiExtension(DOCUMENTED_SCOPE, demand));

/** The route is for every credential of a tenant. */
export const NoScope = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'any-key' satisfies Demand);

/** The route is for every credential, also for an operator who has entered no tenant. */
export const AnyCaller = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'any-caller' satisfies Demand);

/** The route is for the installation's operator. */
export const OperatorOnly = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'operator' satisfies Demand);

/** Returns the scopes that a handler or its controller declares; undefined: none are declared. */
export function demandOf(handler: object, controller: object): Demand | undefined {
  return (Reflect.getMetadata(DEMAND, handler) ?? Reflect.getMetadata(DEMAND, controller)) as Demand | undefined;
}
