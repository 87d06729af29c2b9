import { setTimeout as sleep } from 'node:timers/promises';
import { startApp, type TestApp } from '../../support/app.js';
import { connectLever, until } from '../../support/ats.js';
import { startLever } from '../../simulators/index.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

it('lets the events of a provider that this version does not know wait, and does not spin', async () => {
  const lever = await startLever({});
  const ats = await connectLever(service, null);
  await ats.api.post(`/ats-connections/${ats.connectionId}/pause`, {});
  await ats.deliver(lever.message('candidateStageChange', { opportunityId: 'o-1' }));
  await service.db.query(`update ats_connections set provider = 'later', paused = false where tenant_id = $1`, [
    ats.tenantId,
  ]);
  const claims = async (): Promise<number> =>
    Number(
      (await service.db.query<{ fence: string }>(`select fence from ats_inboxes where tenant_id = $1`, [ats.tenantId]))
        .rows[0]?.fence ?? 0,
    );
  await until(async () => (await claims()) > 0);
  await sleep(3_000);
  expect(await claims()).toBeLessThanOrEqual(4);
  await until(async () => {
    const { rows } = await service.db.query(`select 1 from ats_problems where tenant_id = $1 and detail = $2`, [
      ats.tenantId,
      'unknown_provider',
    ]);
    return rows.length === 1;
  });
  await lever.close();
});
