/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['seat_entries', 'seat_limits'];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['seat_entries'];
