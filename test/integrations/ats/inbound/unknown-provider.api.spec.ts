import { startApp, type TestApp } from '../../../support/app.js';
import { connectLever, until } from '../../../support/ats.js';
import { startLever } from '../../../simulators/index.js';
import { long } from '../../../support/rounds.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

long('keeps events of a provider that this version does not know waiting, with pauses between tries', async () => {
  const lever = await startLever({ rateFactor: 1_000 });
  const ats = await connectLever(service, null);
  await ats.api.post(`/ats-connections/${ats.connectionId}/pause`, {});
  await ats.deliver(lever.message('candidateStageChange', { opportunityId: 'o-1' }));
  await service.db.query(`update ats_connections set provider = 'later', paused = false where tenant_id = $1`, [
    ats.tenantId,
  ]);
  await until(async () => {
    const { rows } = await service.db.query(
      `select 1 from work_entries where tenant_id = $1 and kind = 'ats.events' and failures > 0 and free_at > now()`,
      [ats.tenantId],
    );
    return rows.length === 1;
  });
  await until(async () => {
    const { rows } = await service.db.query(`select 1 from ats_problems where tenant_id = $1 and detail = $2`, [
      ats.tenantId,
      'unknown_provider',
    ]);
    return rows.length === 1;
  });
  await lever.close();
});
