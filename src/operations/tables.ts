/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['installation', 'processes'];
