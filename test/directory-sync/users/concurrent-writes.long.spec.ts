import { startApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { patch, scim, user } from '../../support/scim.js';

// Requests that come at once are written by one statement: each must leave what it would have left alone.
let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

/** Texts that an array or a row of the database would read otherwise, if they were not quoted. */
const NASTY = ['{a,b}', '"quoted"', 'back\\slash', 'NULL', 'null', '', '{}', "o'hara", '$1', 'a,b', 'tab\tand\nline', '\u{1f642}é', '(1,2)']; // prettier-ignore

const bodyOf = (prefix: string, i: number, more: Record<string, unknown> = {}) =>
  user(`${prefix}-${i}@example.com`, {
    externalId: `${prefix}-${i}`,
    active: i % 5 !== 0,
    name: { givenName: NASTY[i % NASTY.length] || 'x', familyName: NASTY[(i * 7) % NASTY.length] || 'y' },
    displayName: NASTY[(i * 3) % NASTY.length] || 'z',
    title: i % 2 === 0 ? NASTY[i % NASTY.length] : undefined,
    ...more,
  });

/** What is stored of a tenant in every table that a write of a user fills, without ids and times. */
async function traces(house: House): Promise<unknown> {
  const of = async (sql: string) => (await service.db.query(sql, [house.tenantId])).rows;
  const name = `u.user_name`;
  return {
    users:
      await of(`select ${name}, u.doc, u.doc_bytes, u.email, u.first_name, u.last_name, u.role, u.status, u.seat, u.held,
      u.version, u.quiet_writes, u.ever_active, u.session_epoch, u.person_external_id from users u where u.tenant_id = $1 order by 1`),
    emails: await of(`select ${name}, e.ordinal, e.value_key, e.type_key from user_emails e
      join users u on u.tenant_id = $1 and u.id = e.user_id where e.tenant_id = $1 order by 1, 2`),
    seats: await of(`select ${name}, e.kind, e.delta, e.role, e.reason from seat_entries e
      join users u on u.tenant_id = $1 and u.id = e.user_id where e.tenant_id = $1 order by 1, e.entry_id`),
    changes: await of(`select ${name}, c.kind, c.changed, c.person, c.status, c.forwarded,
        c.sessions_ended_at is not null as ended from changes c
      join users u on u.tenant_id = $1 and u.id = c.user_id where c.tenant_id = $1 order by 1, c.sequence`),
    lanes: await of(`select ${name}, l.channel, l.destination, l.target_state, l.target_body from lanes l
      join users u on u.tenant_id = $1 and u.id = l.subject where l.tenant_id = $1 order by 1`),
    population: (
      await of(`select coalesce((select sum(n) from population where tenant_id = $1), 0)
        + coalesce((select sum(step) from population_steps where tenant_id = $1), 0) as n`)
    )[0],
  };
}

/** Sends requests at once, or one after the other; returns their statuses. */
async function send(atOnce: boolean, requests: (() => Promise<{ status: number }>)[]): Promise<number[]> {
  if (atOnce) return (await Promise.all(requests.map((request) => request()))).map(({ status }) => status);
  const statuses: number[] = [];
  for (const request of requests) statuses.push((await request()).status);
  return statuses;
}

const COUNT = 40;

async function story(house: House, atOnce: boolean): Promise<unknown> {
  const { scim } = house;
  const each = (act: (i: number) => Promise<{ status: number }>) =>
    send(
      atOnce,
      Array.from({ length: COUNT }, (_, i) => () => act(i)),
    );
  const ids: string[] = [];
  const created = await each(async (i) => {
    const answer = await scim.post('/Users', bodyOf('p', i));
    ids[i] = answer.body.id as string;
    return answer;
  });
  const taken = await each((i) => scim.post('/Users', bodyOf('p', i)));
  const off = await each((i) => scim.patch(`/Users/${ids[i]}`, patch({ op: 'replace', path: 'active', value: false })));
  const named = await each((i) =>
    scim.patch(`/Users/${ids[i]}`, patch({ op: 'replace', path: 'name.familyName', value: NASTY[i % 5] || 'z' })),
  );
  const put = await each((i) =>
    scim.put(
      `/Users/${ids[i]}`,
      bodyOf('p', i, { emails: [{ value: `o-${i}@example.com` }, { value: `n-${i}@x.org` }] }),
    ),
  );
  const read = await each((i) => scim.get(`/Users/${ids[i]}`));
  return { created, taken, off, named, put, read, left: await traces(house) };
}

it('leaves the same rows and answers for concurrent and for successive writes', async () => {
  const [together, alone] = [await newHouse(service), await newHouse(service)];
  expect(await story(together, true)).toEqual(await story(alone, false));
});

it('answers each of concurrent creations with its own user, and each id once', async () => {
  const house = await newHouse(service);
  const answers = await Promise.all(
    Array.from({ length: COUNT }, (_, i) => house.scim.post('/Users', bodyOf('own', i))),
  );
  expect(answers.map(({ body }) => body.userName)).toEqual(answers.map((_, i) => `own-${i}@example.com`));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(COUNT);
});

it('makes one user when many requests claim one name at once, and answers the others with a conflict', async () => {
  const house = await newHouse(service);
  const answers = await Promise.all(
    Array.from({ length: COUNT }, (_, i) =>
      house.scim.post('/Users', bodyOf('same', i, { userName: 'one@example.com' })),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const { status, body } of answers)
    if (status !== 201) expect([status, body.scimType]).toEqual([409, 'uniqueness']);
});

it('makes each user once when two processes receive all of them at once, in opposite orders', async () => {
  const house = await newHouse(service);
  const second = await startApp({}, service);
  try {
    const other = scim(second.url, house.scimToken);
    const numbers = Array.from({ length: COUNT }, (_, i) => i);
    // Each e-mail is that of another name in the other process: the batches meet in both indexes, crosswise.
    const body = (i: number, mail: number) =>
      bodyOf('two', i, { active: true, emails: [{ value: `mail-${mail}@example.com` }], externalId: `e-${i}` });
    const answers = await Promise.all([
      ...numbers.map((i) => house.scim.post('/Users', body(i, i))),
      ...numbers.reverse().map((i) => other.post('/Users', body(i, COUNT - 1 - i))),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(COUNT);
    expect(statuses.filter((status) => status === 409)).toHaveLength(COUNT);
    const { rows } = await service.db.query<{ n: number; active: number; mails: number }>(
      `select count(*)::int as n, count(*) filter (where status = 'active')::int as active,
         count(distinct email_key) filter (where status = 'active')::int as mails from users where tenant_id = $1`,
      [house.tenantId],
    );
    expect(rows[0]!.n).toBe(COUNT);
    expect(rows[0]!.mails).toBe(rows[0]!.active);
  } finally {
    await second.close();
  }
});

it('keeps each of many concurrent changes to one user', async () => {
  const house = await newHouse(service);
  const { id } = (await house.scim.post('/Users', bodyOf('one', 1))).body as { id: string };
  const numbers = Array.from({ length: 12 }, (_, i) => i);
  const answers = await Promise.all(
    numbers.map((i) =>
      house.scim.patch(
        `/Users/${id}`,
        patch({ op: 'add', path: 'phoneNumbers', value: [{ type: `t${i}`, value: `+49 30 ${i}` }] }),
      ),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(numbers.map(() => 200));
  const { body } = await house.scim.get(`/Users/${id}`);
  const phones = body.phoneNumbers as { value: string }[];
  expect(phones.map(({ value }) => value).sort()).toEqual(numbers.map((i) => `+49 30 ${i}`).sort());
});

it('lets no other request wait when one user is locked', async () => {
  const house = await newHouse(service);
  const made = await Promise.all(Array.from({ length: 8 }, (_, i) => house.scim.post('/Users', bodyOf('lock', i))));
  const ids = made.map(({ body }) => body.id as string);
  const change = (id: string) =>
    house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'title', value: 'New' }));
  let waits: Promise<{ status: number }> | undefined;
  await service.db.transaction(house.tenantId, async (tx) => {
    await tx.query(`select 1 from users where tenant_id = $1 and id = $2 for update`, [house.tenantId, ids[3]]);
    const all = ids.map(change);
    waits = all[3];
    const others = await Promise.all(all.filter((_, i) => i !== 3));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  });
  expect((await waits!).status).toBe(200);
});

it('lets no other request wait when another transaction is taking one name', async () => {
  const house = await newHouse(service);
  const create = (i: number) => house.scim.post('/Users', bodyOf('about', i));
  let waits: Promise<{ status: number }> | undefined;
  await service.db.transaction(house.tenantId, async (tx) => {
    await tx.query(
      `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, active, first_name, last_name, status, seat)
       values ($1, 'usr_other', $2, 'scim', '{}', 'about-3@example.com', 'about-3@example.com', true, '', '', 'active', 'none')`,
      [house.tenantId, house.directoryId],
    );
    const all = Array.from({ length: 12 }, (_, i) => create(i));
    waits = all[3];
    const others = await Promise.all(all.filter((_, i) => i !== 3));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 201));
  });
  expect((await waits!).status).toBe(409);
});

it('fails alone when the database refuses one value of a batch', async () => {
  const house = await newHouse(service);
  const { id } = (await house.scim.post('/Users', bodyOf('bad', 1))).body as { id: string };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => house.scim.get(i % 2 === 0 ? `/Users/${id}` : `/Users/x%00${i}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map((_, i) => (i % 2 === 0 ? 200 : 400)));
});
