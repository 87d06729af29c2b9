import type { Json } from '../client/client.js';

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
