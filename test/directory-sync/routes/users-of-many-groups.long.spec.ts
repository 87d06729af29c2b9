import { startApp, type TestApp } from '../../support/app.js';
import { scim } from '../../support/scim.js';

// Users who have no group in common: a page of a hundred of them names 200 000 groups, and is cut after a few.
const USERS = 100;
const GROUPS = 2_000;

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
  const { tenantId, directoryId } = service.tenant;
  const of = [tenantId, directoryId];
  await service.db.query(
    `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, active, first_name, last_name,
       role, status, seat)
     select $1, 'usr_m' || lpad(i::text, 3, '0'), $2, 'scim', jsonb_build_object('userName', 'm' || i), 'm' || i, 'm' || i,
       true, 'M', '', 'Observer', 'active', 'none' from generate_series(1, ${USERS}) i`,
    of,
  );
  await service.db.query(
    `insert into groups (tenant_id, id, directory_id, doc, display_name, display_name_key)
     select $1, 'grp_m' || i, $2, '{}', 'g' || i, 'g' || i from generate_series(0, ${USERS * GROUPS - 1}) i`,
    of,
  );
  await service.db.query(
    `insert into group_members (tenant_id, group_id, member_id, kind)
     select $1, 'grp_m' || i, 'usr_m' || lpad((i / ${GROUPS} + 1)::text, 3, '0'), 'User'
     from generate_series(0, ${USERS * GROUPS - 1}) i`,
    [tenantId],
  );
  await service.db.execute('analyze');
}, 120_000);
afterAll(() => service.close());

it('cuts a page of users with two thousand groups each, and names the groups of its users', async () => {
  const directory = scim(service.url, service.tenant.scimToken);
  const { status, body } = await directory.get('/Users?count=100');
  expect(status).toBe(200);
  const users = body.Resources as { id: string; groups: { value: string; display: string }[] }[];
  expect(users.length).toBeLessThan(USERS);
  for (const { id, groups } of users) {
    const first = (Number(id.slice('usr_m'.length)) - 1) * GROUPS;
    const named = Array.from({ length: GROUPS }, (_, i) => `grp_m${first + i} g${first + i}`);
    expect(groups.map(({ value, display }) => `${value} ${display}`).sort()).toEqual(named.sort());
  }
}, 60_000);
