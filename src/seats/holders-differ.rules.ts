import { pairProblem, sequencesOf } from './ledger/account.rules.js';
import type { Finding } from './reconciliation.js';

/** A user of whom the ledger does not say what is so, in the words of the API. */
export interface HolderDifference {
  user_id: string | null;
  in_force: boolean;
  in_ledger: boolean;
  /** The sequences of the lines that do not fit, by pairs. */
  lines: number[][];
  /** The closed days between such lines: their count differs from their holders by this user. */
  days: string[];
}

/** Returns the differences of users, with the closed days that they are about. */
export function differencesOf(
  found: readonly Finding[],
  days: readonly { readonly day: string; readonly sequence: number }[],
): HolderDifference[] {
  return found.map(({ user_id, in_force, net, pairs }) => {
    const lines = pairs.map(sequencesOf);
    const between = days.filter(({ sequence }) =>
      lines.some(([from = Infinity, to = Infinity]) => from <= sequence && sequence < to),
    );
    return { user_id, in_force, in_ledger: net > 0, lines, days: between.map(({ day }) => day) };
  });
}

/**
 * Returns the first difference as a sentence, with the line that it is about.
 *
 * @param end the sequence of the last line
 */
export function firstDifference(
  found: readonly Finding[],
  end: number,
): { sequence: number; entry_id: string | null; problem: string } {
  const [first] = found;
  const [pair] = first!.pairs;
  if (pair === undefined) {
    const state = first!.in_force ? 'in force with a seat' : 'not in force with a seat';
    const problem = `the lines about ${first!.user_id} add up to ${first!.net}, and the user is ${state}`;
    return { sequence: end, entry_id: null, problem };
  }
  const problem = pairProblem(first!.user_id, pair);
  return { sequence: pair.second.sequence ?? end, entry_id: String(pair.second.entry_id), problem };
}
