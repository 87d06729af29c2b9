/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['candidates', 'candidate_tombstones'];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['candidates', 'candidate_tombstones'];
