import type { Place } from './list-order.js';

/** One walk along a list: where its last pages ended, by the `startIndex` of the page behind. */
export interface WalkMarks {
  readonly ends: Map<number, Place>;
  /** It went on after another walk of the list had begun: so it is not one that stopped at its first page. */
  goesOn: boolean;
  until: number;
}

/** Marks that a walk keeps: a page may be asked for twice (its answer was lost); older ones hardly ever. */
const MARKS = 4;
const WALKS = 8;

/**
 * Where pages of a list ended, for clients that walk `startIndex` in order (nearly all do). The next page then starts
 * behind that row: it costs what the first page costs, and rows that were deleted meanwhile shift nothing, so that no
 * row is left out. Kept in memory; without a mark a page is found by counting.
 *
 * A list is one caller's (directory, filter, order, page size), and its walks cannot be told apart by their requests. A
 * first page begins a walk. Where several walks have a mark at one `startIndex`, the oldest that goes on has it: its
 * mark is the first in the list, so that no row is hidden, at the worst one is shown twice. An older walk that has not
 * gone on since is taken for abandoned.
 */
export class PageMarks {
  /** Walks by list, the latest one last. */
  private readonly lists = new Map<string, WalkMarks[]>();

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly lifetimeMs = 10 * 60_000,
    private readonly capacity = 5000,
  ) {}

  /** A first page was asked for. */
  begin(list: string): WalkMarks {
    const walk: WalkMarks = { ends: new Map(), goesOn: false, until: this.now() + this.lifetimeMs };
    const walks = this.alive(list);
    this.keep(list, [...walks, walk].slice(-WALKS));
    return walk;
  }

  /** The walk that has come to `startIndex`, or undefined. */
  find(list: string, startIndex: number): WalkMarks | undefined {
    const walks = this.alive(list);
    const here = walks.filter((walk) => walk.ends.has(startIndex));
    const found = here.find((walk) => walk.goesOn) ?? here.at(-1);
    if (found !== undefined && found !== walks.at(-1)) found.goesOn = true;
    return found;
  }

  /** Notes that the page before `startIndex` ended at `place`. */
  put(walk: WalkMarks, startIndex: number, place: Place): void {
    walk.until = this.now() + this.lifetimeMs;
    walk.ends.delete(startIndex);
    walk.ends.set(startIndex, place);
    if (walk.ends.size > MARKS) walk.ends.delete(walk.ends.keys().next().value!);
  }

  private alive(list: string): WalkMarks[] {
    return (this.lists.get(list) ?? []).filter((walk) => walk.until > this.now());
  }

  private keep(list: string, walks: WalkMarks[]): void {
    this.lists.delete(list);
    if (this.lists.size >= this.capacity) this.lists.delete(this.lists.keys().next().value!);
    this.lists.set(list, walks);
  }
}
