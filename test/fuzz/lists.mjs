// Lists that add up.

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/**
 * Whether a page agrees with itself.
 *
 * @returns undefined: it is no list; null: it does; else what is wrong
 */
export function problemOfList(body) {
  if (body?.schemas?.[0] === LIST) {
    const resources = body.Resources ?? [];
    if (body.itemsPerPage !== undefined && body.itemsPerPage !== resources.length)
      return `itemsPerPage ${body.itemsPerPage} of ${resources.length}`;
    const before = (body.startIndex ?? 1) - 1;
    if (resources.length > 0 && body.totalResults < before + resources.length)
      return `totalResults ${body.totalResults} before ${before} + ${resources.length}`;
    const ids = resources.map(({ id }) => id).filter((id) => id !== undefined);
    return new Set(ids).size === ids.length ? null : 'a resource comes twice';
  }
  if (!Array.isArray(body?.data) || !('next_cursor' in body)) return undefined;
  const { data, next_cursor: next } = body;
  if (next !== null && typeof next !== 'string') return 'next_cursor is no text';
  if (next !== null && data.length === 0) return 'an empty page has a next one';
  return null;
}

const ORDERS = [
  {},
  { sortBy: 'userName' },
  { sortBy: 'name.familyName', sortOrder: 'descending' },
  { filter: 'active eq true' },
  { sortBy: 'meta.lastModified' },
];

/** Walks through the users of a tenant that nothing else changes, by index and by cursor; answers what does not add up. */
export async function walks(send) {
  const problems = [];
  for (const type of ['Users', 'Groups']) {
    for (const order of ORDERS) {
      if (
        type === 'Groups' &&
        (order.filter !== undefined || order.sortBy === 'name.familyName' || order.sortBy === 'userName')
      )
        continue;
      const byIndex = await walk(send, type, order, false);
      const byCursor = await walk(send, type, order, true);
      const name = `${type} ${JSON.stringify(order)}`;
      if (byIndex.total !== byIndex.ids.length)
        problems.push(`${name}: ${byIndex.ids.length} by index of ${byIndex.total}`);
      if (byCursor.total !== byCursor.ids.length)
        problems.push(`${name}: ${byCursor.ids.length} by cursor of ${byCursor.total}`);
      if (new Set(byIndex.ids).size !== byIndex.ids.length) problems.push(`${name}: a resource comes twice by index`);
      if (byIndex.ids.join() !== byCursor.ids.join()) problems.push(`${name}: index and cursor differ`);
    }
  }
  return problems;
}

async function walk(send, type, order, byCursor) {
  const ids = [];
  let total = 0;
  let cursor = '';
  for (;;) {
    const place = byCursor ? { cursor } : { startIndex: String(ids.length + 1) };
    const query = { ...order, ...place, count: '17', attributes: 'id' };
    const { status, bytes } = await send({ method: 'GET', path: `/scim/v2/${type}`, query, headers: {} });
    const body = JSON.parse(bytes.toString());
    if (status !== 200) throw new Error(`a walk was answered with ${status}: ${bytes.toString().slice(0, 300)}`);
    total = body.totalResults;
    ids.push(...(body.Resources ?? []).map(({ id }) => id));
    cursor = body.nextCursor;
    if (byCursor ? cursor === undefined : (body.Resources ?? []).length === 0 || ids.length >= total)
      return { ids, total };
  }
}
