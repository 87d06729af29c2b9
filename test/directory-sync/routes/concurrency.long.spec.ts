import { sharedApp, type TestApp } from '../../support/app.js';
import type { Answer, Client } from '../../support/http.js';
import { fresh, group, madeGroup, madeUser, membersOf, patch, scim, user } from '../../support/scim.js';

let service: TestApp;
let directory: Client;
beforeAll(async () => {
  service = await sharedApp();
  directory = scim(service.url, service.tenant.scimToken);
});
afterAll(() => service.close());

const atOnce = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
const count = (answers: Answer[], status: number) => answers.filter((each) => each.status === status).length;

describe('concurrent requests', () => {
  it('answer 16 identical creates with one 201 and fifteen 409', async () => {
    for (let round = 0; round < 10; round++) {
      const body = user(`${fresh()}@x.example`, {
        externalId: fresh(),
        emails: [{ value: `${fresh()}@x.example`, primary: true }],
      });
      const answers = await atOnce(16, () => directory.post('/Users', body));
      expect([count(answers, 201), count(answers, 409)]).toEqual([1, 15]);
      for (const each of answers) if (each.status === 409) expect(each.body.scimType).toBe('uniqueness');
    }
  });

  it('make 16 users with the same e-mail or externalId, one of them in force', async () => {
    for (const shared of [{ emails: [{ value: `${fresh()}@x.example` }] }, { externalId: fresh() }]) {
      const answers = await atOnce(16, () => directory.post('/Users', user(fresh(), shared)));
      expect(count(answers, 201)).toBe(16);
      const { rows } = await service.db.query<{ held: string | null; n: number }>(
        `select held, count(*)::int as n from users where id = any($1) group by held order by 2`,
        [answers.map((each) => each.body.id)],
      );
      expect(rows.map(({ n }) => n)).toEqual([1, 15]);
    }
  });

  it('keep 64 creates of two tenants apart', async () => {
    const [one, two] = await Promise.all([service.newTenant(), service.newTenant()]);
    const doors = [scim(service.url, one.scimToken), scim(service.url, two.scimToken)];
    const names = Array.from({ length: 32 }, () => fresh());
    const answers = await atOnce(64, (i) =>
      doors[i % 2]!.post('/Users', user(names[i >> 1]!, { title: `of ${i % 2}` })),
    );
    expect(count(answers, 201)).toBe(64);
    for (const [i, door] of doors.entries()) {
      const { body } = await door.get('/Users?count=100');
      expect(body.totalResults).toBe(32);
      expect(new Set(body.Resources.map((each: { title: string }) => each.title))).toEqual(new Set([`of ${i}`]));
    }
  });

  it('keep all members of 32 adds, also beside removes of others', async () => {
    const people = await atOnce(32, () => madeUser(directory));
    const id = await madeGroup(directory);
    const answers = await atOnce(32, (i) =>
      directory.patch(`/Groups/${id}`, patch({ op: 'add', path: 'members', value: [{ value: people[i] }] })),
    );
    expect(count(answers, 204)).toBe(32);
    expect(await membersOf(directory, id)).toEqual([...people].sort());
    expect((await directory.get(`/Groups/${id}`)).body.meta.version).toBe('W/"33"');
    const more = await atOnce(8, () => madeUser(directory));
    await atOnce(16, (i) =>
      directory.patch(
        `/Groups/${id}`,
        i % 2
          ? patch({ op: 'add', path: 'members', value: [{ value: more[i >> 1] }] })
          : patch(
              { op: 'remove', path: `members[value eq "${people[i >> 1]}"]` },
              { op: 'replace', path: 'externalId', value: `${i}` },
            ),
      ),
    );
    expect(await membersOf(directory, id)).toEqual([...people.slice(8), ...more].sort());
  });

  it('apply 50 PATCHes of one user as if they had come one after the other', async () => {
    const id = await madeUser(directory, user(fresh(), { phoneNumbers: [{ value: '0' }] }));
    const answers = await atOnce(50, (i) =>
      directory.patch(
        `/Users/${id}`,
        patch(
          { op: 'add', path: 'phoneNumbers', value: [{ value: `+${i}` }] },
          { op: 'replace', path: 'title', value: `T${i}` },
        ),
      ),
    );
    expect(count(answers, 200)).toBe(50);
    const { body } = await directory.get(`/Users/${id}`);
    expect(body.phoneNumbers).toHaveLength(51);
    expect(body.meta.version).toBe('W/"51"');
    // Every answer showed the state after its own change, and no two the same one.
    expect(new Set(answers.map((each) => each.body.meta.version)).size).toBe(50);
    for (const [i, each] of answers.entries()) {
      expect(each.body.title).toBe(`T${i}`);
      expect(each.body.phoneNumbers).toHaveLength(Number(/\d+/.exec(each.body.meta.version)![0]));
    }
    const last = answers.find((each) => each.body.meta.version === 'W/"51"')!;
    expect(body.title).toBe(last.body.title);
  });

  it('let one of 20 writers with If-Match write each version', async () => {
    const id = await madeUser(directory);
    const answers = await atOnce(20, (i) =>
      directory.patch(`/Users/${id}`, patch({ op: 'replace', path: 'title', value: `T${i}` }), { 'if-match': 'W/"1"' }),
    );
    expect([count(answers, 200), count(answers, 412)]).toEqual([1, 19]);
  });

  it('answer PUT, PATCH, DELETE and POST of one name without a 5xx', async () => {
    for (let round = 0; round < 5; round++) {
      const name = fresh();
      const id = await madeUser(directory, user(name));
      const answers = await atOnce(40, (i) => {
        switch (i % 4) {
          case 0:
            return directory.put(`/Users/${id}`, user(name, { title: `${i}` }));
          case 1:
            return directory.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: i % 8 === 1 }));
          case 2:
            return i === 22 ? directory.delete(`/Users/${id}`) : directory.get(`/Users/${id}`);
          default:
            return directory.post('/Users', user(name));
        }
      });
      expect(
        answers.map(({ status }) => status).filter((status) => ![200, 201, 204, 404, 409].includes(status)),
      ).toEqual([]);
      expect(count(answers, 204)).toBe(1);
      expect((await directory.get(`/Users?filter=userName eq "${name}"`)).body.totalResults).toBe(count(answers, 201));
    }
  });

  it('give a name to one user, to every renamed group, and to at most one new group', async () => {
    const wanted = fresh();
    const people = await atOnce(10, () => madeUser(directory));
    const answers = await atOnce(10, (i) =>
      directory.patch(`/Users/${people[i]}`, patch({ op: 'replace', path: 'userName', value: wanted })),
    );
    expect([count(answers, 200), count(answers, 409)]).toEqual([1, 9]);
    for (let round = 0; round < 5; round++) {
      const name = fresh('Wanted ');
      const groups = await atOnce(10, () => madeGroup(directory));
      const renamed = await atOnce(12, (i) =>
        i < 10
          ? directory.patch(`/Groups/${groups[i]}`, patch({ op: 'replace', path: 'displayName', value: name }))
          : directory.post('/Groups', group(name)),
      );
      expect(renamed.slice(0, 10).filter(({ status }) => status !== 200 && status !== 204)).toEqual([]);
      const made = renamed.slice(10);
      expect(count(made, 201)).toBeLessThan(2);
      expect(count(made, 201) + count(made, 409)).toBe(2);
    }
  });

  it('leave nothing of a group that is deleted while members come', async () => {
    const id = await madeGroup(directory);
    const people = await atOnce(16, () => madeUser(directory));
    const answers = await atOnce(17, (i) =>
      i === 8
        ? directory.delete(`/Groups/${id}`)
        : directory.patch(
            `/Groups/${id}`,
            patch({ op: 'add', path: 'members', value: [{ value: people[i % 16] }, { value: `p${i}` }] }),
          ),
    );
    expect(answers.filter(({ status }) => status !== 204 && status !== 404)).toEqual([]);
    const { rows } = await service.db.query(
      `select 1 from group_members where group_id = $1 union all select 1 from pending_members where group_id = $1`,
      [id],
    );
    expect(rows).toEqual([]);
  });

  it('leave no member without a user when users are deleted while groups add them', async () => {
    for (let round = 0; round < Number(process.env['ROUNDS'] ?? 5); round++) {
      const id = await madeGroup(directory);
      const people = await atOnce(20, () => madeUser(directory));
      const answers = await atOnce(40, (i) =>
        i % 2
          ? directory.delete(`/Users/${people[i >> 1]}`)
          : directory.patch(
              `/Groups/${id}`,
              patch({ op: 'add', path: 'members', value: people.slice(i >> 1).map((value) => ({ value })) }),
            ),
      );
      expect(count(answers, 204)).toBe(40);
      expect(await membersOf(directory, id)).toEqual([]);
    }
  });
});
