import { sharedApp, type TestApp } from '../../../support/app.js';
import { connectLever, until } from '../../../support/ats.js';
import { eventsOf } from '../../../support/candidates.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { long } from '../../../support/rounds.js';

let service: TestApp;
let lever: LeverSimulator;
beforeAll(async () => {
  service = await sharedApp();
});
beforeEach(async () => {
  lever = await startLever({ rateFactor: 1000 });
});
afterEach(() => lever.close());
afterAll(() => service.close());

long('imports at first without events of single records, and records the end', async () => {
  const posting = lever.add.posting({ text: 'Engineer' });
  lever.fill(250, { posting: posting.id });
  lever.add.posting({ text: 'Old', state: 'closed' });
  lever.add.opportunity({ posting: posting.id, archived: { reason: 'x', archivedAt: 1 }, silent: true });
  const ats = await connectLever(service, lever);
  const [run] = await ats.runs();
  expect(run).toMatchObject({ state: 'done', full: true, reason: 'first', counts: { created: 251, not_taken: 2 } });
  const { rows } = await service.db.query<{ event: string; n: number }>(
    `select event, count(*)::int as n from events where tenant_id = $1 group by event`,
    [ats.tenantId],
  );
  expect(rows).toEqual([{ event: 'ats.sync_completed', n: 1 }]);
  expect((await ats.api.get('/jobs')).body.data).toHaveLength(1);
});

long('finds changes with the next pass, and records their events', async () => {
  const posting = lever.add.posting();
  const person = lever.add.opportunity({ posting: posting.id, silent: true });
  const ats = await connectLever(service, lever);
  lever.change(person.id, { name: 'Tomas Neu' }, { silent: true });
  lever.changePosting(posting.id, { text: 'Renamed' });
  expect(await ats.sync()).toMatchObject({ state: 'done', full: false });
  const [candidate] = await ats.candidates();
  expect(candidate).toMatchObject({ last_name: 'Neu', job_title: 'Renamed' });
  const events = await eventsOf(service, ats.tenantId, String(candidate!['id']));
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['candidate.updated']));
});

long('closes and removes records that the ATS has no more, by its lists and by a full pass', async () => {
  const posting = lever.add.posting();
  const other = lever.add.posting();
  const [first, second, third] = [1, 2, 3].map((n) =>
    lever.add.opportunity({ posting: posting.id, silent: true, emails: [`p${n}@x.example`] }),
  );
  const ats = await connectLever(service, lever);
  lever.remove(first!.id, { silent: true });
  await ats.sync();
  expect(await ats.candidates()).toHaveLength(2);
  lever.opportunities.delete(second!.id);
  lever.postings.delete(other.id);
  expect(await ats.sync(true)).toMatchObject({ state: 'done', full: true, counts: { deleted: 1, closed: 1 } });
  expect((await ats.candidates()).map((one) => one['external_id'])).toEqual([`lv_${third!.id}`]);
  expect((await ats.api.get('/jobs?status=closed')).body.data).toHaveLength(1);
});

long('ends a list that goes in a circle with a reason, and resumes at its place after an outage', async () => {
  const posting = lever.add.posting();
  lever.fill(150, { posting: posting.id });
  const ats = await connectLever(service, lever);
  lever.fault({ kind: 'repeat_cursor', path: '/opportunities', times: null });
  const run = await ats.sync(true);
  expect(run).toMatchObject({ state: 'failed', error: expect.stringContaining('same next page') });
  expect(await ats.candidates()).not.toHaveLength(0);
  lever.faults.clear();
  lever.fault({ kind: 'status', status: 500, path: '/opportunities', times: 1 });
  expect(await ats.sync(true)).toMatchObject({ state: 'waiting' });
  await ats.api.post(`/ats-connections/${ats.connectionId}/sync`, { full: true });
  await until(async () => (await ats.runs())[0]!['state'] === 'done');
});

long('answers 409 with the fields of the ATS that would change, and shares the metadata by key', async () => {
  const posting = lever.add.posting();
  lever.add.opportunity({ posting: posting.id, silent: true });
  const ats = await connectLever(service, lever);
  const [candidate] = await ats.candidates();
  const path = `/candidates/${String(candidate!['id'])}`;
  const refused = await ats.api.patch(path, { email: 'new@x.example', metadata: { ats: 'other', own: 1.0 } });
  expect([refused.status, refused.body.code]).toEqual([409, 'managed_by_ats']);
  expect(refused.body.errors.map(({ field }: { field: string }) => field)).toEqual(['email', 'metadata.ats']);
  const taken = await ats.api.patch(path, { email: candidate!['email'], metadata: { own: 1, ats_priority: 'high' } });
  expect(taken.body.metadata).toMatchObject({ own: 1, ats_priority: 'high', ats: 'lever' });
  await ats.sync(true);
  expect((await ats.api.get(path)).body.metadata).toMatchObject({ own: 1, ats_priority: 'high', ats: 'lever' });
  const [job] = (await ats.api.get('/jobs')).body.data;
  expect((await ats.api.delete(`/jobs/${job.id}`)).body.code).toBe('managed_by_ats');
  expect((await ats.api.put(`/jobs/by-external-id/${job.external_id}`, { title: 'Other' })).status).toBe(409);
  expect((await ats.api.put(`/jobs/by-external-id/${job.external_id}`, { title: job.title })).status).toBe(200);
  expect((await ats.api.delete(path)).status).toBe(204);
  await ats.sync(true);
  expect(await ats.candidates()).toEqual([]);
});
