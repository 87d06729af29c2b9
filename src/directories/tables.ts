/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['directories', 'scim_tokens', 'group_rules'];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['directories', 'group_rules', 'scim_tokens'];
