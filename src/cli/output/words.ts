import type { InstallationBody } from '../../operations/installation/installation.js';
import type { Actor } from '../../tenancy/identity/person.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';

/** Returns an actor in words: `key HR sync`, `directory Okta`. The work of the service itself has only its name. */
export function actorName({ kind, name }: Actor): string {
  return kind === 'system' ? name : `${kind} ${name}`;
}

/** A change as `GET /changes/{id}` answers it. */
export interface ShownChange {
  id: string;
  kind: string;
  state: string;
  user_id: string;
  external_id: string | null;
  user: Json;
  changed: string[];
  occurred_at: string;
  sent_at: string | null;
  confirmed_at: string | null;
  dismissed?: { reason: string | null };
  error?: { code: string; detail: string | null };
  attempts: Attempt[];
}

interface Attempt {
  sent_at: string;
  method: string;
  path: string;
  status: number | null;
  outcome: string;
  detail: string | null;
  answer: string | null;
  duration_ms: number;
}

/** Returns a change as lines for a reader: the record, then one line for each call. */
export function readable(change: ShownChange): Json {
  const { attempts, user, error, dismissed, ...record } = change;
  const { id, kind, state, user_id, external_id, changed, occurred_at, sent_at, confirmed_at } = record;
  const calls = attempts.map((attempt, place) => [`call_${place + 1}`, wordsOf(attempt)] as const);
  return {
    id,
    kind,
    state,
    user_id,
    email: user['email'],
    external_id,
    changed,
    occurred_at,
    sent_at,
    confirmed_at,
    ...(dismissed === undefined ? {} : { dismissed: dismissed.reason ?? 'without a reason' }),
    ...(error === undefined ? {} : { error: error.code, platform_says: error.detail }),
    ...Object.fromEntries(calls),
  };
}

function wordsOf({ sent_at, method, path, status, outcome, detail, answer, duration_ms }: Attempt): string {
  const words = answer ?? detail;
  const said = words === null ? '' : `: ${words}`;
  return `${sent_at} ${method} ${path} → ${status ?? 'no answer'} ${outcome} (${duration_ms} ms)${said}`;
}

/**
 * Returns how the installation is doing as lines for a reader: one for each process, each
 * tenant that waits, and each piece of background work that runs or has failed.
 */
export function installationWords({ processes, migrations, lag, work }: InstallationBody): Json {
  const lines = (name: string, texts: readonly string[]) => texts.map((text, place) => [`${name}_${place + 1}`, text]);
  return {
    migration: migrations[0] ?? null,
    ...(Object.fromEntries([
      ...lines(
        'process',
        processes.map(
          ({ name, role, version, last_seen_at }) => `${name} ${role} ${version}, seen ${String(last_seen_at)}`,
        ),
      ),
      ...lines(
        'waits',
        lag.map(
          ({ name, tenant_id, waiting, oldest_waiting_since: since }) =>
            `${name ?? ''} ${tenant_id}: ${waiting} since ${String(since)}`,
        ),
      ),
      ...lines(
        'work',
        work
          .filter(({ state, failures }) => state === 'running' || failures > 0)
          .map(({ kind, tenant_id, id, state, failures, reason }) =>
            [kind, tenant_id, id, state, failures > 0 ? `${failures} failures: ${reason ?? ''}` : null]
              .filter((text) => text !== null)
              .join(' '),
          ),
      ),
    ]) as Json),
  };
}

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

const UNITS: Readonly<Record<string, number>> = { MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };

export function storageWords(storage: Json): string {
  const limit = storage['limit_bytes'];
  return `${sizeOf(storage['used_bytes'])} of ${limit === null ? 'no limit' : sizeOf(limit)}`;
}

/** Returns a number of bytes in the largest unit that it reaches: `1.5 GiB`. */
export function sizeOf(bytes: unknown): string {
  const size = Number(bytes);
  const unit = Object.keys(UNITS).findLast((name) => size >= UNITS[name]!) ?? 'MiB';
  return `${(size / UNITS[unit]!).toFixed(1)} ${unit}`;
}

/**
 * Returns the number of bytes of a size such as `50GiB`.
 *
 * @throws {CliError} when the text is no size
 */
export function bytesIn(text: string, option: string): number {
  const [, count, unit] = /^(\d+)(MiB|GiB|TiB)$/.exec(text) ?? [];
  if (count === undefined) throw new CliError(`${option} is a size such as 50GiB, or default.`, EXIT.usage);
  return Number(count) * UNITS[unit!]!;
}

/** A task as the API shows it, as far as its progress is concerned. */
export type ShownTask = Json & {
  id: string;
  kind: string;
  state: string;
  done: number;
  total: number | null;
  error: string | null;
};

/** Characters of a whole bar. */
const BAR = 10;

export function isTask(answer: unknown): answer is ShownTask {
  const id = (answer as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' && id.startsWith('tsk_');
}

export function isGoingOn({ state }: ShownTask): boolean {
  return state === 'waiting' || state === 'running';
}

/** Returns the progress of a task: a bar with its share where the total is known, else the number alone. */
export function barOf(task: ShownTask): string {
  const { done, total, state } = task;
  if (total === null) return isGoingOn(task) ? `${done}, still counting` : String(done);
  const share = state === 'done' || total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.floor(share * BAR);
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${Math.floor(share * 100)} % ${done}/${total}`;
}

export function taskRecord(task: ShownTask): Json {
  const { result, done: _, total: __, ...record } = task;
  return { ...record, progress: barOf(task), ...(result as Json | null) };
}

/**
 * Returns the line that shows a task while it runs: share, rate, estimate.
 *
 * @param pace items a second; null: not known yet
 */
export function progressLine(task: ShownTask, pace: number | null): string {
  const begun = task.state === 'waiting' && task.done === 0 ? 'waits for its turn' : barOf(task);
  const parts = [`${task.kind} ${task.id}  ${begun}`];
  if (pace !== null && pace > 0) {
    parts.push(`${pace < 10 ? pace.toFixed(1) : Math.round(pace)} a second`);
    if (task.total !== null) parts.push(`about ${duration((task.total - task.done) / pace)} left`);
  }
  return parts.join(', ');
}

export function endLine(task: ShownTask, seconds: number): string {
  return `${task.kind} ${task.id}  ${task.state}: ${task.done} done in ${duration(seconds)}`;
}

/** Returns a number of seconds in words: `8 s`, `3 min`, `2 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 120) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

interface Step {
  from: string | null;
  to: string | null;
}

// The words of a seat are those of the console; `held` has another meaning beside it.
const SEATS: Readonly<Record<string, string>> = { held: 'has one', waiting: 'waits', none: 'none' };

/** Returns a user of a plan with role, status, seat and right in one column each: what does not change has no arrow. */
export function stepped(user: Json): Json {
  const { steps, ...rest } = user;
  if (steps === null || steps === undefined) return user;
  const { role, status, seat, console } = steps as Record<'role' | 'status' | 'seat' | 'console', Step>;
  return {
    ...rest,
    role: arrow(role),
    status: arrow(status, (value) => value ?? 'new'),
    seat: arrow(seat, (value) => SEATS[value!] ?? value!),
    console: arrow(console),
  };
}

function arrow({ from, to }: Step, word = (value: string | null): string => value ?? 'none'): string {
  return from === to ? word(from) : `${word(from)} → ${word(to)}`;
}
