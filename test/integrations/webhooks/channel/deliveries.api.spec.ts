import { startApp, type TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import { eventually } from '../../../support/http.js';
import { fresh } from '../../../support/scim.js';
import { EndpointStore } from '../../../../src/integrations/webhooks/endpoint.store.js';
import { long } from '../../../support/rounds.js';
import { endpointAt, isSigned, Receiver } from './receiver.js';

let service: TestApp;
const receivers: Receiver[] = [];
const receiver = async (): Promise<Receiver> => {
  const made = await new Receiver().start();
  receivers.push(made);
  return made;
};
beforeAll(async () => {
  service = await startApp({ WEBHOOK_RETRIES: '1s,1s' });
});
afterAll(async () => {
  await service.close();
  for (const one of receivers) await one.stop();
});

const made = async ({ api }: House): Promise<{ id: string; external_id: string }> => {
  const person = { first_name: 'A', last_name: 'B', email: `${fresh()}@x.example`, external_id: fresh('gh_') };
  const { status, body, text } = await api.post('/candidates', person);
  if (status !== 201) throw new Error(text);
  return body;
};
const rename = ({ api }: House, id: string, name: string) => api.patch(`/candidates/${id}`, { first_name: name });
const arrivedAt = (at: Receiver, count: number) =>
  eventually(
    () => Promise.resolve(at.arrived),
    (arrived) => arrived.length >= count,
    20_000,
  );
const lanesOf = async (tenantId: string, endpoint: string) =>
  (
    await service.db.query<{ subject: string; state: string; failure_count: number }>(
      `select subject, state, failure_count from lanes where tenant_id = $1 and channel = 'webhook' and destination = $2`,
      [tenantId, endpoint],
    )
  ).rows;
const destinationOf = async (tenantId: string, id: string) =>
  (
    await service.db.query<{ state: string; state_reason: string | null; failing_since: Date | null }>(
      `select state, state_reason, failing_since from destinations where tenant_id = $1 and channel = 'webhook' and id = $2`,
      [tenantId, id],
    )
  ).rows[0]!;

describe('an event', () => {
  it('arrives signed at each endpoint that takes it, under one id', async () => {
    const at = await newHouse(service);
    const [one, two, other] = [await receiver(), await receiver(), await receiver()];
    const first = await endpointAt(service, at.tenantId, { url: one.url });
    const second = await endpointAt(service, at.tenantId, { url: two.url, events: ['candidate.created'] });
    await endpointAt(service, at.tenantId, { url: other.url, events: ['job.synced'] });
    const { id } = await made(at);
    const [[a], [b]] = [await arrivedAt(one, 1), await arrivedAt(two, 1)];
    expect(a!.event).toBe('candidate.created');
    expect(a!.data.id).toBe(id);
    expect(a!.id).toBe(b!.id);
    expect(a!.id).toMatch(/^evt_\d{16}$/);
    expect(isSigned(a!, first.secret)).toBe(true);
    expect(isSigned(a!, second.secret)).toBe(false);
    expect(isSigned(b!, second.secret)).toBe(true);
    await eventually(
      () => lanesOf(at.tenantId, first.id),
      (lanes) => lanes.length === 0,
    );
    expect(other.arrived).toHaveLength(0);
  });

  it.each([[[]], [['job.synced']]])(
    'arrives from a process that does not know the endpoint yet (it knows %j)',
    async (events) => {
      const at = await newHouse(service);
      const one = await receiver();
      const { id } = await endpointAt(service, at.tenantId, { url: one.url });
      const store = service.app.nest.get(EndpointStore, { strict: false });
      const endpoint = (await store.get(at.tenantId, id))!;
      const get = store.get.bind(store);
      store.get = () => Promise.resolve(events.length === 0 ? undefined : { ...endpoint, events: ['job.synced'] });
      try {
        const { id: candidate } = await made(at);
        expect((await arrivedAt(one, 1))[0]!.data.id).toBe(candidate);
      } finally {
        store.get = get;
      }
    },
  );

  it('of a user is the change that was recorded', async () => {
    const at = await newHouse(service);
    const one = await receiver();
    await endpointAt(service, at.tenantId, { url: one.url, events: ['user.created', 'user.deactivated'] });
    const userName = `${fresh()}@x.example`;
    const user = await at.scim.post('/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName,
      name: { givenName: 'Ann', familyName: 'Lee' },
      active: true,
    });
    expect(user.status).toBe(201);
    await at.scim.patch(`/Users/${user.body.id}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    });
    const arrived = await arrivedAt(one, 2);
    expect(arrived.map(({ event }) => event)).toEqual(['user.created', 'user.deactivated']);
    expect(arrived[1]!.data).toMatchObject({ id: user.body.id, first_name: 'Ann', status: 'inactive' });
  });
});

describe('a failing endpoint', () => {
  long('gets the same id and bytes again, with a fresh time and signature', async () => {
    const at = await newHouse(service);
    const one = await receiver();
    one.reply = () => (one.arrived.length === 1 ? 500 : 200);
    const { secret } = await endpointAt(service, at.tenantId, { url: one.url });
    await made(at);
    const [a, b] = await arrivedAt(one, 2);
    expect([b!.id, b!.body]).toEqual([a!.id, a!.body]);
    expect(Number(b!.headers['webhook-timestamp'])).toBeGreaterThan(Number(a!.headers['webhook-timestamp']) - 1);
    expect(b!.at - a!.at).toBeGreaterThan(700);
    expect([isSigned(a!, secret), isSigned(b!, secret)]).toEqual([true, true]);
  });

  long('delays no other message, unless it asks for order', async () => {
    const at = await newHouse(service);
    const [loose, ordered] = [await receiver(), await receiver()];
    for (const one of [loose, ordered]) {
      let failures = 0;
      one.reply = ({ data }) => (data.first_name === 'A' && failures++ < 1 ? 503 : 204);
      await endpointAt(service, at.tenantId, { url: one.url, ordered: one === ordered });
    }
    const { id } = await made(at);
    const other = await made(at);
    await rename(at, id, 'C');
    await rename(at, id, 'D');
    await arrivedAt(loose, 5);
    await arrivedAt(ordered, 5);
    const ofFirst = (one: Receiver): string[] => one.records.filter((record) => record.startsWith(id));
    expect(ofFirst(loose)).toEqual([`${id} 1`, `${id} 2`, `${id} 3`, `${id} 1`]);
    expect(ofFirst(ordered)).toEqual([`${id} 1`, `${id} 1`, `${id} 2`, `${id} 3`]);
    expect(ordered.records.indexOf(`${other.id} 1`)).toBeLessThan(4);
  });

  long(
    'does not get a message any more after its last attempt; the next ones are sent, and the message is kept',
    async () => {
      const at = await newHouse(service);
      for (const ordered of [false, true]) {
        const one = await receiver();
        one.reply = ({ data }) => (data.first_name === 'A' ? 500 : 204);
        const endpoint = await endpointAt(service, at.tenantId, { url: one.url, ordered });
        const { id } = await made(at);
        await rename(at, id, 'E');
        await arrivedAt(one, 4);
        await eventually(
          () => lanesOf(at.tenantId, endpoint.id),
          (lanes) => lanes.length === 0,
        );
        expect(one.records.filter((record) => record === `${id} 1`)).toHaveLength(3);
        const { rows } = await service.db.query(
          `select record, event, reason from webhook_given_up where tenant_id = $1 and endpoint_id = $2`,
          [at.tenantId, endpoint.id],
        );
        expect(rows).toEqual([{ record: id, event: 'candidate.created', reason: 'status_500' }]);
      }
    },
  );

  long('that answers 410 is disabled at once; messages wait, and the other endpoints get an event', async () => {
    const at = await newHouse(service);
    const [gone, other] = [await receiver(), await receiver()];
    gone.reply = () => 410;
    const endpoint = await endpointAt(service, at.tenantId, { url: gone.url });
    await endpointAt(service, at.tenantId, { url: other.url, events: ['webhook.disabled'] });
    await made(at);
    const [told] = await arrivedAt(other, 1);
    expect(told!.data).toEqual({ endpoint_id: endpoint.id, reason: 'gone', failing_since: null });
    expect(await destinationOf(at.tenantId, endpoint.id)).toMatchObject({ state: 'paused', state_reason: 'gone' });
    await made(at);
    await eventually(
      () => lanesOf(at.tenantId, endpoint.id),
      (lanes) => lanes.filter(({ state }) => state === 'due').length === 2,
    );
    expect(gone.arrived).toHaveLength(1);
  });

  long(
    'is disabled after five days of nothing but failures, with a warning before, and an event when it recovers',
    async () => {
      const at = await newHouse(service);
      const [bad, other] = [await receiver(), await receiver()];
      bad.reply = () => 500;
      const endpoint = await endpointAt(service, at.tenantId, { url: bad.url, events: ['candidate.created'] });
      await endpointAt(service, at.tenantId, {
        url: other.url,
        events: ['webhook.failing', 'webhook.disabled', 'webhook.recovered'],
      });
      const age = (interval: string) =>
        service.db.query(
          `update destinations set failing_since = now() - $3::interval, version = version + 1
         where tenant_id = $1 and channel = 'webhook' and id = $2`,
          [at.tenantId, endpoint.id, interval],
        );
      await made(at);
      await arrivedAt(bad, 1);
      await eventually(
        () => destinationOf(at.tenantId, endpoint.id),
        ({ failing_since }) => failing_since !== null,
      );
      await age('61 hours');
      const [half] = await arrivedAt(other, 1);
      expect(half!.data).toMatchObject({ endpoint_id: endpoint.id, stage: 'half_time', reason: 'status_500' });
      bad.reply = () => 200;
      const [, recovered] = await arrivedAt(other, 2);
      expect(recovered!.event).toBe('webhook.recovered');
      bad.reply = () => 500;
      await made(at);
      await eventually(
        () => destinationOf(at.tenantId, endpoint.id),
        ({ failing_since }) => failing_since !== null,
      );
      await age('5 days');
      const [, , ended] = await arrivedAt(other, 3);
      expect([ended!.event, ended!.data.reason]).toEqual(['webhook.disabled', 'failing']);
      expect(await destinationOf(at.tenantId, endpoint.id)).toMatchObject({ state: 'paused', state_reason: 'failing' });
    },
  );
});
