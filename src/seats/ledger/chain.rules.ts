import { canonicalJson, chainHash, CHAIN_START } from '../../base/crypto/chain.js';
import { ChainWalk, type ChainLine } from '../../tenancy/ledger/chain.rules.js';
import { Account, pairProblem, type AccountLine } from './account.rules.js';

/** The hashed values of an entry as text, in a fixed order. */
export interface ChainEntry {
  entry_id: string;
  kind: string;
  user_id: string | null;
  delta: number;
  role: string | null;
  directory_id: string | null;
  cost_center: string | null;
  details: unknown;
  reason: string;
  source: unknown;
  /** RFC 3339 with microseconds, UTC. */
  occurred_at: string;
}

/** An entry with its place in the chain. */
export interface SealedEntry extends ChainEntry {
  sequence: number;
  count_after: number;
  effective_at: string;
  previous_hash: string;
  hash: string;
}

export interface ChainHead {
  sequence: number;
  count: number;
  /** Hex; the first entry is sealed onto 64 zeros. */
  hash: string;
  /** Later entries are not effective before this moment. */
  sealed_through: string | null;
}

export const EMPTY_HEAD: ChainHead = { sequence: 0, count: 0, hash: CHAIN_START.toString('hex'), sealed_through: null };

/** Seals entries onto a chain in the given order. Time never runs backwards along the chain. */
export function seal(head: ChainHead, entries: readonly ChainEntry[]): SealedEntry[] {
  const sealed: SealedEntry[] = [];
  let { sequence, count, hash } = head;
  let floor = head.sealed_through ?? '';
  for (const entry of entries) {
    sequence += 1;
    count += entry.delta;
    const effective = entry.occurred_at > floor ? entry.occurred_at : floor;
    const placed = { ...entry, sequence, count_after: count, effective_at: effective, previous_hash: hash };
    hash = hashOf(placed);
    floor = effective;
    sealed.push({ ...placed, hash });
  }
  return sealed;
}

/** Returns the SHA-256 over the previous hash and the canonical JSON of the entry's values and place. */
export function hashOf(entry: Omit<SealedEntry, 'hash'>): string {
  const values = {
    sequence: entry.sequence,
    count_after: entry.count_after,
    effective_at: entry.effective_at,
    entry_id: entry.entry_id,
    kind: entry.kind,
    user_id: entry.user_id,
    delta: entry.delta,
    role: entry.role,
    directory_id: entry.directory_id,
    cost_center: entry.cost_center,
    details: entry.details,
    reason: entry.reason,
    source: entry.source,
    occurred_at: entry.occurred_at,
  };
  return chainHash(Buffer.from(entry.previous_hash, 'hex'), canonicalJson(values)).toString('hex');
}

/** Converts an entry for the verifier of both chains. */
export function seatChainLine(entry: SealedEntry): ChainLine {
  return {
    sequence: entry.sequence,
    entryId: entry.entry_id,
    at: entry.effective_at,
    previousHash: entry.previous_hash,
    hash: entry.hash,
    computedHash: hashOf(entry),
    count: entry.count_after,
    delta: entry.delta,
  };
}

function accountLineOf({ sequence, entry_id, delta, kind, details }: SealedEntry): AccountLine {
  const { holds = false } = (details ?? {}) as { holds?: boolean };
  return { sequence, entry_id: Number(entry_id), delta, holds: kind === 'correction' ? holds : null };
}

/** The result of a check; `sequence` is that of the first incorrect entry. */
export type ChainVerdict =
  { ok: true; entries: number; head: string; count: number } | { ok: false; sequence: number; problem: string };

/**
 * Checks an export of the seat ledger from its start, one entry at a time. Names the first incorrect entry, else two
 * lines of a user in a wrong order that no correction names.
 */
export class ExportVerifier {
  private readonly walk = new ChainWalk([], true);
  private readonly accounts = new Map<string | null, Account>();
  private broken: ChainVerdict | null = null;

  take(entry: SealedEntry): boolean {
    if (this.broken) return false;
    if (this.walk.take(seatChainLine(entry))) {
      const account = this.accounts.get(entry.user_id) ?? new Account();
      this.accounts.set(entry.user_id, account);
      account.take(accountLineOf(entry));
      return true;
    }
    this.broken = { ok: false, sequence: entry.sequence, problem: this.walk.breach!.detail };
    return false;
  }

  /** `expected` is a head kept elsewhere, which shows entries that were cut off at the end. */
  verdict(expected?: ChainHead): ChainVerdict {
    if (this.broken) return this.broken;
    const { sequence, hash } = this.walk.end;
    if (expected && (expected.sequence !== sequence || expected.hash !== hash)) {
      return { ok: false, sequence: sequence + 1, problem: 'the chain does not end where its head says' };
    }
    for (const [userId, { pairs, net }] of this.accounts) {
      const [pair] = pairs;
      if (pair !== undefined) return { ok: false, sequence: pair.second.sequence!, problem: pairProblem(userId, pair) };
      if (net !== 0 && net !== 1) {
        return { ok: false, sequence, problem: `the lines about ${userId} add up to ${net} seats` };
      }
    }
    return { ok: true, entries: sequence, head: hash, count: this.walk.lastLine?.count ?? 0 };
  }
}
