import type { ColumnMap } from '../../protocols/scim/filter/column-map.js';
import type { ResourceTypeDef } from '../../protocols/scim/schema/resource-types.js';

/** The table of a list of one resource type. In all SQL `$1` is the tenant and `$2` the directories that are shown. */
export interface ListTable {
  type: ResourceTypeDef;
  map: ColumnMap;
  from: string;
  id: string;
  visible: string;
  /**
   * The same for rows that a filter finds by their ids, where indexes of other columns lead with the directory: the planner
   * would read all rows of the directory by one of them.
   */
  visibleById?: string;
  /** SQL for the number of all rows without counting them; undefined: the rows are few and are counted. */
  total?: string;
  /** Whether `total` is exact in the snapshot of a statement, so that rows can be counted from the last one, too. */
  exactTotal?: boolean;
  /** Columns and lists by whose values an index finds few rows. */
  keys: ListKeys;
}

/** Columns and lists of a table, as filters name them. */
export interface ListKeys {
  readonly columns: readonly string[];
  readonly lists: readonly string[];
}

/** Keys that lead to the ids of rows. */
export const ID_KEYS: ListKeys = { columns: ['id', 'meta.location'], lists: ['members'] };
