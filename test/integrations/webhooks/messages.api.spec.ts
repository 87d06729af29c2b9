import { startApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { client, eventually, type Client } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { fresh } from '../../support/scim.js';
import { receiver, type Receiver } from './support/receiver.js';

// One try for each message: what fails is given up at once.
let service: TestApp;
let hook: Receiver;
let at: House;
beforeAll(async () => {
  [service, hook] = await Promise.all([startApp({ WEBHOOK_RETRIES: 'none' }), receiver()]);
});
afterAll(async () => {
  await hook.close();
  await service.close();
});
beforeEach(async () => {
  at = await newHouse(service);
  hook.received.length = 0;
  takes(204);
});

const takes = (status: number): void => hook.answer((_, res) => void res.writeHead(status).end('said'));
const newHook = async (more: object = {}): Promise<string> => {
  const { status, body, text } = await at.api.post('/webhooks', { url: hook.url, ...more });
  if (status !== 201) throw new Error(text);
  return body.id as string;
};
const newCandidate = async (): Promise<string> => {
  const { status, body, text } = await at.api.post('/candidates', {
    first_name: 'A',
    last_name: 'B',
    email: 'a@x.example',
    external_id: fresh('gh_'),
  });
  if (status !== 201) throw new Error(text);
  return body.id as string;
};
const ids = (): string[] => hook.received.map(({ headers }) => headers['webhook-id']!);
const arrived = (count: number) => eventually(() => Promise.resolve(ids()), (all) => all.length >= count); // prettier-ignore
const messages = async (id: string, state: string): Promise<{ event_id: string; record: string; event: string }[]> =>
  (await at.api.get(`/webhooks/${id}/messages?state=${state}`)).body.data;
const givenUp = (id: string, count: number) => eventually(() => messages(id, 'given_up'), (all) => all.length === count); // prettier-ignore
const explained = async (id: string, record: string) =>
  (await at.api.get(`/webhooks/${id}/explain?record=${record}`)).body;
const taskDone = (id: string) =>
  eventually(
    async () => (await at.api.get(`/tasks/${id}`)).body as { state: string; done: number },
    ({ state }) => state === 'done',
    20_000,
  );

describe('attempts', () => {
  long('are listed newest first, by event and by outcome, page by page', async () => {
    const id = await newHook();
    takes(500);
    await newCandidate();
    const [failed] = await givenUp(id, 1);
    takes(200);
    await newCandidate();
    await arrived(2);
    const all = await eventually(() => at.api.get(`/webhooks/${id}/attempts`), ({ body }) => body.data.length === 2); // prettier-ignore
    expect(all.body.data).toMatchObject([
      { outcome: 'delivered', status: 200, fault: null, address: '127.0.0.1', answer: 'said' },
      { outcome: 'status_500', status: 500, fault: 'theirs', event_id: failed!.event_id },
    ]);
    const first = await at.api.get(`/webhooks/${id}/attempts?limit=1`);
    const second = await at.api.get(`/webhooks/${id}/attempts?limit=1&cursor=${first.body.next_cursor}`);
    expect([...first.body.data, ...second.body.data]).toEqual(all.body.data);
    expect(second.body.next_cursor).toBeNull();
    const ofOne = await at.api.get(`/webhooks/${id}/attempts?event_id=${failed!.event_id}`);
    expect(ofOne.body.data).toEqual([all.body.data[1]]);
    expect((await at.api.get(`/webhooks/${id}/attempts?outcome=delivered`)).body.data).toEqual([all.body.data[0]]);
    expect((await at.api.get(`/webhooks/${id}/attempts?event_id=x`)).status).toBe(422);
  });
});

describe('redeliver', () => {
  long('sends a message that was given up, under the same id, and settles it', async () => {
    const id = await newHook();
    takes(500);
    const record = await newCandidate();
    const [lost] = await givenUp(id, 1);
    expect((await at.api.get(`/webhooks/${id}`)).body).toMatchObject({ given_up: 1, waiting: 0 });
    const refused = await at.api.post(`/webhooks/${id}/redeliver`, { event_id: lost!.event_id });
    expect(refused.body).toMatchObject({ outcome: 'status_500', event_id: lost!.event_id });
    expect(await messages(id, 'given_up')).toHaveLength(1);
    takes(204);
    const taken = await at.api.post(`/webhooks/${id}/redeliver`, { event_id: lost!.event_id });
    expect(taken.body).toMatchObject({ outcome: 'delivered', status: 204 });
    expect(await messages(id, 'given_up')).toHaveLength(0);
    expect(new Set(ids())).toEqual(new Set([lost!.event_id]));
    expect((await explained(id, record)).events[0]).toMatchObject({ outcome: 'delivered' });
  });

  long('cancels the attempt that waits', async () => {
    const id = await newHook();
    await at.api.post(`/webhooks/${id}/pause`, {});
    await newCandidate();
    const [waiting] = await eventually(() => messages(id, 'waiting'), (all) => all.length === 1); // prettier-ignore
    await at.api.post(`/webhooks/${id}/redeliver`, { event_id: waiting!.event_id });
    expect(await messages(id, 'waiting')).toHaveLength(0);
    await at.api.post(`/webhooks/${id}/resume`, {});
    await newCandidate();
    await arrived(3);
    expect(ids().filter((one) => one === waiting!.event_id)).toHaveLength(1);
  });

  long('lets the next message of a record follow, when events are in order', async () => {
    const id = await newHook({ ordered: true });
    await at.api.post(`/webhooks/${id}/pause`, {});
    const record = await newCandidate();
    for (const first_name of ['C', 'D']) await at.api.patch(`/candidates/${record}`, { first_name });
    const [first] = await messages(id, 'waiting');
    expect(first).toMatchObject({ record, event: 'candidate.created' });
    await at.api.post(`/webhooks/${id}/redeliver`, { event_id: first!.event_id });
    const [second] = await messages(id, 'waiting');
    expect(second).toMatchObject({ record, event: 'candidate.updated' });
    hook.received.length = 0;
    await at.api.post(`/webhooks/${id}/resume`, {});
    await arrived(3);
    const events = hook.received.slice(1).map(({ body }) => (JSON.parse(body) as { event: string }).event);
    expect(events).toEqual(['candidate.updated', 'candidate.updated']);
    await eventually(() => messages(id, 'waiting'), (all) => all.length === 0); // prettier-ignore
  });

  it.each(['evt_9999999999999999', 'x', 'evt_1'])('refuses %s', async (event_id) => {
    const id = await newHook();
    const refused = await at.api.post(`/webhooks/${id}/redeliver`, { event_id });
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0].field).toBe('event_id');
  });

  it('refuses an event that the endpoint does not receive, and one of another tenant', async () => {
    const id = await newHook({ events: ['job.synced'] });
    const all = await newHook();
    await newCandidate();
    await arrived(1);
    expect((await at.api.post(`/webhooks/${id}/redeliver`, { event_id: ids()[0] })).status).toBe(422);
    expect((await at.api.post(`/webhooks/${all}/redeliver`, { event_id: ids()[0] })).status).toBe(200);
    at = await newHouse(service);
    const theirs = await newHook();
    expect((await at.api.post(`/webhooks/${theirs}/redeliver`, { event_id: ids()[0] })).status).toBe(422);
  });
});

describe('replay', () => {
  long('counts first, and sends each message that was given up once, oldest first', async () => {
    const id = await newHook();
    takes(500);
    for (let i = 0; i < 5; i++) await newCandidate();
    const lost = await givenUp(id, 5);
    takes(204);
    hook.received.length = 0;
    const count = await at.api.post(`/webhooks/${id}/replay`, { given_up: true, dry_run: true });
    expect([count.status, count.body]).toEqual([200, { count: 5, more: false }]);
    const begun = await at.api.post(`/webhooks/${id}/replay`, { given_up: true });
    expect(begun.status).toBe(202);
    expect(begun.body).toMatchObject({ kind: 'webhooks.replay', total: 5 });
    expect(await taskDone(begun.body.id as string)).toMatchObject({ done: 5 });
    await arrived(5);
    expect([...ids()].sort()).toEqual(lost.map(({ event_id }) => event_id).sort());
    await givenUp(id, 0);
    const after = await at.api.post(`/webhooks/${id}/replay`, { given_up: true, dry_run: true });
    expect(after.body).toEqual({ count: 0, more: false });
  });

  long('sends all events of the endpoint since a time, in the order of each record', async () => {
    const id = await newHook({ ordered: true, events: ['candidate.created', 'candidate.updated'] });
    const since = new Date().toISOString();
    const record = await newCandidate();
    for (const first_name of ['C', 'D', 'E']) await at.api.patch(`/candidates/${record}`, { first_name });
    await arrived(4);
    const before = ids();
    hook.received.length = 0;
    const begun = await at.api.post(`/webhooks/${id}/replay`, { since, rate: 2 });
    expect(await taskDone(begun.body.id as string)).toMatchObject({ done: 4 });
    await arrived(4);
    expect([...new Set(ids())].filter((one) => before.includes(one))).toEqual(before);
  });

  it('is shown to the key that began it and stopped by it, and by no other key without admin', async () => {
    const keyed = async (): Promise<Client> => {
      const made = await at.api.post('/api-keys', { name: fresh('key'), scopes: ['webhooks:manage'] });
      return client(`${service.url}/api/v1`, made.body.api_key as string);
    };
    const [own, other] = [await keyed(), await keyed()];
    const { body: made } = await own.post('/webhooks', { url: hook.url, events: ['job.synced'] });
    const begun = await own.post(`/webhooks/${made.id}/replay`, { since: new Date().toISOString() });
    expect(begun.status).toBe(202);
    const task = `/tasks/${begun.body.id}`;
    expect((await own.get(task)).body).toMatchObject({ id: begun.body.id, kind: 'webhooks.replay' });
    expect([(await other.get(task)).status, (await other.post(`${task}/cancel`)).status]).toEqual([404, 404]);
    expect((await own.get('/tasks')).status).toBe(403);
    expect((await at.api.get(task)).status).toBe(200);
    expect([200, 409]).toContain((await own.post(`${task}/cancel`)).status);
  });

  it.each([
    {},
    { since: new Date().toISOString(), given_up: true },
    { since: 'yesterday' },
    { given_up: true, rate: 0 },
  ])('refuses %j', async (body) => {
    const id = await newHook();
    expect((await at.api.post(`/webhooks/${id}/replay`, body)).status).toBe(422);
  });
});

describe('explain', () => {
  it('has each answer, with the id of the event', async () => {
    const before = await newCandidate();
    const id = await newHook({ events: ['candidate.created'] });
    expect(await explained(id, 'cand_unknown')).toMatchObject({ found: false, events: [] });
    expect((await explained(id, before)).events).toMatchObject([{ outcome: 'endpoint_made_later' }]);

    const record = await newCandidate();
    await arrived(1);
    await at.api.patch(`/candidates/${record}`, { first_name: 'New' });
    const both = await eventually(() => explained(id, record), ({ events }) => events[1]?.outcome === 'delivered'); // prettier-ignore
    expect(both.events).toMatchObject([
      { event: 'candidate.updated', outcome: 'filtered_out' },
      { event: 'candidate.created', outcome: 'delivered', event_id: ids()[0] },
    ]);

    takes(500);
    const lost = await newCandidate();
    await givenUp(id, 1);
    expect((await explained(id, lost)).events).toMatchObject([{ outcome: 'given_up', why: expect.stringContaining('status_500') as string }]); // prettier-ignore

    await at.api.post(`/webhooks/${id}/pause`, {});
    const waiting = await newCandidate();
    const off = await explained(id, waiting);
    expect(off.events).toMatchObject([{ outcome: 'endpoint_off', why: expect.stringContaining('by_hand') as string }]);
    const one = await at.api.get(`/webhooks/${id}/explain?event_id=${off.events[0].event_id}`);
    expect(one.body.events).toEqual(off.events);
    await service.db.query(
      `update destinations set state_reason = 'address_refused' where tenant_id = $1 and channel = 'webhook' and id = $2`,
      [at.tenantId, id],
    );
    expect((await explained(id, waiting)).events).toMatchObject([{ outcome: 'address_refused' }]);
    expect((await at.api.get(`/webhooks/${id}/explain`)).status).toBe(422);
  });
});
