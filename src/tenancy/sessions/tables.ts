/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['sessions', 'identities', 'idp_logouts', 'used_messages'];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['sessions', 'identities'];
