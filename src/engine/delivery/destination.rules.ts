export interface ProbeTimes {
  /** Before the first probe; each further pause is twice as long, up to `maxMs`. */
  firstMs: number;
  maxMs: number;
  /** The longest pause while fewer than three people failed: their records may be the cause. */
  fewPeopleMs: number;
}

export const PROBE_TIMES: ProbeTimes = { firstMs: 1_000, maxMs: 60_000, fewPeopleMs: 5_000 };

/**
 * What one process has seen of a destination. `streak` is the number of failures in a row, `failures` their number by subject;
 * `allowed` is how many calls may be out at the same time.
 */
export interface Health {
  readonly streak: number;
  readonly failures: ReadonlyMap<string, number>;
  readonly allowed: number;
}

export interface AwayRules {
  /** The number of failures, of at least this number of subjects. */
  streak: number;
  subjects: number;
  /** Or the number of one subject. */
  rounds: number;
  /** While few calls are allowed (just back, or just started), correspondingly fewer failures suffice. */
  scales: boolean;
}

/**
 * Six failures of three people in a row, or three of one person, whose second and third try come seconds later. A fault that
 * strikes each tenth call makes a streak of six once in a million calls. A single bad record among good ones never makes one.
 */
export const PEOPLE_AWAY: AwayRules = { streak: 6, subjects: 3, rounds: 3, scales: true };

const PEOPLE = 3;
const NO_FAILURES: ReadonlyMap<string, number> = new Map();

/** A destination of which nothing is known begins with one call at a time. */
export function newHealth(): Health {
  return { streak: 0, failures: NO_FAILURES, allowed: 1 };
}

/** Each success allows one more call: the number doubles with each round. */
export function afterSuccess(health: Health, concurrency: number): Health {
  return { streak: 0, failures: NO_FAILURES, allowed: Math.min(concurrency, health.allowed + 1) };
}

/** `busy`: the destination asked for less (429, Retry-After), and gets half. */
export function afterFailure(health: Health, userId: string, busy: boolean): Health {
  return {
    streak: health.streak + 1,
    failures: new Map(health.failures).set(userId, (health.failures.get(userId) ?? 0) + 1),
    allowed: busy ? Math.max(1, Math.floor(health.allowed / 2)) : health.allowed,
  };
}

export function isAway(health: Health, rules: AwayRules = PEOPLE_AWAY): boolean {
  const streak = rules.scales ? Math.min(rules.streak, Math.max(2, health.allowed)) : rules.streak;
  if (health.streak >= streak && health.failures.size >= Math.min(rules.subjects, streak)) return true;
  for (const failures of health.failures.values()) if (failures >= rules.rounds) return true;
  return false;
}

/**
 * Returns the pause before the next probe, after `probes` that failed. A Retry-After is waited out in full.
 *
 * @param people how many different people failed so far
 * @param random in [0, 1); spreads the pause by a tenth
 */
export function probePause(
  probes: number,
  people: number,
  retryAfterMs: number | null,
  times: ProbeTimes,
  random: number,
): number {
  const longest = people < PEOPLE ? Math.min(times.fewPeopleMs, times.maxMs) : times.maxMs;
  const pause = Math.min(longest, times.firstMs * 2 ** Math.min(probes, 20));
  return Math.round(Math.max(pause * (0.9 + random / 10), retryAfterMs ?? 0));
}

export interface SubjectRefusal {
  user_id: string;
  status: number;
  at: string;
}

const ALIKE = 5;

/** Whether five different subjects in a row were refused alike: then the subjects cannot be the cause. */
export function looksMisconfigured(refusals: readonly SubjectRefusal[]): boolean {
  const alike = new Set<string>();
  const status = refusals.at(-1)?.status;
  for (let i = refusals.length - 1; i >= 0 && refusals[i]!.status === status; i--) alike.add(refusals[i]!.user_id);
  return alike.size >= ALIKE;
}

/** Adds a refusal to those since the last success. The newest of each subject counts, and twenty are kept. */
export function withRefusal(
  refusals: readonly SubjectRefusal[],
  next: SubjectRefusal,
  lastSuccessAt: Date | null,
): SubjectRefusal[] {
  const since = lastSuccessAt?.getTime() ?? -Infinity;
  const others = refusals.filter((r) => r.user_id !== next.user_id && Date.parse(r.at) > since);
  return [...others, next].slice(-20);
}
