import { sharedApp, type TestApp } from '../support/app.js';
import { until } from '../forwarding/harness.js';
import { newHouse, type House } from '../support/house.js';
import { madeGroup, madeUser } from '../support/scim.js';

let service: TestApp;
let at: House;
beforeAll(async () => {
  service = await sharedApp();
  at = await newHouse(service);
  await madeUser(at.scim);
  await madeGroup(at.scim);
});
afterAll(() => service.close());

const EDGES = [
  '0000-01-01T00:00:00Z',
  '0000-02-29T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '0001-01-01T00:30:00-00:30',
  '9999-12-31T23:59:59.999999Z',
  '9999-12-31T23:59:59-12:00',
  '9999-12-31T23:59:59+12:00',
  '2024-02-30T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:59:60Z',
  '2026-01-01T00:00:00+99:99',
  '2026-01-01T00:00:00-23:59',
];
const DAYS = ['0000-01-01', '0001-01-01', '9999-12-31', '9999-12-30', '2024-02-30'];

describe('a moment at the edge of the calendar', () => {
  it.each(EDGES)('is answered or refused in a SCIM filter: %s', async (time) => {
    for (const type of ['Users', 'Groups']) {
      for (const filter of [
        `meta.created gt "${time}"`,
        `meta.lastModified eq "${time}"`,
        `not (meta.created le "${time}")`,
      ]) {
        const { status, body } = await at.scim.get(`/${type}?filter=${encodeURIComponent(filter)}`);
        if (status !== 200) expect([filter, status, body.scimType]).toEqual([filter, 400, 'invalidFilter']);
      }
    }
  });

  it.each([...EDGES, ...DAYS])('is answered or refused by every route that takes a time: %s', async (time) => {
    const text = encodeURIComponent(time);
    for (const path of [
      `/users?updated_since=${text}`,
      `/changes?since=${text}`,
      `/audit?since=${text}`,
      `/audit?until=${text}`,
      `/leavers?since=${text}`,
      `/leavers?until=${text}`,
      `/sign-ins?since=${text}`,
      `/seats?as_of=${text}`,
      `/seats/holders?as_of=${text}`,
      `/seats/holders?format=csv&as_of=${text}`,
      `/seats/usage?from=${text}&to=9999-12-31`,
      `/seats/usage?from=2026-01-01&to=${text}`,
      `/seats/usage?from=${text}&to=${text}&interval=month&format=csv`,
    ]) {
      const { status } = await at.api.get(path);
      if (status !== 200) expect([path, status]).toEqual([path, 422]);
    }
  });

  it.each([...EDGES, ...DAYS])('makes no endless task: changes resend --since %s', async (since) => {
    const { status, body } = await at.api.post('/changes/resend', { since });
    if (status !== 202) {
      expect(status).toBe(422);
      return;
    }
    // A task that is taken ends: the next one of the list is not refused as one too many.
    await until(async () => {
      const { body: list } = await at.api.get('/tasks');
      const job = (list.data as { id: string; state: string }[]).find(({ id }) => id === body.id);
      return job?.state === 'done';
    });
  });
});
