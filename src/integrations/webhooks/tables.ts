/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['webhook_endpoints', 'webhook_secrets', 'webhook_given_up'];
