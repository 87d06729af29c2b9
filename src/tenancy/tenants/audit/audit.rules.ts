import { canonicalJson, chainHash } from '../../../base/crypto/chain.js';
import type { Actor } from '../../identity/person.js';
import type { ChainLine } from '../../ledger/chain.rules.js';
import type { SealedBatch, StoredHead } from '../../ledger/heads.repository.js';

/** `at` is text to the microsecond: a Date would lose digits that are hashed. */
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

export const AUDIT_COLUMNS = `tenant_id, entry_id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
  actor, action, target_type, target_id, before, after, request_id, sequence, previous_hash, hash`;

/** Returns the hashed text of a line: all its values and its place (`row.sequence`). */
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

/** Gives lines their places after a head, in their order. */
export function sealedLines(head: Pick<StoredHead, 'sequence' | 'hash'>, rows: readonly AuditRow[]): SealedBatch {
  let { sequence } = head;
  let hash: Buffer = Buffer.from(head.hash, 'hex');
  const hashes = rows.map((row) => {
    sequence += 1;
    hash = chainHash(hash, auditHashInput({ ...row, sequence: String(sequence) }));
    return hash.toString('hex');
  });
  const ids = rows.map((row) => row.entry_id);
  return { ids, hashes, counts: null, effectiveAt: null, sealedThrough: rows.at(-1)?.at ?? null };
}

/** Converts a sealed line for the verifier of both chains. */
export function auditChainLine(row: AuditRow): ChainLine {
  const sequence = Number(row.sequence);
  const previous = row.previous_hash ?? Buffer.alloc(0);
  return {
    sequence,
    entryId: row.entry_id,
    at: row.at,
    previousHash: previous.toString('hex'),
    hash: row.hash?.toString('hex') ?? '',
    computedHash: chainHash(previous, auditHashInput(row)).toString('hex'),
    count: sequence,
    delta: 1,
  };
}
