import type { Filter } from '../filter/ast.js';
import type { BoundFilter, BoundValueFilter } from '../filter/bound.js';
import type { Member } from '../resource/members.js';

/** One step of a change of members. Steps run in order. */
export type MemberEdit =
  | { readonly kind: 'add'; readonly members: readonly Member[] }
  | { readonly kind: 'remove'; readonly values: readonly string[] }
  /** The same condition twice: the syntax tree, and the bound form for `toSql` or `matches`. */
  | { readonly kind: 'removeWhere'; readonly filter: Filter; readonly bound: BoundValueFilter }
  | { readonly kind: 'removeAll' }
  | { readonly kind: 'replace'; readonly members: readonly Member[] };

/**
 * Collects and merges edits. Adding and removing by id commute for different ids, and for one id the last edit counts.
 * A replacement discards all edits before it. Only a condition keeps its position.
 */
export class MemberEdits {
  private readonly done: MemberEdit[] = [];
  /** The last edit of each id since the last condition: the member, or null for removed. */
  private words = new Map<string, Member | null>();
  /** Whether a replacement came first, so that `words` is the whole list. */
  private replaced = false;

  add(members: readonly Member[]): void {
    for (const member of members) {
      const known = this.words.get(member.value);
      // A member that was added before keeps its first form.
      if (known === undefined || known === null) this.words.set(member.value, member);
    }
  }

  remove(values: readonly string[]): void {
    for (const value of values) {
      if (this.replaced) this.words.delete(value);
      else this.words.set(value, null);
    }
  }

  replace(members: readonly Member[]): void {
    this.done.length = 0;
    this.words = new Map(members.map((member) => [member.value, member]));
    this.replaced = true;
  }

  removeWhere(filter: Filter, bound: BoundValueFilter): void {
    this.flush();
    this.done.push({ kind: 'removeWhere', filter, bound });
  }

  list(): MemberEdit[] {
    this.flush();
    return this.done;
  }

  private flush(): void {
    const members: Member[] = [];
    const values: string[] = [];
    for (const [value, member] of this.words) {
      if (member === null) values.push(value);
      else members.push(member);
    }
    if (this.replaced) {
      this.done.push(members.length === 0 ? { kind: 'removeAll' } : { kind: 'replace', members });
    } else {
      if (values.length > 0) this.done.push({ kind: 'remove', values });
      if (members.length > 0) this.done.push({ kind: 'add', members });
    }
    this.words = new Map();
    this.replaced = false;
  }
}

/** Returns the ids of `value eq "a" or value eq "b" …`; null for any other filter. */
export function valuesOfEither(filter: BoundFilter): string[] | null {
  if (filter.kind === 'or') {
    const parts = filter.terms.map(valuesOfEither);
    return parts.every((part) => part !== null) ? parts.flat() : null;
  }
  if (filter.kind !== 'compare' || filter.op !== 'eq' || filter.target.path !== 'value') return null;
  return [String(filter.value)];
}
