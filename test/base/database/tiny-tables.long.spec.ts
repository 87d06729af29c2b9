import { Statistics } from '../../../src/operations/statistics.js';
import { startApp, type TestApp } from '../../support/app.js';
import { group, madeUser, scim } from '../../support/scim.js';

// A connection keeps a plan that it made when a table had a few rows. More rows than any statement could compare with
// each other come before the table is analysed again.
const MEMBERS = 100_000;
const CONNECTIONS = 32;

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
  await service.app.nest.get(Statistics).stop();
});
afterAll(() => service.close());

it('a plan that was made for a tiny table serves a large one', async () => {
  const { tenantId, directoryId, scimToken } = service.tenant;
  const directory = scim(service.url, scimToken);
  const first = await madeUser(directory);
  const { id } = (await directory.post('/Groups', group('All', { members: [{ value: first }] }))).body as {
    id: string;
  };
  await service.db.execute('analyze');
  const put = (members: string[]) =>
    directory.put(
      `/Groups/${id}?excludedAttributes=members`,
      JSON.stringify(group('All', { members: members.map((value) => ({ value })) })),
    );
  await Promise.all(Array.from({ length: CONNECTIONS }, () => put([first])));
  await service.db.query(
    `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, active, first_name, last_name,
       role, status, seat)
     select $1, 'usr_many' || lpad(i::text, 6, '0'), $2, 'scim', jsonb_build_object('userName', 'many' || i), 'many' || i,
       'many' || i, true, 'Many', '', 'Observer', 'active', 'none' from generate_series(1, ${MEMBERS}) i`,
    [tenantId, directoryId],
  );
  const all = Array.from({ length: MEMBERS }, (_, i) => `usr_many${String(i + 1).padStart(6, '0')}`);
  // The second one meets the members that the first one has written.
  expect([(await put(all)).status, (await put(all)).status]).toEqual([200, 200]);
}, 120_000);
