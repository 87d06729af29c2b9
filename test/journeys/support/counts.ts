/** What was done in all companies of a run, for its report. */
export const counts: Record<string, number> = {};

export function count(what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}
