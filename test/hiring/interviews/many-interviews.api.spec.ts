import { sharedApp, type TestApp } from '../../support/app.js';
import { candidate } from '../../support/candidates.js';
import { newHouse, type House } from '../../support/house.js';
import { long } from '../../support/rounds.js';
import { patience } from '../../support/speed.js';

// A program that schedules in a loop: the most interviews that a candidate can have, and what they cost.

const MOST = 1_000;
const PLAN = { starts_at: '2030-01-01T10:00:00Z', ends_at: '2030-01-01T11:00:00Z' };
let service: TestApp;
let house: House;

beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
});
afterAll(() => service.close());

const made = async (of: House): Promise<string> => (await of.api.post('/candidates', candidate({}))).body.id as string;

/** Gives a candidate interviews of the past, each with an event and a scorecard. */
async function give(id: string, count: number): Promise<void> {
  const values = [house.tenantId, id, count];
  await service.db.query(
    `insert into interviews (tenant_id, id, candidate_id, state, starts_at, ends_at, interviewers, sequence, created_at, updated_at)
     select $1, 'int_0' || $2 || lpad(n::text, 6, '0'), $2, 'completed', now(), now(), '{}', 1, now(), now()
     from generate_series(1, $3::int) n`,
    values,
  );
  await service.db.query(
    `insert into scorecards (tenant_id, interview_id, version, content, created_at)
     select $1, 'int_0' || $2 || lpad(n::text, 6, '0'), 1, '{}', now() from generate_series(1, $3::int) n`,
    values,
  );
}

test('limits a candidate to a thousand interviews, also when two are scheduled at once', async () => {
  const id = await made(house);
  await give(id, MOST - 1);
  const answers = await Promise.all([1, 2, 3].map(() => house.api.post(`/candidates/${id}/interviews`, PLAN)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(answers.find(({ status }) => status === 409)!.body.code).toBe('too_many_interviews');
  const other = await made(house);
  expect((await house.api.post(`/candidates/${other}/interviews`, PLAN)).status).toBe(201);
});

long('pages the lists of a candidate with a thousand interviews, and removes it in seconds', async () => {
  const id = await made(house);
  await give(id, MOST - 1);
  expect((await house.api.post(`/candidates/${id}/interviews`, PLAN)).status).toBe(201);
  const seen = new Set<string>();
  let cursor = '';
  do {
    const { body } = await house.api.get(`/candidates/${id}/interviews?limit=100&cursor=${cursor}`);
    expect(body.data.length).toBeLessThanOrEqual(100);
    for (const one of body.data as { id: string }[]) seen.add(one.id);
    cursor = (body.next_cursor as string | null) ?? '';
  } while (cursor !== '');
  expect(seen.size).toBe(MOST);
  const began = performance.now();
  expect((await house.api.delete(`/candidates/${id}`)).status).toBe(204);
  expect(performance.now() - began).toBeLessThan(patience(5_000));
  const { rows } = await service.db.query<{ n: number }>(
    `select (select count(*) from interviews where tenant_id = $1 and candidate_id = $2)::int
       + (select count(*) from scorecards where tenant_id = $1 and interview_id like 'int_0' || $2 || '%')::int as n`,
    [house.tenantId, id],
  );
  expect(rows[0]!.n).toBe(0);
});
