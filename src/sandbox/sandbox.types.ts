/** A user as the stand-in keeps and shows it. */
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

/** One request of the platform's API, as it came in. */
export interface SandboxRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  /** Whose users these are: made from the bearer key, which itself is never kept. */
  space: string;
  idempotencyKey: string | null;
  body: string;
}

export interface SandboxAnswer {
  status: number;
  /** JSON text, or empty. */
  body: string;
}

/** One line of the journal: what was asked, and whether it had any effect. */
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
  /** It changed something, here and now. */
  applied: boolean;
  /** It was answered from memory, because its key had come before. */
  replayed: boolean;
  /** What was made to go wrong, and whether before or after the effect. */
  fault: string | null;
  /** The answer, where its key may ask for it again. */
  answer: string | null;
}

/** A refusal in the shape of RFC 9457. */
export function problem(status: number, code: string, detail: string, members: object = {}): SandboxAnswer {
  return {
    status,
    body: JSON.stringify({ type: `about:blank#${code}`, title: detail, status, code, detail, ...members }),
  };
}
