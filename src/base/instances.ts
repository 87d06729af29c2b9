import type { DiscoveryService } from '@nestjs/core';

/** Returns the providers of the application that are of a class: what rooms declare, without a list of them. */
export function instancesOf<T>(
  discovery: Pick<DiscoveryService, 'getProviders'>,
  type: abstract new (...args: never[]) => T,
): T[] {
  const instances = discovery.getProviders().map(({ instance }) => instance as unknown);
  return [...new Set(instances.filter((instance): instance is T => instance instanceof type))];
}
