import { startApp, type TestApp } from '../../../support/app.js';
import { eventually } from '../../../support/http.js';
import { applicationOf, toldGreenhouse } from './support/told-greenhouse.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

it('applies the events of a killed worker within twenty seconds, and shows why they wait meanwhile', async () => {
  const ats = await toldGreenhouse(service);
  const { tenantId, connectionId } = ats;
  // What is left of a process that was killed: its lease, which no heartbeat renews.
  await service.db.query(
    `insert into work_entries as e (tenant_id, kind, id, free_at, holder)
     values ($1, 'ats.events', $2, now() + interval '15 seconds', 'killed')
     on conflict (tenant_id, kind, id) do update set free_at = excluded.free_at, holder = 'killed'`,
    [tenantId, connectionId],
  );
  const began = performance.now();
  await ats.send(
    'new_candidate_application',
    applicationOf({ person: 1, application: 11, at: new Date().toISOString() }),
  );
  const events = async () => (await ats.api.get(`/ats-connections/${connectionId}/events`)).body.data;
  expect((await events())[0]).toMatchObject({
    state: 'waiting',
    reason: 'under_way',
    detail: expect.stringContaining('continues within 20 seconds'),
  });
  await eventually(events, ([event]) => event.state === 'applied', 20_000);
  expect(performance.now() - began).toBeGreaterThan(5_000);
});
