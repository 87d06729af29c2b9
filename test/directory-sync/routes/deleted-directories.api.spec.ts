import { DeletedDirectories } from '../../../src/directory-sync/routes/role-tasks/role-tasks.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { eventually, send } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { fresh, madeUser, scim, user } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const managedBy = async (directoryId: string) => {
  const { rows } = await service.db.query<{ id: string }>(`select id from users where directory_id = $1`, [
    directoryId,
  ]);
  return rows.map(({ id }) => id);
};

long('releases users that were created while the directory was being deleted', async () => {
  const at = await service.newTenant();
  const by = scim(service.url, at.scimToken);
  const known = await madeUser(by);
  let deleted = false;
  const writers = Array.from({ length: 8 }, async () => {
    while (!deleted) await by.post('/Users', user(`${fresh()}@x.example`));
  });
  await madeUser(by);
  const answer = await send('DELETE', `${service.url}/api/v1/directories/${at.directoryId}?force=true`, at.apiKey);
  deleted = true;
  expect(answer.status).toBe(204);
  await Promise.all(writers);
  // A write that was let in before and comes to the database after: as the requests above do now and then.
  await service.db.query(`update users set directory_id = $2 where id = $1`, [known, at.directoryId]);
  await service.db.query(`insert into population_steps (tenant_id, owner, step) values ($1, $2, 1), ($1, '', -1)`, [
    at.tenantId,
    at.directoryId,
  ]);

  // The service also looks for such users on its own: either of the two may free this one.
  const free = async () => {
    await service.app.nest.get(DeletedDirectories).run();
    return managedBy(at.directoryId);
  };
  await eventually(free, (ids) => ids.length === 0);
  const changed = await send('PATCH', `${service.url}/api/v1/users/${known}`, at.apiKey, { last_name: 'Free' });
  expect([changed.status, changed.body.managed_by, changed.body.last_name]).toEqual([200, null, 'Free']);
  // The counts are steps until a background loop folds them into sums.
  const miscounted = async () => {
    const { rows } = await service.db.query<{ owner: string; n: number; people: number }>(
      `select s.owner, sum(s.step)::int as n,
       (select count(*)::int from users u where u.tenant_id = $1 and coalesce(u.directory_id, '') = s.owner) as people
     from (select owner, step from population_steps where tenant_id = $1
       union all select owner, n from population where tenant_id = $1) s group by s.owner`,
      [at.tenantId],
    );
    return rows.filter(({ n, people }) => n !== people);
  };
  await eventually(miscounted, (wrong) => wrong.length === 0);
});
