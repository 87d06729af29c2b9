/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['webhook_endpoints', 'webhook_secrets', 'webhook_given_up'];

/** The tables of this room that statements of upper rooms may read, by tenant. */
export const READABLE = ['webhook_endpoints'];
