import type { PlannedRow } from './preview-plans.repository.js';
import type { PreviewedUser } from './preview.dto.js';
import { kindsOf } from './preview.rules.js';

/** The columns of a plan as CSV. */
export const PLAN_COLUMNS = ['user_id', 'user_name', 'would', 'fields', 'take_seat', 'held', 'made_at'] as const;

/** Returns a user of a plan as the API shows it. */
export function previewedUser(row: PlannedRow): PreviewedUser {
  const { user_id, user_name, fields, take_seat, held } = row;
  return { user_id, user_name, would: kindsOf(row), fields, take_seat, held };
}

/** Returns the cells of a user of a plan, in the order of {@link PLAN_COLUMNS}. */
export function planCells(row: PlannedRow): unknown[] {
  const { user_id, user_name, would, fields, take_seat, held } = previewedUser(row);
  return [user_id, user_name, would.join(' '), fields.join(' '), String(take_seat), held, row.made_at];
}
