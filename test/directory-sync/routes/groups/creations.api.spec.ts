import type { QueryResultRow } from 'pg';
import { Database } from '../../../../src/base/database/database.js';
import { GroupsRepository } from '../../../../src/directory-sync/users/groups/groups.repository.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { long } from '../../../support/rounds.js';
import { failure, fresh, group, madeGroup, madeUser, scim } from '../../../support/scim.js';

// Groups that are created at the same time are made by one statement: each must be what it would have been alone.
let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

const COUNT = 24;
const value = (id: string, display?: string) => ({ value: id, ...(display === undefined ? {} : { display }) });
const directory = async () => scim(service.url, (await service.newTenant()).scimToken);

/** Lets `work` make `groups` groups at once: no statement begins before all have come. Returns the number of statements, and of those for several that had no effect. */
async function atOnce(groups: number, work: () => Promise<unknown>): Promise<{ statements: number; refused: number }> {
  const [db, repository] = [service.app.nest.get(Database), service.app.nest.get(GroupsRepository)];
  const [query, queryOnce, insert] = [db.query.bind(db), db.queryOnce.bind(db), repository.insert.bind(repository)];
  let [came, statements, refused] = [0, 0, 0];
  let release = (): void => undefined;
  const all = new Promise<void>((resolve) => (release = resolve));
  const turn = async (text: string): Promise<void> => {
    if (text.includes('insert into groups')) await (statements++, all);
  };
  repository.insert = (made) => {
    const row = insert(made);
    if (++came === groups) release();
    return row;
  };
  db.query = async (text, values) => (await turn(text), query(text, values));
  db.queryOnce = async <R extends QueryResultRow>(text: string, values: unknown[]) => {
    await turn(text);
    return queryOnce<R>(text, values).catch((error: unknown) => {
      refused++;
      throw error;
    });
  };
  try {
    await work();
  } finally {
    Object.assign(db, { query, queryOnce });
    repository.insert = insert;
  }
  return { statements, refused };
}

long('answers concurrent groups each with its own members, as they are read back', async () => {
  const [one, two] = [await directory(), await directory()];
  const [users, others] = [[await madeUser(one), await madeUser(one), await madeUser(one)], [await madeUser(two)]];
  const members = (i: number) =>
    [
      value(users[i % 3]!, i % 4 === 0 ? `Ann "${i}", {\\} \u{1f642}` : undefined),
      value(users[(i + 1) % 3]!),
      ...(i % 3 === 0 ? [value(users[i % 3]!), value(others[0]!), value(`later-${i}`)] : []),
    ].slice(0, i % 5 === 4 ? 0 : undefined);
  const bodies = Array.from({ length: COUNT }, (_, i) =>
    group(`Group '${i}', {NULL} \\ é`, { externalId: i % 2 === 0 ? `x-${i}` : undefined, members: members(i) }),
  );
  let answers: Awaited<ReturnType<typeof one.post>>[] = [];
  let elsewhere: typeof answers = [];
  const { statements } = await atOnce(2 * COUNT, async () => {
    [answers, elsewhere] = await Promise.all([
      Promise.all(bodies.map((body) => one.post('/Groups', body))),
      Promise.all(bodies.map((body) => two.post('/Groups', body))),
    ]);
  });
  expect(statements).toBeLessThan(COUNT);
  for (const [i, made] of answers.entries()) {
    expect(made).toMatchObject({ status: 201, body: { displayName: `Group '${i}', {NULL} \\ é` } });
    expect(made.body.externalId).toBe(i % 2 === 0 ? `x-${i}` : undefined);
    // Of an id that was named twice, one is a member; users of another tenant and ids of nothing are none.
    const seen = new Set(members(i).map((member) => member.value));
    const expected = users.filter((id) => seen.has(id)).sort();
    expect((made.body.members ?? []).map((member: { value: string }) => member.value)).toEqual(expected);
    expect((await one.get(`/Groups/${made.body.id}`)).body).toEqual(made.body);
  }
  for (const [i, made] of elsewhere.entries()) {
    const own = (made.body.members ?? []).map((member: { value: string }) => member.value);
    expect([made.status, own]).toEqual([201, i % 3 === 0 && i % 5 !== 4 ? others : []]);
  }
});

it('keeps an unknown id pending in each group that names it', async () => {
  const client = await directory();
  const early = (i: number) => client.post('/Groups', group(`Early ${i}`, { members: [value('later')] }));
  let made: Awaited<ReturnType<typeof early>>[] = [];
  await atOnce(8, async () => (made = await Promise.all(Array.from({ length: 8 }, (_, i) => early(i)))));
  const { rows } = await service.db.query<{ group_id: string }>(
    `select group_id from pending_members where member_id = 'later' and group_id = any($1) order by group_id`,
    [made.map(({ body }) => body.id)],
  );
  expect(rows.map((row) => row.group_id)).toEqual(made.map(({ body }) => body.id as string).sort());
});

it('gives a name to one of the groups that ask for it at once, and makes the others of the statement', async () => {
  const client = await directory();
  const names = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? 'Shared' : `Own ${i}`));
  let answers: Awaited<ReturnType<typeof client.post>>[] = [];
  await atOnce(names.length, async () => {
    answers = await Promise.all(names.map((name) => client.post('/Groups', group(name))));
  });
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.displayName as string);
  expect(made.sort()).toEqual(['Shared', ...names.filter((name) => name !== 'Shared')].sort());
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    expect(failure(refused)).toEqual([409, 'uniqueness', '409']);
  }
});

it('makes the other groups of a statement when one waits for a lock', async () => {
  const client = await directory();
  const user = await madeUser(client);
  const one = (i: number) => client.post('/Groups', group(fresh('Wait '), { members: i === 7 ? [value(user)] : [] }));
  // On a busy machine the group that waits may come so late that it has a statement of its own, which shows nothing.
  for (let refused = 0; refused === 0;) {
    let waiting: ReturnType<typeof one> | undefined;
    await service.db.transaction(null, async (tx) => {
      await tx.query(`select 1 from users where id = $1 for update`, [user]);
      ({ refused } = await atOnce(8, async () => {
        const others = [0, 1, 2, 3, 4, 5, 6].map(one);
        waiting = one(7);
        expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(7).fill(201));
      }));
    });
    expect(await waiting).toMatchObject({ status: 201, body: { members: [{ value: user }] } });
  }
});

long('makes concurrent groups with the same group as a member', async () => {
  const client = await directory();
  const inner = await madeGroup(client);
  const outer = (i: number) => client.post('/Groups', group(`Outer ${i}`, { members: [value(inner, 'Inner')] }));
  for (const made of await Promise.all(Array.from({ length: 12 }, (_, i) => outer(i)))) {
    expect(made).toMatchObject({ status: 201, body: { members: [{ value: inner, type: 'Group', display: 'Inner' }] } });
    expect((await client.get(`/Groups/${made.body.id}`)).body).toEqual(made.body);
  }
});
