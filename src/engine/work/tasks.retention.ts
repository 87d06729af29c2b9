/** Tasks that were over a month ago, and the rests of work that was not due again when they ended. */
export const TASK_LEFTOVERS = [
  `delete from tasks where state in ('done', 'failed', 'cancelled') and finished_at < now() - interval '30 days'`,
  `delete from work_entries where tenant_id <> '' and free_at < now() - interval '1 hour'`,
] as const;
