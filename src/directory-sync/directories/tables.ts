/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['directories', 'scim_tokens', 'refused_tokens', 'group_rules', 'credential_hours'];

/** The tables of this room that statements of upper rooms may read, by tenant. */
export const READABLE = ['directories', 'group_rules', 'refused_tokens', 'scim_tokens'];
