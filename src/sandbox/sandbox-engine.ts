import { createHash } from 'node:crypto';
import {
  SandboxJournal,
  problem,
  type JournalEntry,
  type SandboxAnswer,
  type SandboxRequest,
} from './sandbox-journal.js';
import { SandboxUsers, type Effect } from './sandbox-users.js';

const RECENT = 100;

/** The result of a request. `replayed`: the stored answer of an earlier request with the same key. */
interface Done {
  effect: Effect;
  replayed: boolean;
}

/**
 * The users of all spaces, and the stored answers. Decisions are made in memory, and an answer is sent only after it is
 * stored. When storing fails, the memory has changes that the database lacks: nothing is decided until it is read again.
 */
export class SandboxEngine {
  spaces = new Map<string, SandboxUsers>();
  recent: JournalEntry[] = [];
  private answers = new Map<string, { hash: string; answer: SandboxAnswer }>();
  private seq = 0;
  private loading: Promise<void> | null = null;

  constructor(readonly journal: SandboxJournal) {}

  /**
   * Resolves when the memory equals the database.
   *
   * @throws {Error} when the database cannot be read
   */
  async ready(): Promise<void> {
    while (this.journal.failed) await (this.loading ??= this.load().finally(() => (this.loading = null)));
  }

  /** Reads everything from the database; the memory changes at once, or not at all. */
  async load(): Promise<void> {
    const [users, answers, seq] = [
      await this.journal.users(),
      await this.journal.answers(),
      await this.journal.lastSeq(),
    ];
    this.spaces = new Map();
    for (const { space, doc } of users) this.space(space).load(doc);
    this.answers = new Map(
      answers.map(({ space, idempotency_key, body_hash, status, answer }) => [
        `${space} ${idempotency_key}`,
        { hash: body_hash, answer: { status: status!, body: answer! } },
      ]),
    );
    this.seq = seq;
    this.journal.failed = false;
  }

  /**
   * Serves a request, and resolves when its effect is stored.
   *
   * @param fault what the log of requests says of a fault that strikes it
   * @throws {Error} when it cannot be stored; it may have had its effect
   */
  async serve(request: SandboxRequest, fault: string | null): Promise<Done> {
    await this.ready();
    // No `await` up to the write in `note`: what is decided is handed to the journal in the same turn.
    const done = this.apply(request);
    await this.note(request, done, fault);
    return done;
  }

  /** Stores a request that a fault keeps from having an effect. */
  async drop(request: SandboxRequest, fault: string): Promise<void> {
    await this.ready();
    await this.note(request, null, fault);
  }

  /** Decides and applies a request synchronously: two requests never interleave. */
  private apply(request: SandboxRequest): Done {
    const { method, space, idempotencyKey } = request;
    const users = this.space(space);
    const reads = method === 'GET';
    const memory = idempotencyKey === null || reads ? null : `${space} ${idempotencyKey}`;
    const before = memory === null ? undefined : this.answers.get(memory);
    if (before !== undefined) {
      const answer =
        before.hash === hashOf(request)
          ? before.answer
          : problem(422, 'idempotency_key_reused', 'This Idempotency-Key came with another request before.');
      return { effect: { answer, userId: null, externalId: null, applied: false }, replayed: true };
    }
    const effect = route(users, request);
    if (memory !== null) this.answers.set(memory, { hash: hashOf(request), answer: effect.answer });
    return { effect, replayed: false };
  }

  /** Stores a request and its result (null: none); resolves when it is stored, and throws if that fails. */
  private async note(request: SandboxRequest, done: Done | null, fault: string | null): Promise<void> {
    const reads = request.method === 'GET';
    const entry: JournalEntry = {
      seq: ++this.seq,
      at: new Date(),
      space: request.space,
      method: request.method,
      path: request.path,
      idempotency_key: request.idempotencyKey,
      user_id: done?.effect.userId ?? null,
      external_id: done?.effect.externalId ?? null,
      body: request.body,
      body_hash: hashOf(request),
      status: done?.effect.answer.status ?? null,
      applied: (done?.effect.applied ?? false) && !done?.replayed,
      replayed: done?.replayed ?? false,
      fault,
      answer: reads || done === null || done.replayed ? null : done.effect.answer.body,
    };
    this.recent = [entry, ...this.recent.slice(0, RECENT - 1)];
    const { user_id: userId, space } = entry;
    const user = entry.applied && userId !== null ? (this.space(space).byId.get(userId) ?? null) : undefined;
    const written = this.journal.write(entry, user);
    // A read does not wait until it is stored.
    if (reads) return void written.catch(() => undefined);
    await written;
  }

  /** Deletes all data of one space. */
  async reset(space: string): Promise<void> {
    await this.journal.reset(space);
    // A load that has begun before may have read what was deleted.
    await this.ready();
    this.spaces.delete(space);
    for (const key of this.answers.keys()) if (key.startsWith(`${space} `)) this.answers.delete(key);
    this.recent = this.recent.filter((entry) => entry.space !== space);
  }

  private space(space: string): SandboxUsers {
    let users = this.spaces.get(space);
    if (users === undefined) this.spaces.set(space, (users = new SandboxUsers()));
    return users;
  }
}

/** Applies one request of the users API. */
function route(users: SandboxUsers, { method, path, query, body }: SandboxRequest): Effect {
  const [, , resource, encoded] = path.split('/');
  const id = encoded === undefined ? undefined : decoded(encoded);
  const read = (answer: SandboxAnswer): Effect => ({ answer, userId: null, externalId: null, applied: false });
  if (resource === 'resolve' && method === 'GET' && id === undefined) {
    const type = query.get('type');
    const found = type === 'user' ? users.resolve(query.get('external_id') ?? '') : null;
    return read({ status: 200, body: JSON.stringify({ found: found !== null, id: found, type }) });
  }
  if (resource !== 'users') return read(problem(404, 'not_found', 'Nothing is here.'));
  if (id === undefined) {
    if (method === 'POST') return users.create(body);
    if (method === 'GET') return read(users.list(query));
  } else {
    if (method === 'PATCH') return users.update(id, body);
    if (method === 'DELETE') return users.remove(id);
    const user = users.byId.get(id);
    if (method === 'GET') {
      return read(user ? { status: 200, body: JSON.stringify(user) } : problem(404, 'not_found', 'No such user.'));
    }
  }
  return read(problem(405, 'method_not_allowed', `${method} is not possible here.`));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function hashOf(request: SandboxRequest): string {
  return createHash('sha256').update(`${request.method} ${request.path}\n${request.body}`).digest('base64url');
}
