import { sharedApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { candidate } from '../../support/candidates.js';
import { endpointAt } from '../../integrations/webhooks/channel/receiver.js';
import { newHouse, type House } from '../../support/house.js';

/** A number of 18 digits, which a JavaScript number cannot hold. */
const ID = '480912000001234567';
let service: TestApp;
let house: House;
let endpoint: string;

beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
  const url = 'http://127.0.0.1:9/hooks';
  endpoint = (await endpointAt(service, house.tenantId, { url, events: ['candidate.created'] })).id;
  await house.api.post('/ats-connections', { provider: 'lever', marker: 'zr_' });
});
afterAll(() => service.close());

type Explained = { found: boolean; events: { event: string; record: string }[] };
const explain = async (record: string, of = house): Promise<Explained> =>
  (await of.api.get(`/webhooks/${endpoint}/explain?record=${encodeURIComponent(record)}`)).body as Explained;

it('explains the events of a candidate by its id, its external_id and the id of the ATS, with those of its interviews', async () => {
  const { body: made } = await house.api.post('/candidates', { ...candidate(), external_id: `zr_${ID}` });
  const times = { starts_at: '2030-01-01T10:00:00Z', ends_at: '2030-01-01T11:00:00Z' };
  const { body: interview } = await house.api.post(`/candidates/${made.id}/interviews`, times);
  const own = await explain(made.id);
  expect(own.events.map(({ event }) => event)).toEqual(['candidate.created']);
  for (const name of [`zr_${ID}`, ID]) {
    const { found, events } = await explain(name);
    expect([name, found, events[0]]).toEqual([
      name,
      true,
      expect.objectContaining({ event: 'interview.scheduled', record: interview.id }),
    ]);
    expect(events.at(-1)).toMatchObject({ event: 'candidate.created', record: made.id });
  }
  const { out } = await commandLine(service, house.apiKey)('webhook', 'explain', endpoint, '--record', ID);
  expect(out).toContain('candidate.created');
});

it('explains the events of a job opening by the id of the ATS', async () => {
  const { body: job } = await house.api.put(`/jobs/by-external-id/zr_${ID}9`, { title: 'Engineer' });
  expect((await explain(`${ID}9`)).events).toMatchObject([{ event: 'job.synced', record: job.id }]);
});

it('finds nothing by an unknown name, and does not confuse neighbours of 18 digits', async () => {
  expect((await explain('480912000001234568')).found).toBe(false);
  expect((await explain('x'.repeat(300))).found).toBe(false);
});

it('keeps 18 digits of an opening in the metadata of a candidate', async () => {
  const opening = '480912000000987654';
  await house.api.put(`/jobs/by-external-id/${opening}`, { title: 'Backend Engineer' });
  const { first_name, last_name, email } = candidate();
  const fields = JSON.stringify({ first_name, last_name, email, external_id: 'zr_1' }).slice(1, -1);
  const made = await fetch(`${service.url}/api/v1/candidates`, {
    method: 'POST',
    headers: { authorization: `Bearer ${house.apiKey}`, 'content-type': 'application/json' },
    body: `{${fields},"metadata":{"job_opening_id":${opening}}}`,
  });
  const text = await made.text();
  expect([made.status, text]).toEqual([201, expect.stringContaining(`"job_opening_id":${opening}`)]);
  expect(JSON.parse(text)).toMatchObject({ job_title: 'Backend Engineer' });
  const { body } = await house.api.get(`/resolve?type=job&external_id=${opening}`);
  expect(body.found).toBe(true);
});
