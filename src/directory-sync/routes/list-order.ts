import { sortToSql } from '../../protocols/scim/filter/sort.js';
import type { ListQuery } from '../../protocols/scim/messages/list-query.js';
import type { ListTable } from './list-table.js';

/** The position of a row in a list. A page begins behind it. */
export interface ListPlace {
  readonly id: string;
  /** The row's sort key as text, null where it has none; undefined: the list is ordered by id only. */
  readonly key?: string | null;
}

/** The order of a list in SQL. The id comes last, so that no two rows share a place. */
export interface ListOrder {
  /** The text after `order by`. */
  readonly by: string;
  /** The sort key as text, to be selected with each row; null: the id alone. */
  readonly key: string | null;
  /** Whether an index has this order. */
  readonly indexed: boolean;
  /** The condition for the rows behind a place. */
  behind(place: ListPlace, params: unknown[]): string;
}

/** The most characters of a sort key without an index: a cursor has to hold it. */
const SORTED_CHARACTERS = 256;

/**
 * Returns the order of a list: by `sortBy` and then by id, else by id. Both have the same direction, so that one index
 * serves ascending and descending order.
 *
 * @param selective an index finds the few rows of the filter: the order must not lead the planner to read all rows
 */
export function orderOf(table: ListTable, query: ListQuery, selective: boolean): ListOrder {
  const id = selective ? `(${table.id} || '')` : table.id;
  if (query.sortBy === undefined) {
    return {
      by: id,
      key: null,
      indexed: true,
      behind: (place, params) => `${table.id} > $${params.push(place.id)}`,
    };
  }
  const sort = sortToSql(query.sortBy, table.type, table.map, query.sortOrder);
  const { direction, nulls, type } = sort;
  const whole = sort.indexed || type !== 'text' ? sort.sql : `left(${sort.sql}, ${SORTED_CHARACTERS})`;
  // A coalesce of the same expression twice is not the expression of any index.
  const key = selective ? `coalesce(${whole}, ${whole})` : whole;
  const sign = direction === 'asc' ? '>' : '<';
  return {
    by: sort.indexed
      ? `${key} ${direction}, ${id} ${direction}`
      : `${key} ${direction} nulls ${nulls}, ${id} ${direction}`,
    key: `(${key})::text`,
    indexed: sort.indexed,
    behind: (place, params) => {
      const at = `$${params.push(place.id)}`;
      const behindKey = (text: string) => {
        const value = `$${params.push(text)}::${type}`;
        return `(${key}, ${id}) ${sign} (${value}, ${at})`;
      };
      if (sort.indexed) return behindKey(place.key ?? '');
      // Rows without the attribute are the last in ascending order, the first in descending order.
      if (place.key == null) {
        const among = `(${key}) is null and ${id} ${sign} ${at}`;
        return direction === 'asc' ? `(${among})` : `((${among}) or (${key}) is not null)`;
      }
      const among = `coalesce(${behindKey(place.key)}, false)`;
      return direction === 'asc' ? `(${among} or (${key}) is null)` : among;
    },
  };
}
