/** How long a session of the console lasts without use. */
export const IDLE_SECONDS = 1_800;

/** How long after the sign-in, or the opening of the link, it ends at the latest. */
export const ABSOLUTE_SECONDS = 8 * 3_600;

/** How long a link can be opened: long enough to hand it over. */
export const LINK_SECONDS = 600;

/** How long the operator reads a tenant after entering it. */
export const ENTERED_SECONDS = 1_800;
