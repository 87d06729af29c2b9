import type { PlannedRow } from './preview-plans.repository.js';
import type { PreviewedUser } from './preview.dto.js';
import { kindsOf } from './preview.rules.js';

/** The columns of a plan as CSV. */
export const PLAN_COLUMNS = [
  'user_id',
  'user_name',
  'would',
  'fields',
  'take_seat',
  'held',
  'role_from',
  'role_to',
  'status_from',
  'status_to',
  'seat_from',
  'seat_to',
  'console_from',
  'console_to',
  'made_at',
] as const;

/** Returns a user of a plan as the API shows it. */
export function previewedUser(row: PlannedRow): PreviewedUser {
  const { user_id, user_name, fields, take_seat, held, steps } = row;
  return { user_id, user_name, would: kindsOf(row), fields, take_seat, held, steps };
}

/** Returns the cells of a user of a plan, in the order of {@link PLAN_COLUMNS}. */
export function planCells(row: PlannedRow): unknown[] {
  const { user_id, user_name, would, fields, take_seat, held, steps } = previewedUser(row);
  const sides = (['role', 'status', 'seat', 'console'] as const).flatMap((name) => [
    steps?.[name].from,
    steps?.[name].to,
  ]);
  return [user_id, user_name, would.join(' '), fields.join(' '), String(take_seat), held, ...sides, row.made_at];
}
