import { backlog } from '../../../../src/engine/delivery/lanes/read.js';
import { Harness } from '../../../forwarding/harness.js';

let h: Harness;
beforeAll(async () => {
  h = await Harness.start();
});
afterAll(() => h.stop());

it('counts each channel alone, and changes for a platform that is not named yet', async () => {
  expect(await backlog(h.db, 'platform')).toEqual({ waiting: 0, parked: 0, oldestSeconds: 0 });
  const add = (tenant: string, channel: string, destination: string, subject: string, minutes: number) =>
    h.db.query(
      `insert into lanes (tenant_id, channel, destination, subject, state, target_state, target_body, rank, first_pending,
         last_pending, pending_since)
       values ($1, $2, $3, $4, 'due', 'active', '', 1, 1, 1, now() - $5 * interval '1 minute')`,
      [tenant, channel, destination, subject, minutes],
    );
  const [one, two] = [await h.tenant('one'), await h.tenant('two')];
  await add(one, 'webhook', 'whk_1', 'evt_1', 500);
  await add(one, 'webhook', 'whk_2', 'evt_1', 500);
  await add(one, 'platform', 'main', 'usr_1', 1);
  await add(one, 'platform', 'main', 'usr_2', 2);
  await add(two, 'webhook', 'whk_3', 'evt_2', 500);
  await add(two, 'platform', 'main', 'usr_3', 3);
  await h.db.query(`delete from destinations where tenant_id = $1`, [two]);
  const { waiting, parked, oldestSeconds } = await backlog(h.db, 'platform');
  expect([waiting, parked]).toEqual([3, 0]);
  expect(Math.round(oldestSeconds / 60)).toBe(3);
  const endpoints = await backlog(h.db, 'webhook');
  expect([endpoints.waiting, Math.round(endpoints.oldestSeconds / 60)]).toEqual([3, 500]);
});
