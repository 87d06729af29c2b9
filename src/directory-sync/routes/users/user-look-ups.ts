import type { Database } from '../../../base/database/database.js';
import { KeyedReads } from '../../../base/database/record-list.js';
import { resolveFilter } from '../../../protocols/scim/filter/resolve.js';
import type { ListQuery } from '../../../protocols/scim/messages/list-query.js';
import { userNameKey } from '../../../protocols/scim/text.js';
import { readsKept, type CurrentDirectory } from '../current-directory.js';
import { USER_TABLE, USER_TEXT_COLUMNS } from './user-table.js';
import type { StoredUser } from './user-resource.js';

/** The most users that a look-up shows. The user name finds one; an externalId finds several only by mistake. */
const MOST_FOUND = 4;

type Found = StoredUser & { key: string };

/**
 * Look-ups by the two attributes by which IdPs find a user before each write: `userName eq "…"` and `externalId eq "…"`.
 * They are the most frequent lists of all, so those of concurrent requests go together, as reads by id do.
 */
export class UserLookUps {
  private readonly reads: Readonly<Record<string, KeyedReads<Found>>>;

  constructor(db: Database) {
    this.reads = { userName: readsBy(db, 'user_name_key'), externalId: readsBy(db, 'external_id') };
  }

  /**
   * Returns the users of a list in the order of their ids; null where the list is no look-up, or has more users than
   * one shows.
   *
   * @throws {ScimRequestError} invalidFilter
   */
  async find(directory: CurrentDirectory, query: ListQuery): Promise<StoredUser[] | null> {
    const { filter, cursor, sortBy, startIndex, count } = query;
    if (filter?.kind !== 'compare' || filter.op !== 'eq' || readsKept(directory)) return null;
    if (cursor !== undefined || sortBy !== undefined || startIndex !== 1) return null;
    const bound = resolveFilter(filter, directory.userType, directory.dialect);
    if (bound.kind !== 'compare' || typeof bound.value !== 'string') return null;
    const reads = Object.hasOwn(this.reads, bound.target.path) ? this.reads[bound.target.path] : undefined;
    if (reads === undefined) return null;
    const key = bound.target.path === 'userName' ? userNameKey(bound.value) : bound.value;
    const rows = await reads.read([directory.tenantId, directory.owners], key);
    if (rows.length > Math.min(count, MOST_FOUND)) return null;
    return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

function readsBy(db: Database, column: string): KeyedReads<Found> {
  const { from, visible } = USER_TABLE;
  // The limit holds for each key: a value that many users share must not be read for all of them.
  const text = `select k.key, x.* from unnest($3::text[]) as k(key) cross join lateral (
    select ${USER_TEXT_COLUMNS} from ${from} where ${visible} and u.${column} = k.key limit ${MOST_FOUND + 1}) x`;
  return new KeyedReads<Found>(db, text, ({ key }) => key);
}
