import { randomBytes } from 'node:crypto';
import { problem, type SandboxAnswer, type SandboxUser } from './sandbox-journal.js';

const FIELDS = ['email', 'first_name', 'last_name', 'role', 'external_id', 'status'];

/** The effect of a request: its answer, and the changed user. */
export interface Effect {
  answer: SandboxAnswer;
  userId: string | null;
  externalId: string | null;
  applied: boolean;
}

/** The users of one space, in memory. All decisions are made here, one request after the other. */
export class SandboxUsers {
  readonly byId = new Map<string, SandboxUser>();
  private readonly byExternalId = new Map<string, string>();
  private readonly byEmail = new Map<string, string>();

  load(user: SandboxUser): void {
    this.put(user);
  }

  create(body: string): Effect {
    const input = readBody(body);
    if ('status' in input && 'body' in input) return refused(input as SandboxAnswer);
    const fields = input;
    if (!fields['email']) return refused(problem(422, 'invalid_fields', 'email is required.'));
    if (fields['first_name'] == null) return refused(problem(422, 'invalid_fields', 'first_name is required.'));
    const now = new Date().toISOString();
    const user: SandboxUser = {
      id: `hp_${randomBytes(9).toString('base64url')}`,
      email: fields['email'],
      first_name: fields['first_name'],
      last_name: fields['last_name'] ?? '',
      role: fields['role'] ?? 'User',
      external_id: fields['external_id'] ?? null,
      status: fields['status'] === 'inactive' ? 'inactive' : 'active',
      created_at: now,
      updated_at: now,
    };
    return this.store(user, 201);
  }

  update(id: string, body: string): Effect {
    const before = this.byId.get(id);
    if (before === undefined) return refused(problem(404, 'not_found', 'No such user.'));
    const input = readBody(body);
    if ('status' in input && 'body' in input) return refused(input as SandboxAnswer);
    const patch = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const after = { ...before, ...patch, updated_at: new Date().toISOString() };
    if (typeof after.email !== 'string' || after.email === '') {
      return refused(problem(422, 'invalid_fields', 'email is required.'));
    }
    return this.store(after, 200, before);
  }

  remove(id: string): Effect {
    const user = this.byId.get(id);
    if (user === undefined) return refused(problem(404, 'not_found', 'No such user.'));
    this.forget(user);
    return { answer: { status: 204, body: '' }, userId: id, externalId: user.external_id, applied: true };
  }

  resolve(externalId: string): string | null {
    return this.byExternalId.get(externalId) ?? null;
  }

  /** Returns users in the order of their ids, after the cursor. */
  list(query: URLSearchParams): SandboxAnswer {
    const limit = Math.min(200, Math.max(1, Number(query.get('limit') ?? 50) || 50));
    const email = query.get('email')?.toLowerCase();
    const externalId = query.get('external_id');
    const cursor = query.get('cursor') ?? '';
    const matching = [...this.byId.values()]
      .filter((user) => email === undefined || user.email.toLowerCase() === email)
      .filter((user) => externalId === null || user.external_id === externalId)
      .filter((user) => user.id > cursor)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const data = matching.slice(0, limit);
    const next = matching.length > limit ? data.at(-1)!.id : null;
    return { status: 200, body: JSON.stringify({ data, next_cursor: next }) };
  }

  private store(user: SandboxUser, status: number, before?: SandboxUser): Effect {
    const clash = this.clashOf(user);
    if (clash !== null) return refused(clash);
    if (before) this.forget(before);
    this.put(user);
    const answer = { status, body: JSON.stringify(user) };
    return { answer, userId: user.id, externalId: user.external_id, applied: true };
  }

  private clashOf(user: SandboxUser): SandboxAnswer | null {
    const other = user.external_id === null ? undefined : this.byExternalId.get(user.external_id);
    if (other !== undefined && other !== user.id) {
      return problem(409, 'external_id_taken', 'Another user has this external_id.', { id: other });
    }
    const mailbox = user.status === 'active' ? this.byEmail.get(user.email.toLowerCase()) : undefined;
    if (mailbox !== undefined && mailbox !== user.id) {
      return problem(409, 'email_taken', 'Another active user has this e-mail address.', { id: mailbox });
    }
    return null;
  }

  private put(user: SandboxUser): void {
    this.byId.set(user.id, user);
    if (user.external_id !== null) this.byExternalId.set(user.external_id, user.id);
    if (user.status === 'active') this.byEmail.set(user.email.toLowerCase(), user.id);
  }

  private forget(user: SandboxUser): void {
    this.byId.delete(user.id);
    if (user.external_id !== null) this.byExternalId.delete(user.external_id);
    const mailbox = user.email.toLowerCase();
    if (this.byEmail.get(mailbox) === user.id) this.byEmail.delete(mailbox);
  }
}

function refused(answer: SandboxAnswer): Effect {
  return { answer, userId: null, externalId: null, applied: false };
}

function readBody(text: string): Record<string, string | null> | SandboxAnswer {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return problem(400, 'malformed_json', 'The body is not valid JSON.');
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    return problem(400, 'malformed_json', 'The body must be a JSON object.');
  }
  for (const [name, value] of Object.entries(body)) {
    if (!FIELDS.includes(name)) return problem(422, 'invalid_fields', `${name} is not a known field.`);
    const nullable = name === 'external_id' || name === 'role';
    if (typeof value !== 'string' && !(nullable && value === null)) {
      return problem(422, 'invalid_fields', `${name} must be text.`);
    }
    if (name === 'email' && !/^[^\s@]+@[^\s@]+$/.test(value as string)) {
      return problem(422, 'invalid_fields', 'email must be an e-mail address.');
    }
    if (name === 'status' && value !== 'active' && value !== 'inactive') {
      return problem(422, 'invalid_fields', 'status must be active or inactive.');
    }
  }
  return body as Record<string, string | null>;
}
