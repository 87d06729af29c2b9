import { startApp, type TestApp } from '../../support/app.js';
import { long } from '../../support/rounds.js';
import { scim } from '../../support/scim.js';

// Far from both ends rows are skipped from the nearer one: a page must be the same whichever end that is.
let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

/** Puts users into a directory, as the service would have written them. */
function insertUsers(tenantId: string, directoryId: string, tag: string, count: number): Promise<unknown> {
  return service.db.query(
    `with made as (
       insert into users (tenant_id, id, directory_id, source, doc, doc_bytes, user_name, user_name_key, active, status, seat,
         first_name, last_name, role, ever_active)
       select $1, 'usr_' || lpad(i::text, 8, '0') || $3, $2, 'scim', jsonb_build_object('userName', $3 || i), 40, $3 || i,
         $3 || i, true, 'active', 'none', '', '', 'User', true
       from generate_series(1, $4::int) i returning tenant_id)
     insert into population_steps (tenant_id, owner, step) select $1, $2, count(*) from made`,
    [tenantId, directoryId, tag, count],
  );
}

long('shows the same users at each place of a list, counted from either end', async () => {
  const { tenantId, directoryId, scimToken } = await service.newTenant();
  const by = scim(service.url, scimToken);
  // Users of another directory stand between those of this one, and some of its own are deleted.
  const other = await service.newDirectory(tenantId);
  await insertUsers(tenantId, directoryId, 'a', 3_000);
  await insertUsers(tenantId, other.id, 'b', 500);
  for (const number of [1, 700, 1_500, 2_300, 3_000]) {
    const id = `usr_${String(number).padStart(8, '0')}a`;
    expect((await by.delete(`/Users/${id}`)).status).toBe(204);
  }
  const { rows } = await service.db.query<{ id: string }>(
    `select id from users where tenant_id = $1 and directory_id = $2 and gone_at is null order by id`,
    [tenantId, directoryId],
  );
  const ids = rows.map(({ id }) => id);
  expect(ids).toHaveLength(2_995);

  // A page notes where the next one begins, so each size is asked for once: all of these places are found by skipping.
  let count = 3;
  for (const startIndex of [999, 1_001, 1_002, 1_003, 1_490, 1_498, 1_499, 1_500, 1_501, 2_400, 2_900, 2_960]) {
    for (const attributes of ['', '&attributes=userName']) {
      count += 1;
      const { status, body } = await by.get(`/Users?startIndex=${startIndex}&count=${count}${attributes}`);
      expect(status).toBe(200);
      const shown = (body.Resources as { id: string }[]).map(({ id }) => id);
      expect(shown).toEqual(ids.slice(startIndex - 1, startIndex - 1 + count));
      expect(body).toMatchObject({ totalResults: 2_995, startIndex, itemsPerPage: shown.length });
    }
  }
});

it.each([
  ['of which only the beginning is there', 2_000, 1],
  ['after the last user', 2_001, 0],
  ['far behind it', 900_000, 0],
])('shows a page %s', async (_, startIndex, shown) => {
  const { tenantId, directoryId, scimToken } = await service.newTenant();
  await insertUsers(tenantId, directoryId, 'c', 2_000);
  const { body } = await scim(service.url, scimToken).get(`/Users?startIndex=${startIndex}&count=100`);
  expect(body).toMatchObject({ totalResults: 2_000, startIndex, itemsPerPage: shown });
  expect(body.Resources).toHaveLength(shown);
});
