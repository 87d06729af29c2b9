import { Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { PageRequest } from '../../../base/http/page.js';
import { newId } from '../../../base/ids.js';
import type { SignInRefusalReason } from '../sign-in.errors.js';

export interface Origin {
  ip: string | null;
  userAgent: string | null;
  requestId: string;
}

export const SIGN_IN_KINDS = ['sign-in', 'test', 'logout'] as const;
export const SIGN_IN_OUTCOMES = ['success', 'refused'] as const;

/** Has names, never tokens. */
export interface SignInEntry {
  kind: (typeof SIGN_IN_KINDS)[number];
  /** null for a sign-in link of the operator. */
  connectionId: string | null;
  outcome: (typeof SIGN_IN_OUTCOMES)[number];
  reason?: SignInRefusalReason | null;
  detail?: string | null;
  account?: string | null;
  subject?: string | null;
  userId?: string | null;
  linkedBy?: string | null;
  sessionId?: string | null;
}

/** A line of the log as the API shows it. `id` is the support id on the page. */
export interface SignInRow {
  id: string;
  at: Date;
  kind: string;
  connection_id: string | null;
  connection: string | null;
  outcome: 'success' | 'refused';
  reason: string | null;
  detail: string | null;
  account: string | null;
  subject: string | null;
  user_id: string | null;
  linked_by: string | null;
  session_id: string | null;
  ip: string | null;
  user_agent: string | null;
  request_id: string;
}

export interface SignInFilter {
  support_id?: string | undefined;
  user_id?: string | undefined;
  account?: string | undefined;
  connection_id?: string | undefined;
  kind?: string | undefined;
  outcome?: string | undefined;
  reason?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

const COLUMNS = `tenant_id, id, kind, connection_id, outcome, reason, detail, account, subject, user_id, linked_by,
  session_id, ip, user_agent, request_id`;
const MAX_TEXT = 500;
/** Long enough for a finding and the command that helps. */
const MAX_DETAIL = 1_000;

/**
 * The log of sign-ins, successes and refusals: append-only, in monthly partitions. It also counts the sign-ins of this process;
 * tenants, connections and users are never labels.
 */
@Injectable()
export class SignInLog {
  private readonly seen = new Counter({
    name: 'bridge_sign_ins_total',
    help: 'Sign-ins, tests and logouts, by outcome and reason',
    labelNames: ['kind', 'outcome', 'reason'],
    registers: [],
  });

  constructor(private readonly db: Database) {}

  /** Adds a line, and returns its id, which is the support id. */
  async record(tenantId: string, entry: SignInEntry, origin: Origin, db: SqlRunner = this.db): Promise<string> {
    const id = newId('sin');
    await db.query(
      `insert into sign_ins (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
      [tenantId, ...valuesOf(id, entry, origin)],
    );
    this.count(entry);
    return id;
  }

  async list(tenantId: string, filter: SignInFilter, page: Pick<PageRequest, 'limit' | 'after'>): Promise<SignInRow[]> {
    const given = (
      [
        ['s.id <', page.after],
        ['s.id =', filter.support_id],
        ['s.user_id =', filter.user_id],
        ['lower(s.account) =', filter.account?.toLowerCase()],
        ['s.connection_id =', filter.connection_id],
        ['s.kind =', filter.kind],
        ['s.outcome =', filter.outcome],
        // Only refusals have a reason: the condition makes the partial index usable.
        [`s.outcome = 'refused' and s.reason =`, filter.reason],
        ['s.at >=', filter.since],
        ['s.at <', filter.until],
      ] as const
    ).filter(([, value]) => value !== undefined && value !== null);
    // An index finds a line, the lines of a user, and rare refusals. Other lines may be anywhere in the log.
    const found = filter.support_id ?? filter.user_id ?? filter.reason;
    const search = found === undefined && given.some(([is]) => is !== 's.id <');
    const { rows } = await this.db[search ? 'search' : 'shaped']<SignInRow>(
      `select s.id, s.at, s.kind, s.connection_id, c.name as connection, s.outcome, s.reason, s.detail, s.account,
         s.subject, s.user_id, s.linked_by, s.session_id, s.ip, s.user_agent, s.request_id
       from sign_ins s left join connections c on c.tenant_id = s.tenant_id and c.id = s.connection_id
       where s.tenant_id = $1 ${given.map(([is], i) => `and ${is} $${i + 3}`).join(' ')}
       order by s.id desc limit $2`,
      [tenantId, page.limit + 1, ...given.map(([, value]) => value)],
    );
    return rows;
  }

  count({ kind, outcome, reason }: { kind: string; outcome: string; reason?: string | null }): void {
    this.seen.inc({ kind, outcome, reason: reason ?? '' });
  }

  register(registry: Registry): void {
    registry.registerMetric(this.seen);
  }
}

function valuesOf(id: string, entry: SignInEntry, origin: Origin): (string | null)[] {
  return [
    id,
    entry.kind,
    entry.connectionId,
    entry.outcome,
    entry.reason ?? null,
    short(entry.detail, MAX_DETAIL),
    short(entry.account),
    short(entry.subject),
    entry.userId ?? null,
    entry.linkedBy ?? null,
    entry.sessionId ?? null,
    origin.ip,
    short(origin.userAgent),
    origin.requestId,
  ];
}

/** Returns foreign text for the log: without characters that PostgreSQL refuses, and cut to a length. */
function short(text: string | null | undefined, length = MAX_TEXT): string | null {
  if (text === null || text === undefined) return null;
  return text.slice(0, length).replace(/\p{Cc}|\p{Cs}/gu, '\ufffd');
}

/** Rows of sign-in that end automatically, with the time for which they are still read. */
export const SIGN_IN_LEFTOVERS = [
  // A day longer than they are valid: the answer to a late browser is "over", not "unknown".
  `delete from sign_in_requests where expires_at < now() - interval '1 day'`,
  `delete from owner_sign_in_links where expires_at < now() - interval '1 day'`,
  // A bucket is full again after ten minutes.
  `delete from tries where at < now() - interval '10 minutes'`,
  `delete from session_tokens where expires_at < now() - interval '1 day'`,
] as const;
