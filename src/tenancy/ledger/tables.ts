/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['chain_heads', 'chain_keys', 'closed_days'];

/** The tables of this room that statements of upper rooms may read, by tenant. */
export const READABLE = ['chain_heads'];
