import { detached } from '../../base/characters.js';
import type { ListPlace } from './list-order.js';

/** One walk along a list: the last rows of its pages, by the `startIndex` of the next page. */
export interface WalkMarks {
  readonly ends: Map<number, ListPlace>;
  /** The walk has continued after another walk of the same list began, so it did not stop at its first page. */
  goesOn: boolean;
  until: number;
}

/**
 * Marks of one walk. A client repeats a request for a page whose answer was lost; older pages are rarely requested
 * again.
 */
const MARKS = 4;
const WALKS = 8;

/**
 * The last rows of pages, for clients that read a list by increasing `startIndex` (most do). The next page starts
 * after the row of the mark: it costs as much as the first page, and rows that were deleted meanwhile shift no other
 * row. Marks are in memory. Without a mark, rows are skipped.
 *
 * A list has one caller and one query (directory, filter, order, page size). Requests do not show which of several
 * walks they belong to. A first page begins a walk. Where several walks have a mark at one `startIndex`, the oldest
 * walk that continues is used: its mark is the first in the list, so no row is left out, and at worst a row is shown
 * twice. An older walk that has not continued counts as abandoned.
 */
export class PageMarks {
  /** Walks of each list, the latest one last. */
  private readonly lists = new Map<string, WalkMarks[]>();

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly lifetimeMs = 10 * 60_000,
    private readonly capacity = 5000,
  ) {}

  /** Begins a walk: the first page was requested. */
  begin(list: string): WalkMarks {
    const walk: WalkMarks = { ends: new Map(), goesOn: false, until: this.now() + this.lifetimeMs };
    const walks = this.alive(list);
    this.keep(list, [...walks, walk].slice(-WALKS));
    return walk;
  }

  /** Returns the walk that has reached `startIndex`, or undefined. */
  find(list: string, startIndex: number): WalkMarks | undefined {
    const walks = this.alive(list);
    const here = walks.filter((walk) => walk.ends.has(startIndex));
    const found = here.find((walk) => walk.goesOn) ?? here.at(-1);
    if (found !== undefined && found !== walks.at(-1)) found.goesOn = true;
    return found;
  }

  /** Notes that the page before `startIndex` ended at `place`. */
  put(walk: WalkMarks, startIndex: number, place: ListPlace): void {
    walk.until = this.now() + this.lifetimeMs;
    walk.ends.delete(startIndex);
    walk.ends.set(startIndex, kept(place));
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

/** A page is one text, of which its ids and keys are parts. */
function kept({ id, key }: ListPlace): ListPlace {
  if (key === undefined) return { id: detached(id) };
  return { id: detached(id), key: key === null ? null : detached(key) };
}
