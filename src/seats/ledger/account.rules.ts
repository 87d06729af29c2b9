/** The place of a line. Ids follow the order in which the lines were written. */
interface LinePlace {
  readonly sequence: number | null;
  readonly entry_id: number;
}

export interface AccountLine extends LinePlace {
  readonly delta: number;
  /** Of a `correction`: whether the user holds a seat since. Null for every other line. */
  readonly holds: boolean | null;
}

/** Two lines of one user that are not in the order in which they were written, or that contradict each other. */
export interface LinePair {
  readonly first: LinePlace;
  readonly second: LinePlace;
}

export interface AccountStep {
  readonly kind: 'repair' | 'correction';
  readonly delta: number;
  readonly pair: LinePair | null;
}

/**
 * The lines of one user in their order. A claim adds one and a release subtracts one, so the sum is 0 or 1 after every
 * line. Earlier versions sealed some lines in the order of their ids as text: a release before its claim.
 */
export class Account {
  private sum = 0;
  private says = false;
  private newest: AccountLine | null = null;
  /** The line after which the sum was neither 0 nor 1; null while it is 0 or 1. */
  private odd: AccountLine | null = null;
  private found: LinePair[] = [];

  get net(): number {
    return this.sum;
  }

  get holds(): boolean {
    return this.says;
  }

  /** Pairs of lines that no later correction has named. */
  get pairs(): readonly LinePair[] {
    return this.found;
  }

  take(line: AccountLine): void {
    const { delta, holds } = line;
    this.sum += delta;
    if (holds !== null || delta !== 0) this.says = holds ?? delta > 0;
    // A correction settles all lines before it.
    if (holds !== null) this.found = [];
    const first = holds === null ? this.earlierOf(line) : null;
    if (first !== null) this.found.push({ first: placeOf(first), second: placeOf(line) });
    if (this.sum === 0 || this.sum === 1) this.odd = null;
    else this.odd ??= line;
    if (this.newest === null || line.entry_id > this.newest.entry_id) this.newest = line;
  }

  private earlierOf(line: AccountLine): AccountLine | null {
    if (this.odd !== null && (this.sum === 0 || this.sum === 1)) return this.odd;
    return this.newest !== null && line.entry_id < this.newest.entry_id ? this.newest : null;
  }
}

/**
 * Returns the lines that correct an account, without a change of any line. A missing claim or release is a `repair`.
 * Where only the order is wrong, a `correction` of 0 names the two lines.
 *
 * @param inForce whether the user is in force with a seat
 */
export function stepsFor(account: Pick<Account, 'net' | 'holds' | 'pairs'>, inForce: boolean): AccountStep[] {
  const missing = (inForce ? 1 : 0) - account.net;
  const pairs = account.pairs;
  if (missing === 0 && account.holds === inForce && pairs.length === 0) return [];
  if (pairs.length === 0 && Math.abs(missing) === 1 && missing > 0 === inForce) {
    return [{ kind: 'repair', delta: missing, pair: null }];
  }
  const count = Math.max(1, pairs.length, Math.abs(missing));
  return Array.from({ length: count }, (_, i) => ({
    kind: 'correction',
    delta: i < Math.abs(missing) ? Math.sign(missing) : 0,
    pair: pairs[i] ?? null,
  }));
}

function placeOf({ sequence, entry_id }: LinePlace): LinePlace {
  return { sequence, entry_id };
}

/** Returns the sequences of a pair; a line that is not sealed has none. */
export function sequencesOf(pair: LinePair | null): number[] {
  return pair === null ? [] : [pair.first, pair.second].flatMap(({ sequence }) => sequence ?? []);
}

/** `userId` is null for the lines about the limit. */
export function pairProblem(userId: string | null, pair: LinePair): string {
  const lines = sequencesOf(pair).join(' and ');
  return `lines ${lines} about ${userId ?? 'the limit'} are not in the order in which they were written`;
}
