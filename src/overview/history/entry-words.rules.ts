import type { HeldReason } from '../../tenancy/identity/person.js';

type Fields = Readonly<Record<string, unknown>>;

const HELD: Readonly<Record<HeldReason, string>> = {
  superseded: 'another directory took over',
  preview: 'the directory is in preview',
  protected: 'the user is the owner or a break-glass account',
  needs_admin: 'a change of an administrator waits for an admin',
  guard: 'the guard of the directory',
  no_role: 'no role applies',
  email_taken: 'another user has the e-mail',
  external_id_taken: 'another user has the external_id',
  no_seat: 'no seat is free',
  no_email: 'there is no e-mail',
};

const LINKED: Readonly<Record<string, string>> = {
  id: 'linked with a resource of the directory by the id',
  external_id: 'linked with a resource of the directory by the external_id',
  user_name: 'linked with a resource of the directory by the userName',
  email: 'linked with a resource of the directory by the e-mail',
};

const AUDITED: Readonly<Record<string, (fields: Fields) => string>> = {
  'administrator.added': ({ after }) => `administers the tenant from now on${rightIn(after)}`,
  'administrator.removed': ({ before }) => `administers the tenant no longer${rightIn(before)}${keysIn(before)}`,
  'administrator.identity_changed': ({ after }) => `another identity of an administrator: ${listIn(after, 'fields')}`,
  'guard.undone': () => 'brought back by an undo of the departure',
  'held.needs_admin': () => 'a write of the directory waits for an admin',
  'held.released': ({ before }) => `what was held is released${reasonIn(before)}`,
  'held.discarded': ({ before }) => `what was held is discarded${reasonIn(before)}`,
  'user.resent': () => 'sent to the platform again',
  'sessions.ended': () => 'all sessions ended by an admin',
  'identity.released': () => 'the account at the IdP is unbound by an admin',
  'owner_sign_in_link.created': () => 'the operator made a sign-in link of the owner',
  'owner_sign_in_link.used': () => 'the sign-in link of the owner was used',
};

export function wordsOfAudit(fields: Fields): string {
  const action = String(fields['event']);
  return AUDITED[action]?.(fields) ?? action;
}

export function wordsOfHold({ event, reason, user_name: name }: Fields): string {
  const why = HELD[reason as HeldReason] ?? String(reason);
  const stand = typeof name === 'string' && name !== '' ? `; the userName is ${name} now` : '';
  return `${event === 'held' ? 'held' : `${String(event)}, was held`}: ${why}${stand}`;
}

export function wordsOfLink({ by }: Fields): string {
  return LINKED[String(by)] ?? `linked by ${String(by)}`;
}

function rightIn(value: unknown): string {
  const { role, console } = (value ?? {}) as { role?: string | null; console?: string };
  const right = console === 'auditor' ? 'reads' : 'writes';
  if (console === undefined) return '';
  return role === null || role === undefined ? ' (owner)' : ` (role ${role}, ${right})`;
}

function keysIn(value: unknown): string {
  const keys = (value as { keys?: unknown[] } | null)?.keys ?? [];
  if (keys.length === 0) return '';
  return keys.length === 1 ? '; 1 API key of the user stays' : `; ${keys.length} API keys of the user stay`;
}

function reasonIn(value: unknown): string {
  const reason = (value as { held?: HeldReason; reason?: HeldReason } | null)?.held;
  return reason === undefined || HELD[reason] === undefined ? '' : `: ${HELD[reason]}`;
}

function listIn(value: unknown, name: string): string {
  const list = (value as Record<string, unknown> | null)?.[name];
  return Array.isArray(list) ? list.join(', ') : '';
}
