/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['directory_clients', 'client_secrets', 'access_tokens'];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['directory_clients', 'client_secrets'];
