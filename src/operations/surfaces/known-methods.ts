interface RouteLayer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/**
 * The methods that an address knows, in upper case; none when the address is unknown. Asked only when no route
 * matched. An IdP that gets 404 for a method it tried takes the resource for deleted; 405 says what is true.
 */
export function knownMethods(app: unknown, path: string): string[] {
  const stack = (app as { router?: { stack?: RouteLayer[] } }).router?.stack ?? [];
  const methods = new Set<string>();
  for (const layer of stack) {
    if (layer.route === undefined) continue;
    try {
      // `_all` is a handler of anything, such as the one that answers 404.
      if (!layer.route.methods['_all'] && layer.match(path)) {
        for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
      }
    } catch {
      return []; // a path that cannot be decoded is no address at all
    }
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
