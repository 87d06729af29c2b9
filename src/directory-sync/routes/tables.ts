/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['preview_plans', 'preview_plan_users'];
