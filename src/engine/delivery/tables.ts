/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['lanes', 'destinations', 'attempts', 'delivered_minutes', 'delivery_hours'];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['lanes', 'destinations'];
