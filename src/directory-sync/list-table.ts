import type { ColumnMap } from '../scim/filter/column-map.js';
import type { ResourceTypeDef } from '../scim/schema/resource-types.js';

/** The table of a list of one resource type. In all SQL `$1` is the tenant and `$2` the directories that are shown. */
export interface ListTable {
  type: ResourceTypeDef;
  map: ColumnMap;
  from: string;
  id: string;
  visible: string;
  /** SQL for the number of all rows without counting them; undefined: the rows are few and are counted. */
  total?: string;
  /** Columns and lists by whose values an index finds few rows. */
  keys: { readonly columns: readonly string[]; readonly lists: readonly string[] };
}
