import { startLever, type LeverSimulator } from '../../simulators/index.js';
import { freePort } from '../../../src/base/database/embedded/embedded-postgres.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { long } from '../../support/rounds.js';
import { isSigned, Receiver } from '../webhooks/channel/receiver.js';

// The whole way of a candidate, against a Lever that runs: each step is what the one before it led to.

const WRITER = '32bc4d3b-0000-4e2b-92d0-00000000d4a1';
const SCORECARD = {
  overall: 3.8,
  recommendation: 'advance',
  summary: 'Solid system design.',
  criteria: [{ name: 'Design', score: 4, scale: { min: 1, max: 5 }, evidence: 'Drew the queue first.' }],
  link: 'https://app.example.com/scorecards/1',
};

let service: TestApp;
let lever: LeverSimulator;
let house: House;
let receiver: Receiver;
let secret: string;

beforeAll(async () => {
  const port = await freePort();
  const own = `http://127.0.0.1:${port}`;
  lever = await startLever({ rateFactor: 100, timeFactor: 1_000 });
  service = await startApp({ PORT: String(port), BASE_URL: own });
  house = await newHouse(service);
  receiver = await new Receiver().start();
  const { body } = await house.api.post('/webhooks', { url: receiver.url });
  secret = body.secret as string;
});
afterAll(async () => {
  await service.close();
  await receiver.stop();
  await lever.close();
});

const found = async (path: string) => (await house.api.get(path)).body.data as Record<string, unknown>[];
const arrived = (event: string) => receiver.arrived.filter((message) => message.event === event);

long('completes the story of a candidate: opening, interview, link, scorecard, note, revision, events', async () => {
  // 1. A connection with a key: the opening is polled.
  const posting = lever.add.posting({ text: 'Senior Backend Engineer' });
  const { status, body: connection } = await house.api.post('/ats-connections', {
    provider: 'lever',
    base_url: lever.url,
    credential: { kind: 'api_key', key: lever.apiKey },
    writes: { as_user: WRITER },
  });
  expect(status).toBe(201);
  const [job] = await eventually(
    () => found(`/jobs?external_id=lv_${posting.id}`),
    (jobs) => jobs.length === 1,
  );
  expect(job).toMatchObject({ title: 'Senior Backend Engineer', status: 'open', ats: 'lever' });
  await eventually(
    () => found('/events?event=ats.sync_completed'),
    (events) => events.length === 1,
  );
  await eventually(
    () => house.api.get(`/ats-connections/${connection.id as string}`),
    ({ body }) => body.webhook.made.includes('applicationCreated') === true,
  );

  // 2. A candidate applies: the webhook brings it, with the title of its opening.
  const applied = lever.add.opportunity({ name: 'Tomas Lindqvist', posting: posting.id });
  const [candidate] = await eventually(
    () => found(`/candidates?external_id=lv_${applied.id}`),
    (candidates) => candidates.length === 1,
  );
  expect(candidate).toMatchObject({
    first_name: 'Tomas',
    last_name: 'Lindqvist',
    job_title: 'Senior Backend Engineer',
    metadata: { ats: 'lever', original_job_id: posting.id },
  });

  // 3. and 4. An interview is scheduled, and Lever has its link.
  const startsAt = new Date(Date.now() + 86_400_000).toISOString();
  const endsAt = new Date(Date.now() + 90_000_000).toISOString();
  const { body: interview } = await house.api.post(`/candidates/${candidate!['id'] as string}/interviews`, {
    starts_at: startsAt,
    ends_at: endsAt,
    time_zone: 'Europe/Stockholm',
  });
  expect(interview.meeting_url).toMatch(/^http/);
  await eventually(
    () => Promise.resolve(lever.linksOf(applied.id)),
    (links) => links.includes(interview.meeting_url as string),
  );

  // 5. and 6. The scorecard completes the interview, and is a private note.
  const put = (more: object) =>
    house.api.put(`/interviews/${interview.id as string}/scorecard`, { ...SCORECARD, ...more });
  expect((await put({})).status).toBeLessThan(300);
  const notes = () => Promise.resolve(lever.notesOf(applied.id));
  const [first] = await eventually(notes, (all) => all.length === 1);
  expect(first).toMatchObject({ secret: true, user: WRITER });
  expect(first!.value).toContain('3.8');

  // 7. and 8. A revision is a second note, which says what it replaces.
  await put({ overall: 4.1 });
  const all = await eventually(notes, (found_) => found_.length === 2);
  expect(all[1]!.value).toMatch(/replaces revision 1/i);
  expect(all[1]!.value).toContain('4.1');

  // 9. The events have arrived, signed, and none came of the first import.
  await eventually(
    () => Promise.resolve(arrived('interview.completed')),
    (events) => events.length === 2,
  );
  expect(arrived('candidate.created').map(({ data }) => data.external_id)).toEqual([`lv_${applied.id}`]);
  expect(arrived('interview.scheduled')).toMatchObject([
    { data: { meeting_url: interview.meeting_url, candidate_external_id: `lv_${applied.id}` } },
  ]);
  expect(arrived('interview.completed').map(({ data }) => data.scorecard.version)).toEqual([1, 2]);
  for (const message of receiver.arrived) expect(isSigned(message, secret)).toBe(true);
  const written = await found(`/ats-connections/${connection.id as string}/writes`);
  expect(written.map(({ state }) => state)).not.toContain('failed');
});
