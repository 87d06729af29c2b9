/** A layer of Express's router, which asks the layers one after the other. */
export interface RouteLayer {
  /** The path as it was declared. */
  readonly rawPath?: unknown;
  match: (path: string) => unknown;
}

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

/** Returns the text with which all addresses of a path begin; '': it is not known. */
function prefixOf(path: unknown): string {
  if (typeof path !== 'string') return '';
  const end = path.search(SPECIAL);
  // A path with a slash at its end matches addresses without it, too.
  return end < 0 ? path.replace(/\/$/, '') : path.slice(0, end);
}
