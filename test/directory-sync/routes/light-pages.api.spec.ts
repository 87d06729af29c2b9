import { sharedApp, type TestApp } from '../../support/app.js';
import type { Client } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { ENTERPRISE, fresh, madeGroup, madeUser, patch, scim, USER, user } from '../../support/scim.js';

// A page of small users is read by plain statements: it must show what each user shows alone.
let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

interface Shown {
  id: string;
  groups?: { value: string; display: string }[];
}

/** Reads the list page by page, by `startIndex` or by cursor. */
async function walked(by: Client, size: number, cursors: boolean): Promise<Shown[]> {
  const users: Shown[] = [];
  for (let cursor = '', more = true; more;) {
    const from = cursors ? `cursor=${cursor}` : `startIndex=${users.length + 1}`;
    const { status, body } = await by.get(`/Users?count=${size}&${from}`);
    expect(status).toBe(200);
    users.push(...(body.Resources as Shown[]));
    cursor = body.nextCursor ?? '';
    more = cursors ? cursor !== '' : users.length < body.totalResults;
  }
  return users;
}

const alone = async (by: Client, ids: readonly string[]): Promise<Shown[]> => {
  const users: Shown[] = [];
  for (const id of ids) users.push((await by.get(`/Users/${id}`)).body as Shown);
  return users;
};

describe('a page of users', () => {
  let by: Client;
  let ids: string[];
  beforeAll(async () => {
    by = scim(service.url, (await service.newTenant()).scimToken);
    ids = [];
    for (let i = 0; i < 12; i++) {
      const manager =
        i > 0 && i % 3 === 0 ? { schemas: [USER, ENTERPRISE], [ENTERPRISE]: { manager: { value: ids[0] } } } : {};
      // At 10 a page a document of more than 23 000 bytes is not small.
      const long = i % 5 === 2 ? { title: 'é'.repeat(15_000) } : {};
      // The statement of a page separates what it reads by tabs, blanks and line breaks.
      const displayName = `U\t${i}\n "\\\u2028`;
      ids.push(await madeUser(by, user(`${fresh()}@example.com`, { displayName, ...manager, ...long })));
    }
    await madeGroup(by, ids.slice(0, 6), { displayName: fresh('Line\nbreak "é" ') });
    await madeGroup(by, ids.slice(3, 9), { displayName: fresh('  Two  words ') });
    await madeGroup(by, ids.slice(5, 6));
    await by.patch(`/Users/${ids[4]}`, patch({ op: 'replace', path: 'nickName', value: 'Four' }));
    ids.sort();
  });

  it.each([
    [1, false],
    [5, false],
    [5, true],
    [10, false],
    [10, true],
    [100, false],
    [200, true],
    [201, false],
  ])('shows each user as a single read does: %d a page, by cursor: %s', async (size, cursors) => {
    expect(await walked(by, size, cursors)).toEqual(await alone(by, ids));
  });

  it('shows the names alone when the client asks for nothing else', async () => {
    const { body } = await by.get('/Users?count=10&attributes=userName&excludedAttributes=');
    expect(body).toMatchObject({ totalResults: 12, itemsPerPage: 10 });
    expect(Object.keys((body.Resources as object[])[0]!).sort()).toEqual(['id', 'schemas', 'userName']);
  });

  it('is empty in an empty directory', async () => {
    const other = scim(service.url, (await service.newTenant()).scimToken);
    expect((await other.get('/Users?count=10')).body).toMatchObject({
      totalResults: 0,
      itemsPerPage: 0,
      Resources: [],
    });
  });
});

long('shows groups of its own directory when users of another one are in many groups', async () => {
  const { tenantId, scimToken } = await service.newTenant();
  const by = scim(service.url, scimToken);
  const other = await service.newDirectory(tenantId);
  const beside = scim(service.url, other.token);
  const first = await madeUser(by);
  const others: string[] = [];
  for (let i = 0; i < 20; i++) others.push(await madeUser(beside));
  const last = await madeUser(by);
  const team = await madeGroup(by, [first, last]);
  const groupsOf = async () =>
    (await walked(by, 10, false)).map(({ id, groups }) => [id, groups?.map(({ value }) => value)]);
  const expected = [
    [first, [team]],
    [last, [team]],
  ].sort();
  await madeGroup(beside, others);
  expect(await groupsOf()).toEqual(expected);
  // More memberships lie between the ids of the page than a small page can show.
  await service.db.query(
    `with made as (insert into groups (tenant_id, id, directory_id, doc, display_name, display_name_key)
       select $1, 'grp_n' || i, $2, '{}', 'n' || i, 'n' || i from generate_series(1, 100) i returning id)
     insert into group_members (tenant_id, group_id, member_id, kind)
     select $1, made.id, member, 'User' from made, unnest($3::text[]) member`,
    [tenantId, other.id, others],
  );
  expect(await groupsOf()).toEqual(expected);
});
