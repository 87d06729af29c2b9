import type { Json } from '../client/client.js';

/** The answer of `GET /status`. */
export interface TenantStatus {
  destination: { state: string };
  waiting: number;
  oldest_waiting_since: string | null;
  rate: { last_5_minutes: number };
  estimated_end: string | null;
  parked: Record<string, number>;
  held: Record<string, number>;
  guard: { held: number };
  last_event: { event: string; at: string } | null;
}

/** The answer of `GET /overview`. */
export interface Overview extends TenantStatus {
  attention: { severity: string; words: string; since: string | null; next_try_at: string | null; act: string }[];
  seats: { used: number; limit: number | null; waiting: number };
  directories: { name: string; last_request_at: string | null; last_refusal: { reason: string } | null }[];
  expiries: { kind: string; name: string; expires_at: string }[];
  first_steps: Record<string, boolean>;
}

/** Returns the state of the platform as a reader knows it: the circuit breaker's word `open` says the opposite to most. */
export function stateWord(state: unknown): unknown {
  return state === 'open' ? 'unavailable' : state;
}

/** Returns the state of a tenant as fields of `status`. */
export function statusWords(
  { destination, waiting, parked, held, guard, ...state }: TenantStatus,
  isJson: boolean,
): Json {
  const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, n) => sum + n, 0);
  const named = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([reason, n]) => `${n} ${reason}`)
      .join(', ');
  return {
    platform: isJson ? destination.state : stateWord(destination.state),
    waiting,
    waiting_since: state.oldest_waiting_since,
    rate_per_minute: state.rate.last_5_minutes,
    estimated_end: state.estimated_end,
    parked: total(parked),
    parked_reasons: isJson ? parked : named(parked),
    held: total(held),
    held_reasons: isJson ? held : named(held),
    held_by_guard: guard.held,
    last_event: state.last_event === null ? null : `${state.last_event.event} at ${state.last_event.at}`,
  };
}

function attentionWords({ severity, words, since, next_try_at: next, act }: Overview['attention'][number]): string {
  const times = [since === null ? '' : ` Since ${since}.`, next === null ? '' : ` Next try ${next}.`].join('');
  return `${severity}: ${words}${times} ${act}`;
}

/** Returns what needs attention as fields of `overview`. */
export function overviewWords({ attention, seats, directories, expiries, first_steps, ...status }: Overview): Json {
  const open = Object.entries(first_steps).flatMap(([step, isDone]) => (isDone ? [] : [step]));
  return {
    ...(attention.length === 0 ? { attention: null } : {}),
    ...Object.fromEntries(attention.map((line, place) => [`attention_${place + 1}`, attentionWords(line)])),
    ...statusWords(status, false),
    seats: `${seats.used} of ${seats.limit ?? 'no limit'}, ${seats.waiting} waiting`,
    directories: directories
      .map(({ name, last_request_at }) => `${name} (${last_request_at ?? 'no request'})`)
      .join(', '),
    refused: directories
      .flatMap(({ name, last_refusal: r }) => (r === null ? [] : [`${name}: ${r.reason}`]))
      .join(', '),
    ends_soon: expiries.map(({ kind, name, expires_at }) => `${kind} ${name} at ${expires_at}`).join(', '),
    first_steps_open: open.join(', '),
  };
}
