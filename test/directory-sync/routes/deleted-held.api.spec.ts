import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse, show } from '../../support/house.js';
import { eventually } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { ENTERPRISE, fresh, madeUser, mail, patch, replace, scim, user } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const told = async (tenantId: string) =>
  (
    await service.db.query<{ n: number }>(`select count(*)::int as n from changes where tenant_id = $1 and forwarded`, [
      tenantId,
    ])
  ).rows[0]!.n;

describe('a deleted directory', () => {
  long('ends the holds of its users, whose effective state stays and is the SCIM resource', async () => {
    const at = await newHouse(service);
    const [changed, left, gone, owner, taken, mailless] = await Promise.all([
      ...[0, 1, 2, 3, 4].map(() => madeUser(at.scim, user(mail(), { name: { givenName: 'A', familyName: 'B' } }))),
      madeUser(at.scim, user(fresh())),
    ]);
    const namesOf = async (id: string) => (await at.scim.get(`/Users/${id}`)).body.userName as string;
    const names = new Map<string, string>();
    for (const id of [changed, left, gone, owner, taken]) names.set(id!, await namesOf(id!));
    await at.api.patch('/tenant', { owner_user_id: owner, break_glass: [taken] });
    await at.scim.delete(`/Users/${owner}`);
    await at.scim.delete(`/Users/${taken}`);
    await at.api.patch(`/directories/${at.directoryId}`, { state: 'preview' });
    const unmanaged = (await at.api.post('/users', { email: mail(), first_name: 'U', last_name: 'N' })).body.id;
    await at.scim.patch(`/Users/${unmanaged}`, replace('active', false));
    await at.scim.patch(`/Users/${changed}`, patch(
      { op: 'replace', path: 'name.givenName', value: 'New' },
      { op: 'add', path: 'emails', value: [{ value: mail() }] },
    )); // prettier-ignore
    await at.scim.patch(`/Users/${left}`, replace('active', false));
    await at.scim.delete(`/Users/${gone}`);
    const never = await madeUser(at.scim, user(mail()));
    const other = scim(service.url, (await service.newDirectory(at.tenantId)).token);
    await madeUser(other, user(names.get(taken!)!, { emails: [{ value: mail() }], externalId: fresh('E') }));
    const all = [changed, left, gone, owner, taken, mailless, never] as string[];
    const before = await Promise.all(all.map((id) => show(at, id)));
    expect(before.map(({ held }) => held)).toEqual(['preview', 'preview', 'preview', 'protected', 'protected', 'no_email', 'preview']); // prettier-ignore
    const forwarded = await told(at.tenantId);

    expect((await at.api.delete(`/directories/${at.directoryId}?force=true`)).status).toBe(204);
    expect(await Promise.all(all.map((id) => show(at, id)))).toEqual(
      before.map((each) => {
        const kept = each.held === 'no_email' ? {} : { held: null, held_since: null };
        return { ...each, managed_by: null, ...kept };
      }),
    );
    expect((await at.api.get('/held')).body.data.map(({ user_id }: { user_id: string }) => user_id)).toEqual([
      mailless,
    ]);
    expect(await told(at.tenantId)).toBe(forwarded);
    // Another directory sees them all, as they are in force.
    const next = scim(service.url, (await service.newDirectory(at.tenantId)).token);
    expect((await next.get('/Users')).body.totalResults).toBe(all.length + 1);
    for (const [i, id] of all.entries()) {
      const { body } = await next.get(`/Users/${id}`);
      expect(body.active).toBe(before[i].status === 'active');
      if (body.emails !== undefined) expect(body.emails[0].value).toBe(before[i].email);
      if (names.has(id) && id !== taken) expect(body.userName).toBe(names.get(id));
    }
    expect((await next.get(`/Users/${changed}`)).body.name.givenName).toBe('A');
    expect((await next.get(`/Users/${taken}`)).body.userName).toMatch(/#[0-9a-f]{8}$/);
    expect((await next.get(`/Users/${unmanaged}`)).body.active).toBe(true);
    const found = await next.get(`/Users?filter=${encodeURIComponent(`emails.value eq "${before[0].email}"`)}`);
    expect(found.body.totalResults).toBeLessThanOrEqual(1);
    const { rows } = await service.db.query(
      `select s.owner from (select owner, step as n from population_steps where tenant_id = $1
         union all select owner, n from population where tenant_id = $1) s group by s.owner
       having sum(s.n) <> (select count(*) from users u where u.tenant_id = $1 and coalesce(u.directory_id, '') = s.owner and u.gone_at is null)`,
      [at.tenantId],
    );
    expect(rows).toEqual([]);
  });

  it('holds no user without a role', async () => {
    const at = await newHouse(service, { default_role: null });
    const id = await madeUser(at.scim, user(mail()));
    expect((await show(at, id)).held).toBe('no_role');
    await at.api.delete(`/directories/${at.directoryId}?force=true`);
    expect(await show(at, id)).toMatchObject({ status: 'inactive', held: null, managed_by: null });
    expect((await at.api.get('/held')).body.data).toEqual([]);
  });
});

describe('a changed attribute map', () => {
  it('starts a task that reads stored resources again and forwards changes', async () => {
    const at = await newHouse(service);
    const ids = await Promise.all(
      [1, 2, 3].map((n) =>
        madeUser(
          at.scim,
          user(mail(), {
            externalId: fresh('E'),
            nickName: `Nick ${n}`,
            name: { givenName: 'Given', familyName: 'Family' },
            [ENTERPRISE]: { employeeNumber: `${n}` },
          }),
        ),
      ),
    );
    const before = await Promise.all(ids.map((id) => show(at, id)));
    const forwarded = await told(at.tenantId);
    await at.api.patch(`/directories/${at.directoryId}`, {
      attribute_map: { first_name: 'nickName', external_id: 'employeeNumber' },
    });
    for (const [i, id] of ids.entries()) {
      const now = await eventually(
        () => show(at, id),
        ({ first_name }) => first_name !== 'Given',
      );
      expect(now).toMatchObject({ first_name: `Nick ${i + 1}`, external_id: `${i + 1}`, last_name: 'Family' });
      const alias = await at.api.get(`/resolve?type=user&external_id=${before[i].external_id}`);
      expect(alias.body).toMatchObject({ found: true, id });
    }
    expect(await told(at.tenantId)).toBe(forwarded + 3);
    const { body } = await eventually(
      () => at.api.get(`/directories/${at.directoryId}/tasks`),
      (answer) => answer.body.data[0].state === 'done',
    );
    expect(body.data).toMatchObject([{ kind: 'rules-changed', done: 3, total: 3 }]);
    // The same map again is no task.
    await at.api.patch(`/directories/${at.directoryId}`, { attribute_map: { external_id: 'employeeNumber' } });
    expect((await at.api.get(`/directories/${at.directoryId}/tasks`)).body.data).toHaveLength(1);
  });

  it('does not deactivate the owner when it removes the owner’s e-mail or role', async () => {
    const at = await newHouse(service);
    const owner = await madeUser(at.scim, user(fresh(), { emails: [{ value: mail() }] }));
    const other = await madeUser(at.scim, user(fresh(), { emails: [{ value: mail() }] }));
    await at.api.patch('/tenant', { owner_user_id: owner });
    await at.api.patch(`/directories/${at.directoryId}`, { attribute_map: { email: 'userName' } });
    await eventually(
      () => show(at, other),
      ({ held }) => held === 'no_email',
    );
    expect(await show(at, owner)).toMatchObject({ status: 'active', seat: 'held' });
  });
});
