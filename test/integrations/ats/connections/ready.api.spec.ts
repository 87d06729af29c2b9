import { WorkEntries, type ClaimedWork } from '../../../../src/engine/work/work-entries.repository.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { connectLever, until, type Connected } from '../../../support/ats.js';
import { long } from '../../../support/rounds.js';
import { hurry } from '../publish/support/lever-house.js';

// A connection that can be used again continues at once, however long it was to wait.
let service: TestApp;
let lever: LeverSimulator;
beforeAll(async () => {
  service = await sharedApp();
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
    `insert into work_entries as e (tenant_id, kind, id, failures, free_at)
     select $1, k, $2, 9, now() + interval '1 hour' from unnest(array['ats.events', 'ats.polls']) k
     on conflict (tenant_id, kind, id) do update set failures = 9, free_at = excluded.free_at, holder = null`,
    of,
  );
  await service.db.query(`update ats_syncs set next_at = now() where tenant_id = $1 and connection_id = $2`, of);
};

const pause = (ats: Connected) => ats.api.post(`${at(ats)}/pause`, {});
const resume = (ats: Connected) => ats.api.post(`${at(ats)}/resume`, {});
const change = (ats: Connected) => ats.api.patch(at(ats), key());

long.each([
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
  const { tenantId, connectionId: id } = ats;
  const entries = service.app.nest.get(WorkEntries, { strict: false });
  const turn: ClaimedWork = { tenantId, kind: 'ats.polls', id, holder: 'other', server: null, failures: 9 };
  await service.db.query(
    `insert into work_entries as e (tenant_id, kind, id, failures, free_at, holder)
     values ($1, 'ats.polls', $2, 9, now() + interval '15 seconds', 'other')
     on conflict (tenant_id, kind, id) do update set failures = 9, free_at = excluded.free_at, holder = 'other'`,
    [tenantId, id],
  );
  await ats.api.patch(at(ats), key());
  expect(await entries.release(turn, { state: 'failed', restMs: 3_600_000, reason: 'x' }, 3_600_000, null)).toBe(false);
  const rest = (await entries.stateOf(tenantId, 'ats.polls', id))?.notBefore?.getTime() ?? 0;
  expect(rest).toBeLessThan(Date.now() + 600_000);
});
