/** Ids that `newId` makes: they identify no user to a reader of the log. */
const OWN_ID = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$/;

interface Routed {
  readonly route?: { readonly path?: unknown; readonly methods?: Readonly<Record<string, boolean>> };
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the part of a request's path that the log may contain: the pattern of its route, with ids of this service.
 * Other parts come from the caller: an e-mail as an external id, or a token in a mistyped address.
 *
 * @returns for example `/scim/v2/Users/usr_01k0…` or `/v1/users/by-external-id/:external_id`; `unmatched` where no
 * route took the request
 */
export function loggedPath(req: Routed): string {
  const { route, params } = req;
  // The handler that answers 404 is a route for all methods.
  if (typeof route?.path !== 'string' || route.methods?.['_all'] === true) return 'unmatched';
  if (!route.path.includes(':')) return route.path;
  return route.path.replace(/:(\w+)/g, (whole, name: string) => {
    const value = params?.[name];
    return typeof value === 'string' && OWN_ID.test(value) ? value : whole;
  });
}
