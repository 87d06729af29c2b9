import { Database } from '../../../src/base/database/database.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { long } from '../../support/rounds.js';
import { failure, fresh, scim, user } from '../../support/scim.js';

// An IdP that lost its state creates users again that are there: after the first refusal the name is looked up first.
let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

/** The statements that insert users, while `work` runs. */
async function inserts(work: () => Promise<unknown>): Promise<number> {
  const db = service.app.nest.get(Database);
  const [shaped, shapedOnce] = [db.shaped.bind(db), db.shapedOnce.bind(db)];
  let count = 0;
  const look = (text: string): void => void (text.includes('insert into users') && count++);
  db.shaped = (text, values) => (look(text), shaped(text, values));
  db.shapedOnce = (text, values) => (look(text), shapedOnce(text, values));
  try {
    await work();
  } finally {
    Object.assign(db, { shaped, shapedOnce });
  }
  return count;
}

it('answers a repeated create with 409 without a write, until the name is free', async () => {
  const directory = scim(service.url, (await service.newTenant()).scimToken);
  const names = [fresh(), fresh(), fresh()];
  const ids: string[] = [];
  for (const name of names) ids.push((await directory.post('/Users', user(name))).body.id as string);
  const refused = async (name: string) =>
    expect(failure(await directory.post('/Users', user(name)))).toEqual([409, 'uniqueness', '409']);
  const made = async (name: string) => expect((await directory.post('/Users', user(name))).status).toBe(201);

  expect(await inserts(() => refused(names[0]!))).toBe(1);
  expect(await inserts(() => Promise.all(names.map((name) => refused(name.toUpperCase()))))).toBe(0);
  expect(await inserts(() => made(fresh()))).toBe(1);
  expect(await inserts(() => refused(names[1]!))).toBe(1);
  // A name is free again as soon as its user is gone.
  expect((await directory.delete(`/Users/${ids[2]}`)).status).toBe(204);
  await made(names[2]!);
  await refused(names[2]!);
});

long('answers each of concurrent creates for its own name', async () => {
  const directory = scim(service.url, (await service.newTenant()).scimToken);
  const there = Array.from({ length: 20 }, () => fresh());
  for (const name of there) expect((await directory.post('/Users', user(name))).status).toBe(201);
  const all = there.flatMap((name) => [name, fresh()]);
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(all.map((name) => directory.post('/Users', user(name))));
    // What was free in the first round is taken in the others.
    expect(answers.map(({ status }) => status)).toEqual(all.map((_, i) => (round === 0 && i % 2 === 1 ? 201 : 409)));
  }
});

it('refuses a name of another directory, and an invalid body with its own reason', async () => {
  const { scimToken, tenantId } = await service.newTenant();
  const [first, second] = [
    scim(service.url, scimToken),
    scim(service.url, (await service.newDirectory(tenantId)).token),
  ];
  const [mine, theirs] = [fresh(), fresh()];
  expect((await first.post('/Users', user(mine))).status).toBe(201);
  expect((await second.post('/Users', user(theirs))).status).toBe(201);
  for (const name of [mine, mine, theirs, mine]) {
    expect(failure(await first.post('/Users', user(name)))).toEqual([409, 'uniqueness', '409']);
  }
  expect(failure(await first.post('/Users', user(mine, { active: 'perhaps' })))).toEqual([400, 'invalidValue', '400']);
  expect((await first.post('/Users', user(`${fresh()}\u0000`))).status).toBe(400);
});
