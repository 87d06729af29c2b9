import { RequestMethod, type INestApplicationContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { demandOf, type Demand } from '../../src/tenancy/tenants/caller.js';

/** A route as the code declares it. */
export interface DeclaredRoute {
  method: string;
  /** Every address that leads to it, with `:name` for what varies. */
  paths: string[];
  demand: Demand | undefined;
  /** Whether the handler is given a body. */
  takesBody: boolean;
  name: string;
}

/** The table of routes, read from the controllers that the application really has. */
export function declaredRoutes(app: INestApplicationContext): DeclaredRoute[] {
  const routes: DeclaredRoute[] = [];
  const scanner = new MetadataScanner();
  for (const module of app.get(ModulesContainer, { strict: false }).values()) {
    for (const { metatype } of module.controllers.values()) {
      if (typeof metatype !== 'function') continue;
      const prototype = (metatype as { prototype: Record<string, object> }).prototype;
      const prefixes = [Reflect.getMetadata('path', metatype) ?? '/'].flat() as string[];
      for (const name of scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name]!;
        const method = Reflect.getMetadata('method', handler) as RequestMethod | undefined;
        if (method === undefined) continue;
        const ends = [Reflect.getMetadata('path', handler) ?? '/'].flat() as string[];
        routes.push({
          method: RequestMethod[method],
          paths: prefixes.flatMap((prefix) => ends.map((end) => joined(prefix, end))),
          demand: demandOf(handler, metatype),
          takesBody: takesBody(metatype, name),
          name: `${metatype.name}.${name}`,
        });
      }
    }
  }
  return routes;
}

function takesBody(controller: object, method: string): boolean {
  const parts = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as object;
  return Object.keys(parts).some((part) => part.startsWith(`${RouteParamtypes.BODY}:`));
}

function joined(prefix: string, end: string): string {
  return `/${[prefix, end]
    .map((part) => part.replace(/^\/+|\/+$/g, ''))
    .filter(Boolean)
    .join('/')}`;
}

/** An address with something in place of everything that varies. */
export function filled(path: string, value: string | ((name: string) => string)): string {
  return path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(typeof value === 'string' ? value : value(name)),
  );
}
