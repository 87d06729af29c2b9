import { createHmac } from 'node:crypto';
import { startAshby, startLever, type AshbySimulator, type LeverSimulator } from '../../../simulators/index.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { connectAshby, connectLever, until, type Connected } from '../../../support/ats.js';
import { long, someOf } from '../../../support/rounds.js';
import { hurry } from '../publish/support/lever-house.js';

// What ATSs answer besides what they document, and clocks that are wrong: each has a row that says why, and nothing is lost.

let service: TestApp;
let lever: LeverSimulator;
let ashby: AshbySimulator;
beforeAll(async () => {
  service = await sharedApp();
  hurry(service);
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

const namesOf = async (ats: Connected) => (await ats.candidates()).map((one) => one['external_id']).sort();

it('takes a person with one name, and leaves out and reports one without an e-mail', async () => {
  const job = ashby.add.job({ silent: true }).id;
  const one = ashby.add.candidate({ name: 'Cher', job, silent: true });
  const none = ashby.add.candidate({ email: null, job, silent: true });
  const ats = await connectAshby(service, ashby);
  expect(await ats.candidates()).toMatchObject([{ external_id: `as_${one.id}`, first_name: 'Cher', last_name: '' }]);
  const [run] = await ats.runs();
  expect(run).toMatchObject({ state: 'done', counts: { left_out: 1 } });
  expect(run!['left_out']).toEqual([{ remote_id: none.id, reason: expect.stringContaining('no e-mail') }]);
});

long('keeps ids that are JSON numbers of eighteen digits', async () => {
  const ats = await connectAshby(service, ashby);
  const job = `{"id":987654321012345679,"title":"Long","status":"Open"}`;
  const candidate = `{"id":987654321012345678,"name":"Ana Cruz","primaryEmailAddress":{"value":"ana@x.example"}}`;
  const at = new Date().toISOString();
  const application = `{"id":1,"updatedAt":"${at}","status":"Active","candidate":${candidate},"job":${job}}`;
  const body = `{"action":"jobCreate","data":{"job":${job}}}`;
  const applied = `{"action":"applicationSubmit","data":{"application":${application}}}`;
  for (const text of [body, applied]) {
    const signature = createHmac('sha256', ats.secret).update(text).digest('hex');
    expect((await ats.send(text, { 'ashby-signature': `sha256=${signature}` })).status).toBe(200);
    await ats.settled();
  }
  expect(await namesOf(ats)).toEqual(['as_987654321012345678']);
});

it.each(
  someOf([
    ['html', { kind: 'html' }],
    ['no content', { kind: 'no_content' }],
    ['a failed row in a 2xx', { kind: 'failed_row' }],
    ['five MiB', { kind: 'huge' }],
    ['no JSON', { kind: 'body', body: '{"a":' }],
  ] as const),
)('gives the reason when a pass failed: %s; deletes nothing, and continues after it', async (_, fault) => {
  const job = ashby.add.job({ silent: true }).id;
  const kept = ashby.add.candidate({ job, silent: true });
  const gone = ashby.add.candidate({ job, silent: true, email: 'gone@x.example' });
  const ats = await connectAshby(service, ashby);
  ashby.remove(gone.id, { silent: true });
  ashby.fault({ ...fault, path: '/application.list', times: null });
  const run = await ats.sync(true);
  expect(['failed', 'waiting']).toContain(run['state']);
  expect(run['error']).toEqual(expect.any(String));
  expect(await namesOf(ats)).toEqual([`as_${gone.id}`, `as_${kept.id}`].sort());
  ashby.faults.clear();
  await service.db.query(`update ats_syncs set pass = null where tenant_id = $1`, [ats.tenantId]);
  expect(await ats.sync(true)).toMatchObject({ state: 'done', counts: { deleted: 1 } });
  expect(await namesOf(ats)).toEqual([`as_${kept.id}`]);
});

long('shows why an event could not be applied, and tries it again', async () => {
  const posting = lever.add.posting();
  const person = lever.add.opportunity({ posting: posting.id, silent: true });
  const ats = await connectLever(service, null, {
    base_url: lever.url,
    credential: { kind: 'api_key', key: lever.apiKey },
  });
  await ats.sync();
  lever.fault({ kind: 'body', body: '{"data":{"id":7}}', path: `/opportunities/${person.id}`, times: null });
  lever.change(person.id, { name: 'Renamed Later' }, { silent: true });
  await ats.deliver(lever.message('candidateStageChange', { opportunityId: person.id }));
  await ats.settled();
  const [event] = await ats.events(`?remote_id=${person.id}`);
  expect(event).toMatchObject({ state: 'failed', reason: 'ats_malformed', detail: expect.any(String) });
  lever.faults.clear();
  await ats.api.post(`/ats-connections/${ats.connectionId}/events/${String(event!['id'])}/retry`, {});
  await ats.settled();
  expect(await ats.candidates()).toMatchObject([{ last_name: 'Later' }]);
});

long('keeps an event from the future as failed, and applies it once its time has come', async () => {
  const job = ashby.add.job({ silent: true }).id;
  const person = ashby.add.candidate({ job, silent: true });
  const ats = await connectAshby(service, ashby);
  const [application] = ashby.applicationsOf(person.id);
  ashby.skew(6 * 60_000);
  const later = new Date(ashby.now()).toISOString();
  ashby.changeApplication(application!.id, { stage: 'Offer' }, { silent: true });
  const told = {
    ...application,
    updatedAt: later,
    candidate: { id: person.id, name: 'Amara Okonkwo' },
    currentInterviewStage: { id: 's', title: 'Offer' },
    job: { id: job, title: 'X' },
  };
  await ats.deliver(ashby.message('candidateStageChange', { application: told }));
  await ats.settled();
  const [event] = await ats.events(`?remote_id=${person.id}`);
  expect(event).toMatchObject({ state: 'failed', reason: 'from_the_future' });
  const retry = () => ats.api.post(`/ats-connections/${ats.connectionId}/events/${String(event!['id'])}/retry`, {});
  expect((await retry()).status).toBe(200);
  await ats.settled();
  expect((await ats.events(`?remote_id=${person.id}`))[0]).toMatchObject({ state: 'failed' });
  // A poll takes the change, and a clock that is ahead does not freeze the record.
  await ats.sync();
  expect((await ats.candidates())[0]).toMatchObject({ metadata: { ats_stage: 'Offer' } });
  ashby.skew(0);
  ashby.changeApplication(application!.id, { stage: 'Hired soon' }, { silent: true });
  await ats.sync();
  expect((await ats.candidates())[0]).toMatchObject({ metadata: { ats_stage: 'Hired soon' } });
});

long('notices once that webhooks do not arrive, and that they arrive again', async () => {
  const posting = lever.add.posting();
  const person = lever.add.opportunity({ posting: posting.id, silent: true });
  const ats = await connectLever(service, lever);
  const state = async () => (await ats.api.get(`/ats-connections/${ats.connectionId}`)).body;
  const missing = async () => (await ats.api.get('/events?event=ats.webhook_missing')).body.data;
  await ats.sync();
  await ats.tell('candidateHired', {});
  const hours = (n: number) =>
    service.db.query(`update ats_records set changed_at = now() - $2 * interval '1 hour' where tenant_id = $1`, [
      ats.tenantId,
      n,
    ]);
  await hours(2);
  await ats.sync();
  // A first import misses none, though it found what no webhook brought.
  expect([(await state()).state, await missing()]).toMatchObject(['ok', []]);
  lever.change(person.id, { name: 'Quiet Change' }, { silent: true });
  await ats.sync();
  // Two hours later: no poll lists the change any more.
  lever.change(person.id, { updatedAt: Date.now() - 7_200_000 }, { silent: true });
  await hours(2);
  await ats.sync();
  await until(async () => (await state()).state === 'degraded');
  expect((await state()).problems).toMatchObject([{ problem: 'webhooks', reason: 'webhook_missing' }]);
  await ats.sync();
  expect(await missing()).toHaveLength(1);
  await ats.tell('candidateStageChange', { opportunityId: person.id });
  await ats.settled();
  await ats.sync();
  await until(async () => (await state()).state === 'ok');
  expect((await state()).problems).toEqual([]);
});

long('stores the other records when the database refuses one, names it, and takes it later', async () => {
  const posting = lever.add.posting({ silent: true }).id;
  const people = ['Ann', 'Bob', 'Cyd', 'Dee', 'Eve'].map((name) =>
    lever.add.opportunity({ name: `${name} Odd`, posting, silent: true }),
  );
  await service.db.execute(`alter table candidates add constraint no_cyd check (first_name <> 'Cyd') not valid`);
  const ats = await connectLever(service, lever).finally(() =>
    service.db.execute('alter table candidates drop constraint no_cyd'),
  );
  const [run] = await ats.runs();
  expect(run).toMatchObject({ state: 'done', counts: { created: 5, left_out: 1 } });
  expect(run!['left_out']).toEqual([
    { remote_id: people[2]!.id, reason: expect.stringContaining('could not be stored') },
  ]);
  expect(await ats.candidates()).toHaveLength(4);
  expect(await ats.sync(true)).toMatchObject({ state: 'done', counts: { created: 1, deleted: 0, left_out: 0 } });
  expect(await ats.candidates()).toHaveLength(5);
});
