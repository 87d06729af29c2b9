/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['chain_heads', 'chain_keys', 'closed_days'];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['chain_heads'];
