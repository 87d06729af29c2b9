import { startApp, type TestApp, type TestTenant } from '../../support/app.js';
import type { Client } from '../../support/http.js';
import { failure, fresh, group, madeGroup, madeUser, patch, scim } from '../../support/scim.js';
import { patience } from '../../support/speed.js';

let service: TestApp;
let tenant: TestTenant;
let directory: Client;
beforeAll(async () => {
  service = await startApp();
  tenant = service.tenant;
  directory = scim(service.url, tenant.scimToken);
});
afterAll(() => service.close());

it(
  'takes 100 000 members in one PUT of 16 MiB, and one more as in a small group',
  async () => {
    await service.db.query(
      `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, active, first_name, last_name, role, status, seat)
     select $1, 'usr_big' || lpad(i::text, 6, '0'), $2, 'scim',
       jsonb_build_object('schemas', jsonb_build_array('urn:ietf:params:scim:schemas:core:2.0:User'), 'userName', 'big' || i, 'active', true),
       'big' || i, 'big' || i, true, 'Big', '', 'Observer', 'active', 'none' from generate_series(1, 100000) i`,
      [tenant.tenantId, tenant.directoryId],
    );
    await service.db.execute('analyze users'); // as it is done along with a first sync
    const members = Array.from({ length: 100_000 }, (_, i) => ({
      value: `usr_big${String(i + 1).padStart(6, '0')}`,
      display: `A user with a rather long name, number ${i}`,
      type: 'User',
    }));
    const id = await madeGroup(directory);
    const edit = (operation: object) => directory.patch(`/Groups/${id}`, patch(operation));
    const body = JSON.stringify(group(fresh('Everybody '), { members }));
    expect(Buffer.byteLength(body)).toBeLessThan(16 * 1024 * 1024);
    expect(Buffer.byteLength(body)).toBeGreaterThan(9 * 1024 * 1024);
    // On a busy machine a statement may take longer than the service lets it: 503, and the IdP comes again.
    const replaced = async () => {
      for (;;) {
        const answer = await directory.put(`/Groups/${id}?excludedAttributes=members`, body);
        if (answer.status !== 503) return answer;
      }
    };
    const put = await replaced();
    expect([put.status, put.body.members]).toEqual([200, undefined]);
    const { rows } = await service.db.query<{ n: number }>(
      'select count(*)::int as n from group_members where group_id = $1',
      [id],
    );
    expect(rows[0]!.n).toBe(100_000);
    // The same once more changes nothing, and takes no longer.
    const again = await replaced();
    expect([again.status, again.body.meta]).toEqual([200, put.body.meta]);
    const found = await directory.get(`/Groups?excludedAttributes=members&filter=members[value eq "usr_big099999"]`);
    expect(found.body.Resources.map((each: { id: string }) => each.id)).toEqual([id]);
    const one = await madeUser(directory);
    for (const op of ['add', 'remove']) {
      expect((await edit({ op, path: 'members', value: [{ value: one }] })).status).toBeLessThan(300);
    }
    const tooLarge = await directory.put(`/Groups/${id}`, group('x', { externalId: 'x'.repeat(16 * 1024 * 1024) }));
    expect(failure(tooLarge)).toEqual([413, undefined, '413']);
  },
  patience(120_000),
);
