import { startApp, type TestApp } from '../../../support/app.js';
import { newHouse } from '../../../support/house.js';
import { client, eventually } from '../../../support/http.js';
import { fresh } from '../../../support/scim.js';
import { endpointAt, Receiver } from './receiver.js';

const RECORDS = 12;
const CHANGES = 6;

let service: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  service = await startApp({ WEBHOOK_RETRIES: '1s' });
  receiver = await new Receiver().start();
});
afterAll(async () => {
  await service.close();
  await receiver.stop();
});

it('loses and doubles no message over two processes and rolling restarts, and keeps the order of each record', async () => {
  const at = await newHouse(service);
  let out = 0;
  const together = new Map<string, number>();
  let most = 0;
  receiver.reply =
    ({ data }) =>
    (res) => {
      const now = (together.get(data.id) ?? 0) + 1;
      together.set(data.id, now);
      most = Math.max(most, now);
      out++;
      setTimeout(() => {
        together.set(data.id, together.get(data.id)! - 1);
        res.writeHead(204).end();
      }, 5);
    };
  await endpointAt(service, at.tenantId, { url: receiver.url, ordered: true });
  const ids = await Promise.all(
    Array.from({ length: RECORDS }, async () => {
      const person = { first_name: '0', last_name: 'B', email: `${fresh()}@x.example`, external_id: fresh('gh_') };
      return (await at.api.post('/candidates', person)).body.id as string;
    }),
  );
  for (let n = 1; n <= CHANGES; n++) {
    // A process begins and ends while events are written and delivered.
    const beside = await startApp({ WEBHOOK_RETRIES: '1s' }, service);
    const doors = [at.api, client(`${beside.url}/api/v1`, at.apiKey)];
    await Promise.all(
      ids.map(async (id, i) => {
        const { status } = await doors[i % 2]!.patch(`/candidates/${id}`, { first_name: String(n) });
        expect(status).toBe(200);
      }),
    );
    await beside.close();
  }
  const expected = RECORDS * (CHANGES + 1);
  await eventually(
    () => Promise.resolve(receiver.arrived.length),
    (count) => count >= expected,
    30_000,
  );
  await eventually(
    async () => (await service.db.query(`select 1 from lanes where tenant_id = $1`, [at.tenantId])).rowCount,
    (count) => count === 0,
  );
  expect(out).toBe(expected);
  expect(most).toBe(1);
  for (const id of ids) {
    const own = receiver.arrived.filter(({ data }) => data.id === id).map(({ data }) => Number(data.sequence));
    expect(own).toEqual(Array.from({ length: CHANGES + 1 }, (_, i) => i + 1));
  }
});
