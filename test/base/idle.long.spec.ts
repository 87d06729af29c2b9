import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Activity } from '../../src/base/activity.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/http.js';
import { seed } from '../support/many-tenants.js';

// What a service with many tenants at rest asks of its database: counted at the driver, with nothing left out.
const TENANTS = 500;
const WINDOW_S = 20;
const MOST_A_SECOND = 10;

const sent: string[] = [];
// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its client below
const query = pg.Client.prototype.query;
let service: TestApp;

beforeAll(async () => {
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    sent.push(typeof args[0] === 'string' ? args[0] : String((args[0] as { text?: string }).text));
    return (query as (...given: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  service = await startApp();
  await seed(
    service.db,
    `select 'ten_idle' || lpad(t::text, 8, '0'), 'dir_idle' || t, 'idle' || t, 20 from generate_series(1, ${TENANTS}) t`,
  );
}, 120_000);
afterAll(async () => {
  pg.Client.prototype.query = query;
  await service.close();
});

it('asks at most ten statements a second while nothing happens, however many tenants there are', async () => {
  const activity = service.app.nest.get(Activity);
  await eventually(() => Promise.resolve(activity.isQuiet()), (quiet) => quiet, 60_000); // prettier-ignore
  // The pauses that began before.
  await sleep(2_000);
  sent.length = 0;
  const began = performance.now();
  await sleep(WINDOW_S * 1_000);
  const seconds = (performance.now() - began) / 1_000;
  const kinds = new Map<string, number>();
  for (const text of sent) kinds.set(text, (kinds.get(text) ?? 0) + 1);
  expect([...kinds].filter(([, times]) => times / seconds > 4)).toEqual([]);
  expect(sent.length).toBeLessThan(MOST_A_SECOND * seconds);
}, 120_000);
