import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../../../src/base/database/database.js';
import { EVENT_NAMES, EVENTS } from '../../../src/engine/events/catalogue.js';
import { EventReader } from '../../../src/engine/events/event-reader.js';
import { eventId, EventRecorder } from '../../../src/engine/events/event-recorder.js';
import { bodyText } from '../../../src/engine/events/events.dto.js';
import { EventsRepository, type NewEvent } from '../../../src/engine/events/events.service.js';
import { startApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { client, eventually } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { fresh, patch, user } from '../../support/scim.js';

let service: TestApp;
let events: EventsRepository;
let db: Database;
beforeAll(async () => {
  service = await startApp();
  events = service.app.nest.get(EventsRepository);
  db = service.app.nest.get(Database);
});
afterAll(() => service.close());

interface Shown {
  id: string;
  event: string;
  timestamp: string;
  data: Record<string, unknown>;
}
interface Page {
  data: Shown[];
  next_after: string | null;
}

const LOST: NewEvent = { event: 'domain.lost', data: EVENTS['domain.lost'].example };
const lost = (n: number): NewEvent => ({ event: 'domain.lost', data: { domain: `${n}.example`, problem: null } });

async function page({ api }: House, after: string, limit = 1000): Promise<Page> {
  const { status, body } = await api.get(`/events?after=${after}&limit=${limit}`);
  expect(status).toBe(200);
  return body;
}

/** Reads on until the feed shows a number of events after a position. */
const shows = (at: House, count: number, after = ''): Promise<Page> =>
  eventually(
    () => page(at, after),
    ({ data }) => data.length === count,
  );

describe('the feed', () => {
  long('begins with the oldest event, and continues after the given position', async () => {
    const at = await newHouse(service);
    await events.record(at.tenantId, [1, 2, 3, 4, 5].map(lost));
    await shows(at, 5);
    const first = await page(at, '', 2);
    const second = await page(at, first.next_after!, 2);
    const third = await page(at, second.data[1]!.id, 2);
    const domains = [first, second, third].flatMap(({ data }) => data.map((one) => one.data['domain']));
    expect(domains).toEqual([1, 2, 3, 4, 5].map((n) => `${n}.example`));
    expect(first.next_after).toBe(first.data[1]!.id);
    const end = await page(at, third.data[0]!.id);
    expect(end.data).toEqual([]);
    // The position is that of an event of the tenant: it does not show what others do.
    expect(end.next_after).toBe(third.data[0]!.id);
    const other = await newHouse(service);
    await events.record(other.tenantId, [lost(1)]);
    expect((await page(at, end.next_after!)).next_after).toBe(end.next_after);
    await events.record(at.tenantId, [lost(6)]);
    const [last] = (await shows(at, 1, end.next_after!)).data;
    expect(last!.data['domain']).toBe('6.example');
  });

  long('shows users among the other events, in the order of the facts', async () => {
    const at = await newHouse(service);
    const { body: made } = await at.scim.post('/Users', user(`${fresh()}@x.example`));
    await events.record(at.tenantId, [LOST]);
    await at.scim.patch(`/Users/${made.id}`, patch({ op: 'replace', path: 'name.givenName', value: 'Changed' }));
    await at.scim.patch(`/Users/${made.id}`, patch({ op: 'replace', path: 'nickName', value: 'no event' }));
    await at.scim.patch(`/Users/${made.id}`, patch({ op: 'replace', path: 'active', value: false }));
    await at.scim.patch(`/Users/${made.id}`, patch({ op: 'replace', path: 'active', value: true }));
    await at.scim.delete(`/Users/${made.id}`);
    const { data } = await shows(at, 6);
    expect(data.map(({ event }) => event)).toEqual([
      'user.created',
      'domain.lost',
      'user.updated',
      'user.deactivated',
      'user.reactivated',
      'user.deleted',
    ]);
    const [created, , updated] = data;
    expect(Object.keys(updated!.data)).toEqual([
      'email', 'first_name', 'last_name', 'role', 'external_id', 'id', 'status', 'changed', 'sequence',
    ]); // prettier-ignore
    expect(updated!.data).toMatchObject({
      id: made.id,
      first_name: 'Changed',
      changed: ['first_name'],
      status: 'active',
    });
    expect(eventId(created!.data['sequence'] as number)).toBe(created!.id);
    expect(data.map(({ data: { status } }) => status)).toEqual([
      'active', undefined, 'active', 'inactive', 'active', 'deleted',
    ]); // prettier-ignore
  });

  it('shows a link as an update with linked: true', async () => {
    const at = await newHouse(service);
    const email = `${fresh()}@x.example`;
    const { body: known } = await at.api.post('/users', { email, first_name: 'A', last_name: 'B' });
    const { body: linked } = await at.scim.post('/Users', {
      ...user(email),
      emails: [{ value: email, primary: true }],
      name: { givenName: 'A', familyName: 'B' },
    });
    expect(linked.id).toBe(known.id);
    const { data } = await shows(at, 2);
    expect(data[1]).toMatchObject({ event: 'user.updated', data: { id: known.id, linked: true } });
  });

  it('has the same text of a body in the feed, the list and webhooks', async () => {
    const at = await newHouse(service);
    const data = '{"z":1.0,"a":"\\u00e9","n":123456789012345678,  "__proto__":[ ]}';
    await db.transaction(at.tenantId, (tx) =>
      service.app.nest.get(EventRecorder).record(tx, at.tenantId, [{ event: 'job.synced', record: 'job_1', data }]),
    );
    await shows(at, 1);
    const reader = service.app.nest.get(EventReader);
    const [stored] = await reader.ofRecord(at.tenantId, 'job_1', 10);
    const body = bodyText(stored!);
    expect(body).toContain(`"data":${data}}`);
    for (const address of ['/events', '/events?after=']) {
      expect((await at.api.get(address)).text).toContain(body.slice(1, -1));
    }
    expect(await reader.bySequences(at.tenantId, [stored!.sequence])).toEqual([stored]);
  });

  it.each([
    ['after=nothing', 'after'],
    ['after=evt_9000000000000000', 'after'],
    ['after=&limit=1001', 'limit'],
    ['after=&limit=0', 'limit'],
    ['after=&event=domain.lost', 'event'],
    ['after=&since=2026-01-01', 'since'],
    ['after=&cursor=x', 'cursor'],
  ])('refuses ?%s and names the option', async (query, field) => {
    const at = await newHouse(service);
    const { status, body } = await at.api.get(`/events?${query}`);
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  });

  it('refuses a position after which events were dropped, and names the oldest one', async () => {
    const at = await newHouse(service);
    await events.record(at.tenantId, [lost(1), lost(2), lost(3)]);
    const { data } = await shows(at, 3);
    const floor = Number(data[1]!.data['domain'] === '2.example' ? data[1]!.id.slice(4) : 0);
    await service.db.query(`insert into event_floors (tenant_id, sequence) values ($1, $2)`, [at.tenantId, floor]);
    const { status, body } = await at.api.get(`/events?after=${data[0]!.id}`);
    expect([status, body.code, body.oldest]).toEqual([410, 'position_too_old', data[1]!.id]);
    expect((await page(at, body.oldest)).data).toEqual([data[2]]);
    expect((await page(at, '')).data).toEqual([data[2]]);
  });

  it('shows nothing of another tenant, and is open to keys for webhooks', async () => {
    const [at, other] = [await newHouse(service), await newHouse(service)];
    await events.record(at.tenantId, [LOST]);
    const { data } = await shows(at, 1);
    expect((await page(other, '')).data).toEqual([]);
    expect((await page(other, data[0]!.id)).data).toEqual([]);
    for (const [scope, status] of [
      ['webhooks:manage', 200],
      ['audit:read', 200],
      ['candidates:read', 403],
    ] as const) {
      const { body } = await at.api.post('/api-keys', { name: scope, scopes: [scope] });
      const answer = await client(`${service.url}/api/v1`, body.api_key).get('/events?after=');
      expect([scope, answer.status]).toEqual([scope, status]);
    }
  });

  long('cuts a page of large events at a number of bytes, and loses none', async () => {
    const at = await newHouse(service);
    const data = JSON.stringify({ pad: 'x'.repeat(19_000) });
    const facts = Array.from({ length: 100 }, () => ({ event: 'job.synced', record: null, data }) as const);
    await db.transaction(at.tenantId, async (tx) => {
      for (let i = 0; i < 3; i++) await service.app.nest.get(EventRecorder).record(tx, at.tenantId, facts);
    });
    const seen: string[] = [];
    let pages = 0;
    let after = '';
    await eventually(
      async () => {
        const { data: part, next_after } = await page(at, after);
        if (part.length > 0) pages++;
        seen.push(...part.map(({ id }) => id));
        after = next_after ?? '';
        return seen.length;
      },
      (count) => count === 300,
    );
    expect(pages).toBeGreaterThan(2);
    expect(new Set(seen).size).toBe(300);
  });
});

long('describes each event of the catalogue as a webhook of the API', async () => {
  const { webhooks } = (await client(service.url, null).get('/docs/openapi.json')).body;
  expect(Object.keys(webhooks)).toEqual(EVENT_NAMES);
});

long(
  'skips and doubles no event of 20 writers when it is read from two processes in turn',
  async () => {
    const at = await newHouse(service);
    const second = await startApp({}, service);
    // Each process has a horizon of its own: a position of one can be ahead of the other.
    const there = { ...at, api: client(`${second.url}/api/v1`, at.apiKey) };
    const recorded = new Set<string>();
    let writing = true;
    const writer = async (n: number): Promise<void> => {
      for (let i = 0; i < 25; i++) {
        const names = [`${n}-${i}-a`, `${n}-${i}-b`];
        await service.db
          .transaction(at.tenantId, async (tx) => {
            for (const domain of names) {
              await events.record(at.tenantId, [{ event: 'domain.lost', data: { domain, problem: null } }], tx);
              await sleep(Math.random() * 30);
            }
            if (i % 7 === 6) throw new Error('taken back');
          })
          .then(
            () => names.forEach((name) => recorded.add(name)),
            () => undefined,
          );
      }
    };
    const seen: string[] = [];
    const ids: string[] = [];
    const reader = async (): Promise<void> => {
      let after = '';
      for (let quiet = 0, turn = 0; quiet < 20; turn++) {
        const { data, next_after } = await page(turn % 2 === 0 ? at : there, after, 17);
        for (const { id, data: fact } of data) {
          ids.push(id);
          seen.push(fact['domain'] as string);
        }
        after = next_after ?? '';
        quiet = writing || data.length > 0 ? 0 : quiet + 1;
      }
    };
    const reading = reader();
    await Promise.all(Array.from({ length: 20 }, (_, n) => writer(n)));
    writing = false;
    await reading.finally(() => second.close());
    expect(recorded.size).toBe(20 * 22 * 2);
    expect([...seen].sort()).toEqual([...recorded].sort());
    expect([...ids].sort()).toEqual(ids);
  },
  60_000,
);
