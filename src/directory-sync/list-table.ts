import type { ColumnMap } from '../scim/filter/column-map.js';
import type { ResourceTypeDef } from '../scim/schema/resource-types.js';

/** What the list of one resource type reads. In all SQL `$1` is the tenant and `$2` the directories shown. */
export interface ListTable {
  type: ResourceTypeDef;
  map: ColumnMap;
  from: string;
  id: string;
  visible: string;
  /** SQL for the number of all rows, without counting them; undefined: they are few and are counted. */
  total?: string;
  /** What an index finds a few rows by: these columns, and the values of these lists. */
  keys: { readonly columns: readonly string[]; readonly lists: readonly string[] };
}
