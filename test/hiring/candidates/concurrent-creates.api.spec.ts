import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse } from '../../support/house.js';
import { long } from '../../support/rounds.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const COUNT = 40;
const METADATA = '{ "b" : 1.10, "a": "\\u0041 {\\"x\\"} \\\\ NULL", "n": 123456789012345678 }';

long(
  'creates candidates of concurrent requests each with its own metadata, letter for letter, and its own event',
  async () => {
    const house = await newHouse(service);
    const create = (i: number) =>
      fetch(`${service.url}/api/v1/candidates`, {
        method: 'POST',
        headers: { authorization: `Bearer ${house.apiKey}`, 'content-type': 'application/json' },
        body: `{"first_name":"{A,${i}}","last_name":"\\"B\\\\","email":"c${i}@example.com","external_id":"gh_${i}","metadata":${METADATA}}`,
      });
    const answers = await Promise.all(
      Array.from({ length: COUNT }, async (_, i) => {
        const answer = await create(i);
        return { status: answer.status, text: await answer.text() };
      }),
    );
    answers.forEach(({ status, text }, i) => {
      expect([status, text.includes(`"external_id":"gh_${i}"`), text.includes(METADATA)]).toEqual([201, true, true]);
    });
    const { rows } = await service.db.query<{ external_id: string; first_name: string; same: boolean }>(
      `select external_id, first_name, metadata::text = $2 as same from candidates where tenant_id = $1`,
      [house.tenantId, METADATA],
    );
    expect(rows).toHaveLength(COUNT);
    for (const { external_id: key, first_name: name, same } of rows) {
      expect([name, same]).toEqual([`{A,${key.slice(3)}}`, true]);
    }
    const again = await Promise.all(Array.from({ length: COUNT }, (_, i) => create(i)));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([409]));
    const events = await service.db.query<{ n: number }>(
      `select count(*)::int as n from events where tenant_id = $1 and event = 'candidate.created'`,
      [house.tenantId],
    );
    expect(events.rows).toEqual([{ n: COUNT }]);
  },
);
