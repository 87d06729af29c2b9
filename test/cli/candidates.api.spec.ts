import { sharedApp, type TestApp } from '../support/app.js';
import { commandLine, type Ran } from '../support/cli.js';
import { candidate } from '../support/candidates.js';
import { newHouse, type House } from '../support/house.js';
import { fresh } from '../support/scim.js';

let service: TestApp;
let house: House;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
});
afterAll(() => service.close());

const cli = (...args: string[]): Promise<Ran> => commandLine(service, house.apiKey)(...args);

it('lists candidates by each filter, and shows one by id and external_id', async () => {
  const body = candidate({ metadata: { ats_priority: 'urgent', n: [1] } });
  const made = (await house.api.post('/candidates', body)).body;
  await house.api.post('/candidates', candidate());
  for (const filter of [
    ['--email', body.email],
    ['--external-id', body.external_id],
    ['--ats-priority', 'urgent'],
  ]) {
    expect((await cli('candidate', 'list', ...filter, '--json')).json).toEqual([made]);
  }
  expect((await cli('candidate', 'list', '--limit', '1', '--json')).json).toHaveLength(1);
  expect((await cli('candidate', 'list', '--updated-since', '2999-01-01T00:00:00Z', '--json')).json).toEqual([]);
  expect((await cli('candidate', 'list')).out).toContain('Zoë Müller');
  for (const name of [made.id, body.external_id]) {
    expect((await cli('candidate', 'show', name, '--json')).json).toEqual(made);
  }
  expect((await cli('candidate', 'show', made.id)).out).toContain('"ats_priority":"urgent"');
  const none = await cli('candidate', 'show', 'no-one');
  expect([none.code === 0, none.err]).toEqual([
    false,
    expect.stringContaining('No candidate has no-one as id or external_id'),
  ]);
  expect((await cli('candidate', 'show', 'cand_none')).code).not.toBe(0);
});

it('lists job openings by each filter, and shows one', async () => {
  const key = fresh('cli-');
  const made = (await house.api.put(`/jobs/by-external-id/${key}`, { title: 'Cook', ats: 'bullhorn', status: 'draft' }))
    .body;
  for (const filter of [
    ['--external-id', key],
    ['--status', 'draft'],
    ['--ats', 'bullhorn'],
  ]) {
    expect((await cli('job', 'list', ...filter, '--json')).json).toEqual([made]);
  }
  expect((await cli('job', 'list')).out).toContain('Cook');
  expect((await cli('job', 'list', '--status', 'paused')).err).toContain('Allowed choices are open, closed, draft');
  for (const name of [made.id, key]) expect((await cli('job', 'show', name, '--json')).json).toEqual(made);
  expect((await cli('job', 'show', 'none')).err).toContain('No job has none');
});
