import { startApp, type TestApp } from '../support/app.js';
import { commandLine, type Ran } from '../support/cli.js';
import { newHouse, type House } from '../support/house.js';
import { eventually } from '../support/http.js';
import { receiver, type Receiver } from '../integrations/webhooks/support/receiver.js';
import { long } from '../support/rounds.js';

let service: TestApp;
let house: House;
let hook: Receiver;
beforeAll(async () => {
  [service, hook] = await Promise.all([startApp({ WEBHOOK_RETRIES: 'none' }), receiver()]);
  house = await newHouse(service);
});
afterAll(async () => {
  await hook.close();
  await service.close();
});

const cli = (...args: string[]): Promise<Ran> => commandLine(service, house.apiKey)(...args);

long('makes, tests, replays, changes, rotates, pauses and deletes an endpoint', async () => {
  const made = await cli('webhook', 'create', '--url', hook.url, '--events', 'candidate.created, candidate.updated', '--json'); // prettier-ignore
  expect(made.code).toBe(0);
  expect(made.json).toMatchObject({ events: ['candidate.created', 'candidate.updated'], state: 'active' });
  const { id, secret } = made.json as { id: string; secret: string };
  expect(secret).toMatch(/^whsec_/);
  expect((await cli('webhook', 'list')).out).toContain(id);
  expect((await cli('webhook', 'test', id, '--event', 'candidate.created')).out).toMatch(/outcome +delivered/);

  hook.answer((_, res) => void res.writeHead(500).end('no'));
  const candidate = { first_name: 'A', last_name: 'B', email: 'a@x.example', external_id: 'gh_1' };
  const { body } = await house.api.post('/candidates', candidate);
  const lost = await eventually(
    () => cli('webhook', 'messages', id, '--state', 'given_up', '--json'),
    ({ json }) => json.length === 1,
  );
  const eventId = lost.json[0].event_id as string;
  expect((await cli('webhook', 'messages', id, '--state', 'given_up')).out).toContain(eventId);
  expect((await cli('webhook', 'explain', id, '--record', body.id as string)).out).toMatch(/given_up/);
  expect((await cli('webhook', 'explain', id, '--record', 'cand_x')).out).toContain('There is no event');
  expect((await cli('webhook', 'attempts', id, '--outcome', 'failed')).out).toContain('status_500');
  expect((await cli('webhook', 'redeliver', id, '--event-id', eventId)).out).toMatch(/status +500/);
  expect((await cli('webhook', 'replay', id, '--given-up', '--dry-run')).out).toMatch(/count +1/);
  hook.answer((_, res) => void res.writeHead(204).end());
  expect((await cli('webhook', 'replay', id, '--given-up')).out).toContain('webhooks.replay');
  await eventually(
    () => cli('webhook', 'messages', id, '--state', 'given_up', '--json'),
    ({ json }) => json.length === 0,
  );

  expect((await cli('webhook', 'set', id, '--ordered', 'true', '--events', 'all', '--json')).json).toMatchObject({ ordered: true, events: null }); // prettier-ignore
  expect((await cli('webhook', 'rotate', id, '--overlap-seconds', '60', '--json')).json.secrets).toHaveLength(2);
  expect((await cli('webhook', 'rotate', id, '--revoke', '--json')).json.secrets).toHaveLength(1);
  expect((await cli('webhook', 'pause', id, '--reason', 'moving')).out).toMatch(/state +paused/);
  expect((await cli('webhook', 'resume', id)).out).toMatch(/state +active/);
  expect((await cli('webhook', 'delete', id)).out).toContain(id);
  expect((await cli('webhook', 'show', id)).code).not.toBe(0);
});

it('names missing and wrong options', async () => {
  const { id } = (await house.api.post('/webhooks', { url: hook.url })).body as { id: string };
  expect((await cli('webhook', 'create', '--url', 'http://x')).err).toContain('--url');
  expect((await cli('webhook', 'create', '--url', hook.url, '--events', 'candidate.hired')).err).toContain('--events must hold only: candidate.created'); // prettier-ignore
  expect((await cli('webhook', 'set', id)).err).toMatch(/Say what to change, such as --url; "webhook set --help"/);
  expect((await cli('webhook', 'replay', id)).err).toContain('Say --since or --given-up.');
  expect((await cli('webhook', 'explain', id)).err).toContain('Say --record or --event-id.');
  expect((await cli('webhook', 'set', id, '--headers', '{')).err).toContain('--headers must be JSON');
});

it('demands the number of the messages that are lost when an endpoint is deleted', async () => {
  const { id } = (await house.api.post('/webhooks', { url: hook.url })).body as { id: string };
  await house.api.post(`/webhooks/${id}/pause`, { reason: 'moving' });
  const candidate = { first_name: 'A', last_name: 'B', email: 'a@x.example', external_id: 'gh_2' };
  await house.api.post('/candidates', candidate);
  await eventually(
    () => house.api.get(`/webhooks/${id}`),
    ({ body }) => body.waiting === 1,
  );
  const asked = await cli('webhook', 'delete', id);
  expect(asked.code).toBe(2);
  expect(asked.err).toContain('1 messages that wait for it and 0 that were given up are dropped with it.');
  expect(asked.err).toContain('Repeat the command with --confirm 1.');
  expect((await cli('webhook', 'delete', id, '--confirm', '1')).code).toBe(0);
});
