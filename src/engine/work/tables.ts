/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = ['tasks', 'task_left_out', 'work_entries'];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['tasks', 'work_entries'];
