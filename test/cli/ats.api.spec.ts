import { startAshby, startLever, type AshbySimulator } from '../simulators/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { commandLine, type Ran } from '../support/cli.js';
import { newHouse, type House } from '../support/house.js';
import { eventually } from '../support/http.js';
import { long } from '../support/rounds.js';
import { patience } from '../support/speed.js';

let service: TestApp;
let house: House;
let ashby: AshbySimulator;
beforeAll(async () => {
  ashby = await startAshby({ rateFactor: 100 });
  service = await startApp({ ATS_OAUTH_CLIENTS: 'lever:client:secret' });
  house = await newHouse(service);
});
afterAll(async () => {
  await service.close();
  await ashby.close();
});

/** The user of the simulator. */
const DANA = '1a2b3c4d-0000-4000-8000-0000000000a1';

const cli = (...args: string[]): Promise<Ran> => commandLine(service, house.apiKey)(...args);

long('connects, shows, changes, syncs, pauses and ends a connection', async () => {
  expect((await cli('ats', 'providers')).out).toMatch(/lever[\s\S]*greenhouse[\s\S]*ashby/);
  const options = ['--provider', 'ashby', '--base-url', ashby.url, '--key', ashby.apiKey, '--marker', 'x_'];
  const made = await cli('ats', 'connect', ...options, '--postings', 'all', '--link-target', 'none', '--json');
  expect([made.code, made.json]).toMatchObject([
    0,
    { marker: 'x_', takes: { postings: 'all' }, writes: { link_target: null } },
  ]);
  const { id, api_token: token } = made.json as { id: string; api_token: string };
  expect((await cli('ats', 'list')).out).toContain(id);
  expect((await cli('ats', 'show', id)).out).not.toContain(token);
  expect((await cli('ats', 'test', id)).out).toMatch(/ok +(true|yes)/);
  const set = await cli('ats', 'set', id, '--stages', 'a, b', '--as-user', DANA, '--json');
  expect(set.json).toMatchObject({ takes: { stages: ['a', 'b'], postings: 'all' }, writes: { as_user: DANA } });
  expect((await cli('ats', 'set', id, '--stages', 'any', '--json')).json.takes.stages).toBeNull();
  expect((await cli('ats', 'set', id)).code).toBe(2);
  expect((await cli('ats', 'sync', id, '--full')).code).toBe(0);
  const second = await cli('ats', 'token', id, '--json');
  const [{ id: tokenId }] = second.json.webhook.tokens as [{ id: string }];
  expect((await cli('ats', 'token', id, '--remove', tokenId)).out).toContain(tokenId);
  expect((await cli('ats', 'pause', id, '--json')).json.paused).toBe(true);
  expect((await cli('ats', 'sync', id)).code).toBe(1);
  expect((await cli('ats', 'resume', id, '--json')).json.paused).toBe(false);
  expect((await cli('ats', 'delete', id)).code).toBe(1);
  expect((await cli('ats', 'disconnect', id, '--json')).json.state).toBe('disconnected');
  expect((await cli('ats', 'delete', id)).out).toContain(id);
});

it('makes, lists and revokes connect links', async () => {
  const made = await cli('ats', 'link', '--provider', 'lever', '--json');
  expect(made.json.url).toMatch(/\/api\/integrations\/lever\/connect#tbi_/);
  const id = made.json.id as string;
  expect((await cli('ats', 'links')).out).toContain(id);
  expect((await cli('ats', 'link', '--revoke', id)).out).toContain(id);
  expect((await cli('ats', 'link', '--revoke', id)).code).toBe(1);
  expect((await cli('ats', 'link')).code).toBe(2);
});

long('lists runs, events and writes, and settles events', async () => {
  const body = { provider: 'ashby', api_token: 'whk_7d1f0c3e9b5a4826aa58c60b1e94f3d2' };
  const { body: made } = await house.api.post('/ats-connections', body);
  const id = made.id as string;
  const url = `${service.url}/api/webhooks/ashby?api_token=${body.api_token}`;
  for (const text of ['not json', '{}']) expect((await fetch(url, { method: 'POST', body: text })).status).toBe(200);
  expect((await cli('ats', 'runs', id)).code).toBe(0);
  expect((await cli('ats', 'writes', id)).code).toBe(0);
  const listed = await cli('ats', 'events', id, '--state', 'failed', '--json');
  const events = listed.json as unknown as { id: string }[];
  expect([listed.code, events.length]).toEqual([0, 2]);
  expect((await cli('ats', 'events', id)).out).toContain('not_understood');
  expect((await cli('ats', 'events', id, '--event-id', events[0]!.id)).out).toContain(events[0]!.id);
  expect((await cli('ats', 'retry', id)).code).toBe(2);
  expect((await cli('ats', 'retry', id, '--event-id', events[0]!.id)).code).toBe(0);
  expect((await cli('ats', 'retry', id, '--failed', '--json')).json).toHaveProperty('retried');
  // An event in work cannot be dismissed: the retried one has to have failed again.
  const failed = () => cli('ats', 'events', id, '--state', 'failed', '--json');
  await eventually(failed, ({ json }) => (json as unknown as unknown[]).length === 2, patience(20_000));
  expect((await cli('ats', 'dismiss', id, '--event-id', events[0]!.id)).code).toBe(2);
  const dismissed = await cli('ats', 'dismiss', id, '--event-id', events[0]!.id, '--reason', 'A test', '--json');
  expect(dismissed.json).toMatchObject({ state: 'dismissed' });
  expect((await cli('ats', 'events', id, '--state', 'nothing')).code).toBe(2);
});

it('names the missing parts of a connection with the next step, and lists the users of the ATS', async () => {
  const lever = await startLever({ rateFactor: 100, apiKey: 'key-of-lever' });
  const { id: leaver } = lever.add.user({ name: 'Left', deactivatedAt: 1 });
  const made = await cli('ats', 'connect', '--provider', 'lever', '--base-url', lever.url, '--key', lever.apiKey);
  const id = /ats_\w+/.exec(made.out)![0];
  expect(made.out).toMatch(/missing +as_user/);
  expect(made.out).toContain(`ats users ${id}`);
  const { json } = await cli('ats', 'users', id, '--json');
  const users = json as { id: string; name: string }[];
  expect(users.map(({ name }) => name)).toEqual(['Dana Whitlock']);
  expect((await cli('ats', 'set', id, '--as-user', leaver)).code).toBe(1);
  const set = await cli('ats', 'set', id, '--as-user', users[0]!.id);
  expect(set.out).not.toContain('next_step');
  expect((await cli('ats', 'connect', '--provider', 'greenhouse')).out).toMatch(/missing +credential,as_user/);
  await lever.close();
});
