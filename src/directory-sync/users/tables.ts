/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = [
  'users',
  'user_emails',
  'user_aliases',
  'user_notes',
  'guard_states',
  'guard_departures',
  'guard_changes',
  'deleted_users',
  'population',
  'population_steps',
  'groups',
  'group_members',
  'pending_members',
  'preview_writes',
  'held_memberships',
];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = [
  'preview_writes',
  'users',
  'user_emails',
  'user_notes',
  'deleted_users',
  'population',
  'population_steps',
  'groups',
  'group_members',
  'pending_members',
];
