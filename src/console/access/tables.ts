/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['console_links', 'console_sessions'];
