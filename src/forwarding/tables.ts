export const OWNED = ['changes', 'counted_changes', 'task_seen'];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['changes'];
