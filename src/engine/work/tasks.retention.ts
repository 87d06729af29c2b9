/** Tasks that were over a month ago. */
export const TASK_LEFTOVERS = [
  `delete from tasks where state in ('done', 'failed', 'cancelled') and finished_at < now() - interval '30 days'`,
] as const;
