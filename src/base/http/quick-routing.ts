import type { IncomingMessage } from 'node:http';

/** A layer of Express's router, which asks its layers one after the other. */
export interface RouteLayer {
  /** The path as declared. */
  readonly rawPath?: unknown;
  /** Undefined: the layer is no route, and takes all methods. */
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> } | undefined;
  match: (path: string) => unknown;
}

/** The parts of Express's router that Express does not declare. */
export interface LayeredRouter {
  readonly stack: readonly RouteLayer[];
  handle: (req: IncomingMessage, ...rest: never[]) => void;
}

/** HEAD and OPTIONS are answered from the routes of other methods. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What begins a parameter, a wildcard or an optional part of a path of Express. */
const SPECIAL = /[:*{}()[\]?+!\\]/;

/**
 * Lets layers compare the beginning of an address before they match their expression. A request passes the layers of all
 * routes that were declared before its own, and most of them begin otherwise.
 */
export function matchPrefixesFirst(layers: readonly RouteLayer[]): void {
  for (const layer of layers) {
    const prefix = prefixOf(layer.rawPath);
    if (prefix === '') continue;
    const match = layer.match.bind(layer);
    layer.match = (path) => path.startsWith(prefix) && match(path);
  }
}

/**
 * Lets a request pass the routes of its own method alone. Express looks at the method of a route after it has matched the
 * address and decoded its parameters. All layers have to be there.
 */
export function askRoutesOfMethod(router: LayeredRouter): void {
  const { handle } = router;
  // A view has the settings of the router, and fewer layers.
  const views = new Map(
    METHODS.map((method) => [method, Object.create(router, { stack: layersOf(router, method) }) as object]),
  );
  router.handle = (req, ...rest) => {
    handle.call(views.get(req.method ?? '') ?? router, req, ...rest);
  };
}

function layersOf({ stack }: LayeredRouter, method: string): PropertyDescriptor {
  const name = method.toLowerCase();
  return {
    value: stack.filter(({ route }) => !route || route.methods['_all'] === true || route.methods[name] === true),
  };
}

/** Returns the text with which all addresses of a path begin; '': it is not known. */
function prefixOf(path: unknown): string {
  if (typeof path !== 'string') return '';
  const end = path.search(SPECIAL);
  // A path with a slash at its end matches addresses without it, too.
  return end < 0 ? path.replace(/\/$/, '') : path.slice(0, end);
}
