import { SyncsRepository } from '../../../../src/integrations/ats/sync/syncs.repository.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { connectLever, until, type Connected } from '../../../support/ats.js';
import { hurry } from '../publish/support/lever-house.js';

// A connection that can be used again continues at once, however long it was to wait.
let service: TestApp;
let lever: LeverSimulator;
beforeAll(async () => {
  service = await startApp();
  hurry(service);
  lever = await startLever({ rateFactor: 1_000 });
});
afterAll(async () => {
  await service.close();
  await lever.close();
});

const at = (ats: Connected) => `/ats-connections/${ats.connectionId}`;
const key = (): object => ({ credential: { kind: 'api_key', key: lever.apiKey } });
const wait = async (ats: Connected): Promise<void> => {
  const of = [ats.tenantId, ats.connectionId];
  await service.db.query(
    `insert into ats_inboxes as i (tenant_id, connection_id, fence, failures, not_before)
     values ($1, $2, 1, 9, now() + interval '1 hour')
     on conflict (tenant_id, connection_id) do update set failures = 9, not_before = now() + interval '1 hour'`,
    of,
  );
  await service.db.query(
    `update ats_syncs set failures = 9, next_at = now() + interval '1 hour' where tenant_id = $1 and connection_id = $2`,
    of,
  );
};

const pause = (ats: Connected) => ats.api.post(`${at(ats)}/pause`, {});
const resume = (ats: Connected) => ats.api.post(`${at(ats)}/resume`, {});
const change = (ats: Connected) => ats.api.patch(at(ats), key());

it.each([
  ['another credential', wait, change],
  ['the end of a pause', async (ats: Connected) => (await pause(ats), await wait(ats)), resume],
])('applies waiting events and continues to read after %s', async (_, rest, act) => {
  const posting = lever.add.posting({ silent: true });
  const person = lever.add.opportunity({ posting: posting.id, silent: true });
  const ats = await connectLever(service, lever);
  await rest(ats);
  lever.change(person.id, { name: 'Renamed Later' }, { silent: true });
  const before = (await ats.runs()).length;
  await ats.deliver(lever.message('candidateStageChange', { opportunityId: person.id }));
  expect(await ats.events('?state=waiting')).toHaveLength(1);
  await act(ats);
  await until(async () => (await ats.events('?state=waiting')).length === 0, 8_000);
  await until(async () => (await ats.runs()).length > before, 8_000);
});

it('does not delay the next turn when one still calls with the former credential', async () => {
  const ats = await connectLever(service, lever);
  const syncs = service.app.nest.get(SyncsRepository, { strict: false });
  const of = { tenantId: ats.tenantId, connectionId: ats.connectionId };
  const turn = await claimed(async () => {
    await service.db.query(`update ats_syncs set next_at = now() where tenant_id = $1`, [ats.tenantId]);
    return syncs.claim(of);
  });
  await ats.api.patch(at(ats), key());
  await syncs.failed(turn, null, 3_600_000);
  const { rows } = await service.db.query<{ soon: boolean }>(
    `select next_at < now() + interval '10 minutes' as soon from ats_syncs where tenant_id = $1`,
    [ats.tenantId],
  );
  expect(rows).toEqual([{ soon: true }]);
});

/** Asks until there is an answer: the worker of the service may have the lease. */
async function claimed<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await ask();
    if (found !== null) return found;
  }
}
