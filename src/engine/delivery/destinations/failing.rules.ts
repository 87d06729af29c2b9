/** How long a destination has failed without any success: each stage is reported once. */
export const STAGES = { none: 0, streak: 1, halfTime: 2, ended: 3 } as const;

/**
 * Returns the stage of a destination that has failed again.
 *
 * @param since the first failure after the last success; null: this one
 * @param endsAfterMs the time after which it ends
 * @param away enough failures came in a row for it to count as away
 */
export function stageOf(since: Date | null, endsAfterMs: number, away: boolean, now: Date): number {
  const ms = since === null ? 0 : now.getTime() - since.getTime();
  if (ms >= endsAfterMs) return STAGES.ended;
  if (ms >= endsAfterMs / 2) return STAGES.halfTime;
  return away ? STAGES.streak : STAGES.none;
}
