import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { ChainKeys } from './chain-keys.js';
import type { SealedChain } from './chain.js';
import {
  ChainWalk,
  START_HASH,
  type Breach,
  type ChainPlace,
  type ChainMark,
  type BreachKind,
  dayHash,
  dayText,
  headText,
} from './chain.rules.js';
import { TABLES, HeadsRepository, type ClosedDay, type StoredHead } from './heads.repository.js';

interface ChainReport {
  readonly valid: boolean;
  /** Number of correct lines, from the first one. */
  readonly checked: number;
  readonly unsealed: number;
  /** The last correct line. An auditor keeps it for the next verification. */
  readonly head: { readonly sequence: number; readonly hash: string; readonly count: number };
  /** The newest closed day that was checked, UTC, or null. */
  readonly closed_through: string | null;
  readonly breach: Breach | null;
}

/** The body of `verify`: the end of the chain, or the first incorrect line. */
export type ChainVerdictBody =
  | { ok: true; entries: number; head: string; count: number; closed_through: string | null }
  | { ok: false; sequence: number; found: number | null; entry_id: string | null; code: BreachKind; problem: string };

/** Converts a report to the body of the API. */
export function chainVerdictOf({ breach, head, checked, closed_through }: ChainReport): ChainVerdictBody {
  if (breach === null) return { ok: true, entries: checked, head: head.hash, count: head.count, closed_through };
  const { sequence, entry_id, problem: code, detail: problem, found } = breach;
  return { ok: false, sequence, found, entry_id, code, problem };
}

interface Found {
  walk: ChainWalk;
  head: StoredHead | null;
  days: readonly ClosedDay[];
  /** The chain has no line, sealed or not, although it must have one. */
  empty: boolean;
}

const BATCH = 1_000;
const DAYS = 10_000;

/**
 * Verifies a chain. Compares each line with the previous one, and the chain with data signed by a key outside the
 * database (the head and the closed days) and with a head that the caller has kept.
 */
@Injectable()
export class ChainVerifier {
  constructor(
    private readonly db: Database,
    private readonly heads: HeadsRepository,
    private readonly keys: ChainKeys,
    private readonly logger: Logger,
  ) {}

  /** Seals waiting lines, and verifies the whole chain of a tenant. `known` is a head that the caller has kept. */
  async verify(source: SealedChain, tenantId: string, known: ChainPlace | null = null): Promise<ChainReport> {
    await this.keys.ready(true);
    // A manipulated chain can refuse further lines, and is verified nevertheless.
    await source.sealNow(tenantId).catch((error: unknown) => {
      this.logger.error('a chain cannot be sealed', { tenant_id: tenantId, chain: source.chain, error });
    });
    const { head, last, unsealed } = await this.heads.headAndEnd(tenantId, source.chain, TABLES[source.chain]);
    const days = await this.heads.days(tenantId, source.chain, null, DAYS);
    const walk = new ChainWalk(marksOf(head, days, known), source.ordered);
    for (let more = true; more;) {
      const lines = await source.lines(this.db, tenantId, walk.end.sequence, last, BATCH);
      more = lines.every((line) => walk.take(line)) && lines.length === BATCH;
    }
    const empty = last + unsealed === 0 && !source.mayBeEmpty;
    const breach = walk.finish() ?? this.outside(source, tenantId, { walk, head, days, empty });
    return {
      valid: breach === null,
      checked: walk.end.sequence,
      unsealed,
      head: { ...walk.end, count: walk.lastLine?.count ?? 0 },
      closed_through: days[0]?.day ?? null,
      breach,
    };
  }

  /** Finds breaches that the lines do not show: a missing or foreign head, changed days. */
  private outside(source: SealedChain, tenantId: string, { walk, head, days, empty }: Found): Breach | null {
    const { sequence } = walk.end;
    const at = (problem: BreachKind, detail: string, place = sequence): Breach => ({
      sequence: place,
      entry_id: place === sequence ? (walk.lastLine?.entryId ?? null) : null,
      found: place === sequence && sequence > 0 ? sequence : null,
      problem,
      detail,
    });
    const changed = this.changedDay(days);
    if (changed !== null) {
      return at(
        'days changed',
        `the head of ${changed.day} does not fit its signature or the day before`,
        changed.sequence,
      );
    }
    if (empty) return at('line missing', 'the chain has lost its first entry', 1);
    if (head === null) return at('head missing', 'the chain has lost its head', sequence + 1);
    if (head.sequence < sequence) {
      return at('head replaced', `the head says that the chain ends at ${head.sequence}`, head.sequence + 1);
    }
    const { signed_sequence: signed, signed_hash: hash, signature, key_id: keyId } = head;
    if (signed === null || hash === null || signature === null || keyId === null) {
      return sequence === 0 ? null : at('head not signed', 'the head of the chain has lost its signature');
    }
    const text = headText({ tenantId, chain: source.chain, sequence: signed, hash });
    if (this.keys.verifies(text, { keyId, signature })) return null;
    const why = this.keys.publicKeys().some((key) => key.key_id === keyId)
      ? 'is not right'
      : `is by the unknown key ${keyId}`;
    return at('signature invalid', `the signature of the head ${why}`);
  }

  /** Returns the oldest closed day with a wrong signature or a wrong hash of the previous day. */
  private changedDay(days: readonly ClosedDay[]): ClosedDay | null {
    let previous = START_HASH;
    for (const day of [...days].reverse()) {
      if (day.previous !== previous || !this.keys.verifies(dayText(day), day)) return day;
      previous = dayHash(day);
    }
    return null;
  }
}

function marksOf(head: StoredHead | null, days: readonly ClosedDay[], known: ChainPlace | null): ChainMark[] {
  const marks: ChainMark[] = days.map(({ sequence, hash, day }) => ({
    sequence,
    hash,
    problem: 'differs from closed day',
    detail: `the head published for its day (${day})`,
  }));
  if (known !== null) marks.push({ ...known, problem: 'differs from known head', detail: 'the head given' });
  if (head === null) return marks;
  if (head.signed_sequence !== null && head.signed_hash !== null && head.signed_sequence > 0) {
    const { signed_sequence: sequence, signed_hash: hash } = head;
    marks.push({ sequence, hash, problem: 'differs from signed head', detail: 'the head that was signed' });
  }
  if (head.sequence > 0) {
    marks.push({ sequence: head.sequence, hash: head.hash, problem: 'head replaced', detail: 'its head' });
  }
  return marks;
}
