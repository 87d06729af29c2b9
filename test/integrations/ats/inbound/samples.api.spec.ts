import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { chosenToken, until } from '../../../support/ats.js';
import { newHouse } from '../../../support/house.js';
import { long } from '../../../support/rounds.js';

// The shared samples of vendors whose events hold the data, word for word, to connections without a credential.
const SAMPLES = path.resolve(import.meta.dirname, '../../../simulators/samples');

interface Sample {
  secret: string | null;
  request: { headers: Record<string, string>; query: { api_token: string }; raw_body: string };
  expect: {
    ack_status: number;
    effect: string;
    stage?: string;
    candidate?: Record<string, unknown> & { external_id: string; job_title?: string; metadata?: object };
    job?: Record<string, unknown> & { external_id: string };
  };
}

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const sampleOf = (provider: string, name: string) =>
  JSON.parse(readFileSync(path.join(SAMPLES, provider, name), 'utf8')) as Sample;

async function connected(provider: string, secret: string | null) {
  const house = await newHouse(service);
  const token = chosenToken();
  const body = { provider, api_token: token, ...(secret === null ? {} : { signing_secret: secret }) };
  const made = await house.api.post('/ats-connections', body);
  expect(made.status).toBe(201);
  const at = `/ats-connections/${made.body.id}/events`;
  const send = ({ request: { headers, raw_body } }: Sample) => {
    const { 'Content-Length': _, ...kept } = headers;
    const url = `${service.url}/api/webhooks/${provider}?api_token=${token}`;
    return fetch(url, { method: 'POST', headers: kept, body: raw_body });
  };
  const settled = () => until(async () => (await house.api.get(`${at}?state=waiting`)).body.data.length === 0);
  const events = async () => (await house.api.get(at)).body.data as { state: string; reason: string | null }[];
  return { ...house, send, settled, events };
}

const NAMES = ['greenhouse', 'ashby'].flatMap((provider) =>
  readdirSync(path.join(SAMPLES, provider))
    .filter((name) => name.startsWith('webhook.') && !name.includes('create.json'))
    .map((name): [string, string] => [provider, name]),
);

it.each(NAMES)('%s %s: is answered as the vendor asks for, and has its effect once', async (provider, name) => {
  const sample = sampleOf(provider, name);
  const { effect, candidate, job, ack_status } = sample.expect;
  const ats = await connected(provider, sample.secret);
  const answers = await Promise.all([ats.send(sample), ats.send(sample), ats.send(sample)]);
  expect(answers.map(({ status }) => status)).toEqual([ack_status, ack_status, ack_status]);
  await ats.settled();
  const events = await ats.events();
  expect(events).toHaveLength(1);
  if (effect === 'none') expect(events[0]).toMatchObject({ state: 'no_effect', reason: 'no_data' });
  if (effect.startsWith('create_or_update_candidate')) {
    const { job_external_id, job_title, ...fields } = candidate!;
    const [found] = (await ats.api.get('/candidates')).body.data;
    expect(found).toMatchObject({ ...fields, ...(job_title === undefined ? {} : { job_title }) });
    expect(found.metadata.job_opening_id).toBe(job_external_id);
  }
  if (job !== undefined) {
    const found = (await ats.api.get(`/jobs?external_id=${job.external_id}`)).body.data;
    expect(found[0] ?? events[0]).toEqual(expect.objectContaining(found.length > 0 ? job : { reason: 'job_not_open' }));
  }
  const forged = { ...sample, request: { ...sample.request, raw_body: `${sample.request.raw_body} ` } };
  expect((await ats.send(forged)).status).toBe(sample.secret === null ? ack_status : 401);
});

long.each([
  ['greenhouse', 'webhook.new_candidate_application.json', 'webhook.candidate_stage_change.json'],
  ['ashby', 'webhook.applicationSubmit.json', 'webhook.candidateStageChange.json'],
])('%s: ends with the newer stage, in either order', async (provider, first, second) => {
  const samples = [sampleOf(provider, first), sampleOf(provider, second)];
  for (const order of [samples, [...samples].reverse()]) {
    const ats = await connected(provider, samples[0]!.secret);
    for (const sample of order) {
      await ats.send(sample);
      await ats.settled();
    }
    const [found] = (await ats.api.get('/candidates')).body.data;
    expect(found.metadata.ats_stage).toBe(samples[1]!.expect.stage);
  }
});

it('erases the events of a deleted candidate, and none of an opening with the same id in the ATS', async () => {
  const ats = await connected('greenhouse', null);
  const opened = sampleOf('greenhouse', 'webhook.job_created.json');
  const applied = sampleOf('greenhouse', 'webhook.new_candidate_application.json');
  const id = JSON.parse(opened.request.raw_body).payload.job.id as number;
  const event = JSON.parse(applied.request.raw_body);
  event.payload.application.candidate.id = id;
  await ats.send(opened);
  await ats.send({ ...applied, request: { ...applied.request, raw_body: JSON.stringify(event) } });
  await ats.settled();
  const [candidate] = (await ats.api.get('/candidates')).body.data;
  expect(candidate.external_id).toBe(`gh_${id}`);
  expect((await ats.api.delete(`/candidates/${candidate.id}`)).status).toBe(204);
  const { rows } = await service.db.query<{ kind: string; state: string; kept: boolean }>(
    `select kind, state, body is not null as kept from ats_events where tenant_id = $1 order by id`,
    [ats.tenantId],
  );
  expect(rows).toEqual([
    { kind: 'job', state: 'applied', kept: true },
    { kind: 'candidate', state: 'applied', kept: false },
  ]);
});
