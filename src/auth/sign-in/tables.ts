/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['sign_in_requests', 'session_tokens', 'owner_sign_in_links', 'sign_ins', 'tries'];
