import { canonicalJson, chainHash, CHAIN_START } from '../../base/crypto/chain.js';
import type { Actor } from '../../identity/source.js';

/** A line of the audit log. `at` is text to the microsecond: a Date would lose what the hash is about. */
export interface AuditRow {
  tenant_id: string;
  entry_id: string;
  at: string;
  actor: Actor;
  action: string;
  target_type: string;
  target_id: string;
  before: unknown;
  after: unknown;
  request_id: string | null;
  sequence: string | null;
  previous_hash: Buffer | null;
  hash: Buffer | null;
}

/** The columns of `AuditRow`, for every statement that reads lines to hash or to show them. */
export const AUDIT_COLUMNS = `tenant_id, entry_id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
  actor, action, target_type, target_id, before, after, request_id, sequence, previous_hash, hash`;

/** What the hash of a line is about: everything it says, and its place. `row.sequence` is the place it gets. */
export function auditHashInput(row: Omit<AuditRow, 'previous_hash' | 'hash'>): string {
  return canonicalJson({
    tenant_id: row.tenant_id,
    sequence: Number(row.sequence),
    entry_id: Number(row.entry_id),
    at: row.at,
    actor: row.actor,
    action: row.action,
    target_type: row.target_type,
    target_id: row.target_id,
    before: row.before ?? null,
    after: row.after ?? null,
    request_id: row.request_id,
  });
}

/** The first line that does not fit, and why. */
export interface Breach {
  sequence: number;
  entry_id: string | null;
  problem: 'line missing' | 'line changed' | 'order changed' | 'end missing';
}

/** How far a chain has been checked: hand it to the next part of it. */
export interface ChainState {
  sequence: number;
  hash: Buffer;
}

export const START: ChainState = { sequence: 0, hash: CHAIN_START };

/** Checks the next sealed lines, in order of `sequence`. Answers how far it came, and the first breach if there is one. */
export function checkLines(state: ChainState, rows: readonly AuditRow[]): { state: ChainState; breach: Breach | null } {
  let { sequence, hash } = state;
  for (const row of rows) {
    const expected = sequence + 1;
    const breach = (problem: Breach['problem']): { state: ChainState; breach: Breach } => ({
      state: { sequence, hash },
      breach: { sequence: expected, entry_id: row.entry_id, problem },
    });
    if (Number(row.sequence) !== expected) return breach('line missing');
    if (!row.previous_hash?.equals(hash)) return breach('order changed');
    const due = chainHash(hash, auditHashInput(row));
    if (!row.hash?.equals(due)) return breach('line changed');
    sequence = expected;
    hash = due;
  }
  return { state: { sequence, hash }, breach: null };
}
