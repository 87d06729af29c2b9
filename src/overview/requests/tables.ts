/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['requests', 'request_bodies', 'request_sources'];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['requests', 'request_sources'];
