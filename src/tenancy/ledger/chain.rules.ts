import { createHash } from 'node:crypto';
import { CHAIN_START, canonicalJson } from '../../base/crypto/chain.js';

/** The chains of a tenant: the seat ledger and the audit log. */
export type ChainName = 'seats' | 'audit';

/** A sealed line of a chain as the verifier reads it; hashes are hex. */
export interface ChainLine {
  readonly sequence: number;
  readonly entryId: string;
  /** RFC 3339 with microseconds, UTC: the time that decides the line's day. */
  readonly at: string;
  readonly previousHash: string;
  readonly hash: string;
  readonly computedHash: string;
  /** Seats in use after the line; in the audit log the number of lines. */
  readonly count: number;
  readonly delta: number;
}

/** Stable, part of the API. */
export type BreachKind =
  | 'line missing'
  | 'line changed'
  | 'order changed'
  | 'count changed'
  | 'time runs backwards'
  | 'end missing'
  | 'head missing'
  | 'head replaced'
  | 'head not signed'
  | 'signature invalid'
  | 'differs from signed head'
  | 'differs from closed day'
  | 'differs from known head'
  | 'days changed'
  | 'holders differ';

export interface Breach {
  readonly sequence: number;
  readonly entry_id: string | null;
  /** The sequence of that entry: a later one where lines are missing. */
  readonly found: number | null;
  readonly problem: BreachKind;
  readonly detail: string;
}

/**
 * A hash that the chain must have at a place, known from another source: a signed head, a closed day, an auditor's
 * note.
 */
export interface ChainMark {
  readonly sequence: number;
  readonly hash: string;
  readonly problem: BreachKind;
  readonly detail: string;
}

export const START_HASH = CHAIN_START.toString('hex');

/** A place in a chain: the line with this sequence and hash. */
export interface ChainPlace {
  readonly sequence: number;
  readonly hash: string;
}

/**
 * Walks along a chain, oldest line first, and stops at the first incorrect line. Verifies a chain, and closes a day.
 */
export class ChainWalk {
  private place: ChainPlace;
  private last: ChainLine | null = null;
  private readonly fromStart: boolean;
  private found: Breach | null = null;
  private readonly marks = new Map<number, ChainMark[]>();

  /**
   * @param marks hashes known from other sources
   * @param ordered whether times must not decrease along the chain
   * @param start the place after which the walk begins; the beginning of the chain unless given
   */
  constructor(
    marks: readonly ChainMark[] = [],
    private readonly ordered = false,
    start: ChainPlace = { sequence: 0, hash: START_HASH },
  ) {
    this.place = start;
    this.fromStart = start.sequence === 0;
    for (const mark of marks) this.marks.set(mark.sequence, [...(this.marks.get(mark.sequence) ?? []), mark]);
  }

  get end(): ChainPlace {
    return this.place;
  }

  get lastLine(): ChainLine | null {
    return this.last;
  }

  get breach(): Breach | null {
    return this.found;
  }

  /** Checks the next line. Returns false once the chain is broken. */
  take(line: ChainLine): boolean {
    if (this.found !== null) return false;
    const expected = this.place.sequence + 1;
    const problem = this.problemOf(line, expected);
    if (problem !== null) {
      this.found = { sequence: expected, entry_id: line.entryId, found: line.sequence, ...problem };
      return false;
    }
    this.place = { sequence: line.sequence, hash: line.hash };
    this.last = line;
    return true;
  }

  /** Ends the walk. Returns the first breach, or null. A mark after the last line shows that the end was cut off. */
  finish(): Breach | null {
    if (this.found !== null) return this.found;
    const behind = [...this.marks.keys()].filter((sequence) => sequence > this.place.sequence).sort((a, b) => a - b);
    if (behind.length === 0) return null;
    const [mark] = this.marks.get(behind.at(-1)!)!;
    this.found = {
      sequence: this.place.sequence + 1,
      entry_id: null,
      found: null,
      problem: 'end missing',
      detail: `the chain ends at ${this.place.sequence}, but ${mark!.detail} says that it reached ${mark!.sequence}`,
    };
    return this.found;
  }

  private problemOf(line: ChainLine, expected: number): Pick<Breach, 'problem' | 'detail'> | null {
    if (line.sequence !== expected) return { problem: 'line missing', detail: `expected sequence ${expected}` };
    if (line.previousHash !== this.place.hash) {
      return { problem: 'order changed', detail: 'the hash of the entry before does not fit' };
    }
    // The count before the first line is known only at the beginning of the chain.
    const before = this.last?.count ?? (this.fromStart ? 0 : null);
    if (before !== null && line.count !== before + line.delta) {
      return { problem: 'count changed', detail: 'the count does not fit' };
    }
    if (this.ordered && this.last !== null && line.at < this.last.at) {
      return { problem: 'time runs backwards', detail: 'time runs backwards' };
    }
    if (line.computedHash !== line.hash) return { problem: 'line changed', detail: 'the entry was changed' };
    const mark = this.marks.get(line.sequence)?.find(({ hash }) => hash !== line.hash);
    return mark === undefined
      ? null
      : { problem: mark.problem, detail: `the hash of the entry differs from the one of ${mark.detail}` };
  }
}

interface HeadFields {
  readonly tenantId: string;
  readonly chain: ChainName;
  readonly sequence: number;
  /** Seats in use there; in the audit log the number of lines. */
  readonly count: number;
  readonly hash: string;
}

/** The head of a day. */
export interface DayFields extends HeadFields {
  /** `2026-01-31`, UTC. */
  readonly day: string;
  /** Hex hash over the signed text of the previous day (`dayHash`); 64 zeros for the first day. */
  readonly previous: string;
  /** False for the day that is not over yet. */
  readonly closed: boolean;
}

export interface HeadSignature {
  readonly keyId: string;
  readonly signature: Buffer;
}

/**
 * Returns the text that is signed for the live head of a chain. It names its purpose, so that the signature is not
 * valid for a day.
 */
export function headText({ tenantId, chain, sequence, hash }: Omit<HeadFields, 'count'>): string {
  return canonicalJson({ type: 'talent-bridge.chain-head.v1', tenant_id: tenantId, chain, sequence, hash });
}

/**
 * Returns the text that is signed for the head of a day. An auditor checks the signature over exactly these bytes
 * (UTF-8).
 */
export function dayText(day: DayFields): string {
  return canonicalJson({
    type: 'talent-bridge.chain-day.v1',
    tenant_id: day.tenantId,
    chain: day.chain,
    day: day.day,
    closed: day.closed,
    sequence: day.sequence,
    count: day.count,
    hash: day.hash,
    previous: day.previous,
  });
}

/** Returns the hash of a day's head, for the head of the next day. */
export function dayHash(day: DayFields): string {
  return createHash('sha256').update(dayText(day), 'utf8').digest('hex');
}
