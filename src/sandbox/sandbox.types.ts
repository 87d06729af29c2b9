/** A user of the sandbox. */
export interface SandboxUser {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  role: string;
  external_id: string | null;
  status: 'active' | 'inactive';
  created_at: string;
  updated_at: string;
}

/** One request of the platform's API. */
export interface SandboxRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  /** The space of the users: derived from the bearer key, which is not stored. */
  space: string;
  idempotencyKey: string | null;
  body: string;
}

/** An answer of the sandbox. */
export interface SandboxAnswer {
  status: number;
  /** JSON text, or empty. */
  body: string;
}

/** One line of the journal: a request, and whether it had an effect. */
export interface JournalEntry {
  seq: number;
  at: Date;
  space: string;
  method: string;
  path: string;
  idempotency_key: string | null;
  user_id: string | null;
  external_id: string | null;
  body: string;
  body_hash: string;
  status: number | null;
  /** The request changed data now. */
  applied: boolean;
  /** The stored answer of an earlier request with the same key was sent. */
  replayed: boolean;
  /** The simulated fault, and whether it came before or after the effect. */
  fault: string | null;
  /** The answer, where a repeated key can request it again. */
  answer: string | null;
}

/** Returns a refusal in the form of RFC 9457. */
export function problem(status: number, code: string, detail: string, members: object = {}): SandboxAnswer {
  return {
    status,
    body: JSON.stringify({ type: `about:blank#${code}`, title: detail, status, code, detail, ...members }),
  };
}
