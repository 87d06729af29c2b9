import { startAshby, startLever, type AshbySimulator, type LeverSimulator } from '../../../simulators/index.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { connectAshby, connectLever, until } from '../../../support/ats.js';
import { long } from '../../../support/rounds.js';

// To whom a record belongs: two connections that claim it, every way in which the API could change it, and the end.

let service: TestApp;
let lever: LeverSimulator;
let ashby: AshbySimulator;
beforeAll(async () => {
  service = await sharedApp();
});
beforeEach(async () => {
  lever = await startLever({ rateFactor: 1_000 });
  ashby = await startAshby({ rateFactor: 1_000 });
});
afterEach(async () => {
  await lever.close();
  await ashby.close();
});
afterAll(() => service.close());

long('names a record of another connection, and does not change it', async () => {
  const job = ashby.add.job({ silent: true }).id;
  ashby.add.candidate({ id: '1', name: 'Owned First', job, silent: true });
  const first = await connectAshby(service, ashby, { marker: 'x_' });
  // Its records are still those of another connection, which is deleted while they are given to the API.
  await service.db.query(`update candidates set ats_connection_id = 'ats_other' where tenant_id = $1`, [
    first.tenantId,
  ]);
  await service.db.query(`delete from ats_records where tenant_id = $1 and kind = 'candidate'`, [first.tenantId]);
  const [before] = await first.candidates();
  ashby.change('1', { name: 'Claims Second' });
  const second = first;
  await second.sync(true);
  const [run] = await second.runs();
  expect(run).toMatchObject({ state: 'done', counts: { left_out: 1 } });
  expect(run!['left_out']).toEqual([
    { remote_id: '1', reason: 'Another connection has brought the record with this external_id.' },
  ]);
  await second.deliver(ashby.message('candidateEdit', { candidate: { id: '1' } }));
  await second.settled();
  expect((await second.events('?remote_id=1'))[0]).toMatchObject({
    state: 'failed',
    reason: 'claimed_by_another_connection',
  });
  await second.deliver(ashby.message('candidateDelete', { candidate: { id: '1' } }));
  await second.settled();
  expect(await first.candidates()).toEqual([before]);
});

long('refuses changes of fields of the ATS by each channel, and accepts equal values', async () => {
  const posting = lever.add.posting({ text: 'Engineer' });
  lever.add.opportunity({ posting: posting.id, silent: true });
  const ats = await connectLever(service, lever);
  const [found] = await ats.candidates();
  const { id, external_id, email, first_name, last_name } = found as Record<string, string>;
  const same = { email, first_name, last_name };
  const byId = `/candidates/by-external-id/${external_id}`;
  const job = (await ats.api.get('/jobs')).body.data[0];
  const refused = [
    await ats.api.patch(`/candidates/${id}`, { last_name: 'Other' }),
    await ats.api.patch(`/candidates/${id}`, { metadata: { ats_stage: 'Mine' } }),
    await ats.api.patch(`/candidates/${id}`, { metadata: { ats: null } }),
    await ats.api.put(byId, { ...same, last_name: 'Other' }),
    await ats.api.post('/candidates?if_exists=update', { ...same, external_id, last_name: 'Other' }),
    await ats.api.put(`/jobs/by-external-id/${job.external_id}`, { title: 'Other' }),
    await ats.api.delete(`/jobs/${job.id}`),
  ];
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [409, 'managed_by_ats']));
  const taken = [
    await ats.api.patch(`/candidates/${id}`, { ...same, metadata: { ats: 'lever', own: 'x' } }),
    await ats.api.put(byId, same),
    await ats.api.put(`/jobs/by-external-id/${job.external_id}`, { title: job.title }),
  ];
  expect(taken.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await ats.candidates())[0]).toMatchObject({ ...same, metadata: { ats: 'lever' } });
});

long('gives records to the API when it is disconnected, dismisses events, and takes records again', async () => {
  const posting = lever.add.posting();
  const person = lever.add.opportunity({ posting: posting.id, silent: true });
  const ats = await connectLever(service, lever);
  const [before] = await ats.candidates();
  const path = `/candidates/${String(before!['id'])}`;
  await ats.api.post(`/ats-connections/${ats.connectionId}/pause`, {});
  await ats.tell('candidateStageChange', { opportunityId: person.id });
  expect((await ats.api.post(`/ats-connections/${ats.connectionId}/disconnect`, {})).status).toBe(200);
  expect((await ats.events())[0]).toMatchObject({ state: 'dismissed', reason: 'disconnected' });
  await until(async () => (await ats.api.patch(path, { last_name: 'Ours' })).status === 200);
  const [job] = (await ats.api.get('/jobs')).body.data;
  expect((await ats.api.put(`/jobs/by-external-id/${job.external_id}`, { title: 'Ours' })).status).toBe(200);
  expect((await ats.api.delete(`/ats-connections/${ats.connectionId}`)).status).toBe(204);
  const again = await connectLever(service, lever, {}, ats);
  expect(await again.candidates()).toMatchObject([{ id: before!['id'], last_name: before!['last_name'] }]);
  expect((await again.api.patch(path, { last_name: 'Ours' })).body.code).toBe('managed_by_ats');
});
