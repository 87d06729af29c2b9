import pg from 'pg';

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

const SCHEMA = `
  do $$ begin
    if to_regnamespace('sandbox_platform') is null then create schema sandbox_platform; end if;
  end $$;
  create table if not exists sandbox_platform.users (
    space text not null, id text not null, doc jsonb not null, primary key (space, id));
  create table if not exists sandbox_platform.calls (
    seq bigint primary key,
    at timestamptz not null,
    space text not null,
    method text not null,
    path text not null,
    idempotency_key text,
    user_id text,
    external_id text,
    body text not null,
    body_hash text not null,
    status int,
    applied boolean not null,
    replayed boolean not null,
    fault text,
    answer text);
  create index if not exists calls_space on sandbox_platform.calls (space, seq);`;

const WRITE = `
  with c as (
    insert into sandbox_platform.calls
    select * from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
      $8::text[], $9::text[], $10::text[], $11::int[], $12::boolean[], $13::boolean[], $14::text[], $15::text[])
  ), gone as (
    delete from sandbox_platform.users u using unnest($16::text[], $17::text[]) as g(space, id)
    where u.space = g.space and u.id = g.id
  )
  insert into sandbox_platform.users select * from unnest($18::text[], $19::text[], $20::jsonb[])
  on conflict (space, id) do update set doc = excluded.doc`;

interface Write {
  entry: JournalEntry;
  /** The user after the request; null: removed; undefined: unchanged. */
  user: SandboxUser | null | undefined;
  done: (error?: Error) => void;
}

/** Stores requests: an answer is sent only after its line is committed. Many lines share one commit. */
export class SandboxJournal {
  private readonly pool: pg.Pool;
  private waiting: Write[] = [];
  private flushing = false;
  /** A line could not be written: the memory has changes that the database lacks. The reader of the database resets it. */
  failed = false;

  constructor(url: string) {
    this.pool = new pg.Pool({ connectionString: url, max: 2, allowExitOnIdle: true });
    // A connection that breaks while idle is replaced at the next use.
    this.pool.on('error', () => undefined);
  }

  async open(): Promise<void> {
    const client = await this.pool.connect();
    try {
      // Two starts at once would both create the schema.
      await client.query('select pg_advisory_lock(7234502818)');
      await client.query(SCHEMA);
      await client.query('select pg_advisory_unlock(7234502818)');
    } finally {
      client.release();
    }
  }

  /**
   * Adds a line, and resolves when it is committed.
   *
   * @throws {Error} when that fails: the memory then has changes that the database lacks
   */
  write(entry: JournalEntry, user: SandboxUser | null | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ entry, user, done: (error) => (error ? reject(error) : resolve()) });
      if (this.flushing) return;
      this.flushing = true;
      // Lines of the same turn of the event loop share a commit.
      setImmediate(() => void this.flush());
    });
  }

  async users(): Promise<{ space: string; doc: SandboxUser }[]> {
    return (await this.pool.query<{ space: string; doc: SandboxUser }>('select space, doc from sandbox_platform.users'))
      .rows;
  }

  /** Returns the answers of the last day, for repeated keys, and the last number. */
  async answers(): Promise<Pick<JournalEntry, 'space' | 'idempotency_key' | 'body_hash' | 'status' | 'answer'>[]> {
    const { rows } = await this.pool.query<JournalEntry>(
      `select space, idempotency_key, body_hash, status, answer from sandbox_platform.calls
       where idempotency_key is not null and answer is not null and at > now() - interval '1 day' order by seq`,
    );
    return rows;
  }

  async lastSeq(): Promise<number> {
    const { rows } = await this.pool.query<{ n: string | null }>('select max(seq) as n from sandbox_platform.calls');
    return Number(rows[0]?.n ?? 0);
  }

  async calls(space: string, after: number, limit: number): Promise<JournalEntry[]> {
    const { rows } = await this.pool.query<JournalEntry>(
      `select seq::float8 as seq, at, method, path, idempotency_key, user_id, external_id, body, body_hash, status,
              applied, replayed, fault
       from sandbox_platform.calls where space = $1 and seq > $2 order by calls.seq limit $3`,
      [space, after, limit],
    );
    return rows;
  }

  /** Deletes the users and lines of one space, all or none. */
  async reset(space: string): Promise<void> {
    const text = `with users as (delete from sandbox_platform.users where space = $1)
      delete from sandbox_platform.calls where space = $1`;
    try {
      await this.pool.query(text, [space]);
    } catch (error) {
      this.failed = true; // It may have been done.
      throw error;
    }
  }

  async close(): Promise<void> {
    while (this.flushing) await new Promise((resolve) => setImmediate(resolve));
    await this.pool.end();
  }

  private async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0);
      let failure: Error | undefined;
      try {
        await this.pool.query({ name: 'sandbox-write', text: WRITE, values: valuesOf(batch) });
      } catch (error) {
        failure = error instanceof Error ? error : new Error('the journal cannot be written');
        this.failed = true;
        // These were decided from changes that are not stored.
        batch.push(...this.waiting.splice(0));
      }
      for (const write of batch) write.done(failure);
    }
    this.flushing = false;
  }
}

function valuesOf(batch: readonly Write[]): unknown[] {
  const of = <T>(pick: (entry: JournalEntry) => T): T[] => batch.map(({ entry }) => pick(entry));
  // One statement may change each user once, so only its last state is written.
  const last = new Map<string, Write>();
  for (const write of batch)
    if (write.user !== undefined) last.set(`${write.entry.space} ${write.entry.user_id}`, write);
  const touched = [...last.values()];
  const gone = touched.filter((write) => write.user === null);
  const kept = touched.filter((write) => write.user !== null);
  return [
    of((e) => e.seq),
    of((e) => e.at),
    of((e) => e.space),
    of((e) => e.method),
    of((e) => e.path),
    of((e) => e.idempotency_key),
    of((e) => e.user_id),
    of((e) => e.external_id),
    of((e) => e.body),
    of((e) => e.body_hash),
    of((e) => e.status),
    of((e) => e.applied),
    of((e) => e.replayed),
    of((e) => e.fault),
    of((e) => e.answer),
    gone.map((w) => w.entry.space),
    gone.map((w) => w.entry.user_id),
    kept.map((w) => w.entry.space),
    kept.map((w) => w.entry.user_id),
    kept.map((w) => JSON.stringify(w.user)),
  ];
}

/** The faults that can be simulated. */
export const FAULT_MODES = ['none', 'slow', '429', '500', 'refuse', 'hang', 'maintenance', 'not_found'] as const;

type FaultMode = (typeof FAULT_MODES)[number];

/** The current fault and its parameters. */
export interface Faults {
  mode: FaultMode;
  /** The share of affected requests, 0 to 1. */
  rate: number;
  delay_ms: number;
  /** The `Retry-After` of 429 and maintenance in seconds; null: no such header. */
  retry_after: number | null;
  /** The status of the maintenance page: some platforms answer 200. */
  status: 200 | 503;
}

/** The settings without a fault. */
export const NO_FAULTS: Faults = { mode: 'none', rate: 1, delay_ms: 1_000, retry_after: null, status: 503 };

/** The time of a fault. `after`: the request takes effect, and its answer is lost. */
type Strike = 'no' | 'before' | 'after';

/**
 * Decides whether and when a fault affects this request.
 *
 * @param whether a random number in [0, 1) for the share
 * @param when a random number in [0, 1) for the time
 */
export function strikes(faults: Faults, whether: number, where: number): Strike {
  if (faults.mode === 'none' || whether >= faults.rate) return 'no';
  // A request with these answers has no effect.
  const never = faults.mode === '429' || faults.mode === 'not_found' || faults.mode === 'slow';
  return never || where < 0.5 ? 'before' : 'after';
}

/**
 * Reads faults from JSON or a form.
 *
 * @returns the faults, or the problem as text
 */
export function readFaults(input: Record<string, unknown>): Faults | string {
  const mode = typeof input['mode'] === 'string' ? input['mode'] : 'none';
  if (!(FAULT_MODES as readonly string[]).includes(mode)) return `mode must be one of: ${FAULT_MODES.join(', ')}`;
  const rate = numberOf(input['rate'], 1);
  if (!(rate >= 0 && rate <= 1)) return 'rate must be a number from 0 to 1';
  const delay = numberOf(input['delay_ms'], NO_FAULTS.delay_ms);
  if (!(delay >= 0 && delay <= 120_000)) return 'delay_ms must be a number from 0 to 120000';
  const retryAfter = input['retry_after'] == null || input['retry_after'] === '' ? null : Number(input['retry_after']);
  if (retryAfter !== null && !(retryAfter >= 0 && retryAfter <= 86_400))
    return 'retry_after must be 0 to 86400 seconds';
  const status = Number(input['status'] ?? 503);
  if (status !== 200 && status !== 503) return 'status must be 200 or 503';
  return { mode: mode as FaultMode, rate, delay_ms: delay, retry_after: retryAfter, status };
}

function numberOf(value: unknown, otherwise: number): number {
  return value === undefined || value === '' ? otherwise : Number(value);
}

/** The HTML of the maintenance page. */
export const MAINTENANCE_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Be right back</title>
<body style="font-family:sans-serif;text-align:center;padding:10vh"><h1>Be right back</h1>
<p>We are doing some maintenance.</p></body></html>`;
