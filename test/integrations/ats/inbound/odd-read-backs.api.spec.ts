import { startAshby, startLever, type AshbySimulator, type LeverSimulator } from '../../../simulators/index.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { connectAshby, connectLever } from '../../../support/ats.js';
import { long } from '../../../support/rounds.js';

// What an ATS answers to a read-back besides the record, and an erasure of which no webhook told.

let service: TestApp;
let lever: LeverSimulator;
let ashby: AshbySimulator;
beforeAll(async () => {
  service = await sharedApp();
  lever = await startLever({ rateFactor: 1_000 });
  ashby = await startAshby({ rateFactor: 1_000 });
});
afterAll(async () => {
  await service.close();
  await Promise.all([lever.close(), ashby.close()]);
});

const ANSWERS = [
  ['a page with 200', { kind: 'html' }, /page in place of JSON/],
  ['204', { kind: 'no_content' }, /no record/],
  ['five MiB', { kind: 'huge' }, /longer than is read/],
  ['an empty object', { kind: 'body', body: '{}' }, /no record/],
  ['a list', { kind: 'body', body: '{"data":[]}' }, /no record/],
] as const;

describe('an answer that is no record changes and deletes nothing, has a reason, and is read again on request', () => {
  const readBacks = new Map<string, ReadBack>();
  // All at once: a read-back is tried three times, with pauses between them.
  beforeAll(async () => {
    const told = ANSWERS.map(async ([name, fault]) => readBacks.set(name, await readBackOf(fault)));
    await Promise.all(told);
    lever.faults.clear();
  });

  it.each(ANSWERS)('%s', async (name, _, words) => {
    const { ats, event, before, nameOf } = readBacks.get(name)!;
    expect(before).toEqual(expect.any(String));
    expect(event).toMatchObject({ state: 'failed', reason: 'ats_malformed', detail: expect.stringMatching(words) });
    expect(await nameOf()).toBe(before);
    await ats.api.post(`/ats-connections/${ats.connectionId}/events/${String(event['id'])}/retry`, {});
    await ats.settled();
    expect(await nameOf()).toBe('Renamed');
  });
});

/** A change of which a webhook tells, after the answers to its read-back were odd. */
interface ReadBack {
  ats: Awaited<ReturnType<typeof connectLever>>;
  /** The name of the candidate before the change. */
  before: unknown;
  nameOf: () => Promise<unknown>;
  event: Record<string, unknown>;
}

/** Changes a person in a new connection, where each read of it has this fault. */
async function readBackOf(fault: (typeof ANSWERS)[number][1]): Promise<ReadBack> {
  const person = lever.add.opportunity({ posting: lever.add.posting().id, silent: true });
  const ats = await connectLever(service, lever);
  const nameOf = async () =>
    (await ats.candidates()).find((one) => one['external_id'] === `lv_${person.id}`)?.['last_name'];
  const before = await nameOf();
  lever.change(person.id, { name: 'Tomas Renamed' }, { silent: true });
  lever.fault({ ...fault, path: `/opportunities/${person.id}`, times: null });
  await ats.tell('candidateStageChange', { opportunityId: person.id });
  await ats.settled();
  const [event] = await ats.events(`?remote_id=${person.id}`);
  return { ats, before, nameOf, event: event! };
}

long('removes stored events, waiting writes and data of events when a poll finds an erasure', async () => {
  const [job, email] = [ashby.add.job({ silent: true }).id, 'erased.by.poll@candidates.example'];
  const person = ashby.add.candidate({ name: 'Petra Pollerased', email, job, silent: true });
  const ats = await connectAshby(service, ashby);
  const [application] = ashby.applicationsOf(person.id);
  const told = { ...application, candidate: { id: person.id, name: 'Petra Pollerased', email }, job: { id: job } };
  await ats.deliver(ashby.message('candidateStageChange', { application: told }));
  await ats.settled();
  const [candidate] = await ats.candidates();
  const id = String(candidate!['id']);
  // Its write waits while the interview is there.
  await ats.api.post(`/ats-connections/${ats.connectionId}/pause`);
  const times = { starts_at: '2030-01-01T10:00:00Z', ends_at: '2030-01-01T11:00:00Z' };
  const interview = await ats.api.post(`/candidates/${id}/interviews`, times);
  await ats.api.put(`/interviews/${interview.body.id as string}/scorecard`, { summary: 'Petra Pollerased knows SQL.' });
  await ats.api.post(`/ats-connections/${ats.connectionId}/resume`);
  ashby.remove(person.id, { silent: true });
  expect(await ats.sync(true)).toMatchObject({ state: 'done', counts: { deleted: 1 } });
  expect(await ats.candidates()).toEqual([]);
  expect((await ats.api.get(`/interviews/${interview.body.id as string}`)).status).toBe(404);
  const { rows } = await service.db.query<{ found: string }>(
    `select t.name || ': ' || t.row as found from (
       select 'ats_events' as name, e::text || coalesce(convert_from(e.body, 'UTF8'), '') as row from ats_events e where tenant_id = $1
       union all select 'events', e::text from events e where tenant_id = $1
       union all select 'scorecards', s::text from scorecards s where tenant_id = $1
       union all select 'waiting writes', w::text from ats_writes w where tenant_id = $1 and state = 'waiting'
       union all select 'attempts', a::text from attempts a where tenant_id = $1
       union all select 'tombstones', c::text from candidate_tombstones c where tenant_id = $1) t
     where t.name in ('scorecards', 'waiting writes') or t.row ~* 'pollerased|petra|knows SQL|erased.by.poll'`,
    [ats.tenantId],
  );
  expect(rows).toEqual([]);
});
