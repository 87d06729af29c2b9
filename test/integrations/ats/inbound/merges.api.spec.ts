import {
  startAshby,
  startGreenhouse,
  type AshbySimulator,
  type GreenhouseSimulator,
} from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { connectAshby, connectGreenhouse, until, type Connected } from '../../../support/ats.js';
import { long } from '../../../support/rounds.js';
import { hurry } from '../publish/support/lever-house.js';

// A merge at the ATS: the survivor has what the merged candidate had, and what comes late about the merged one goes nowhere.

let service: TestApp;
let greenhouse: GreenhouseSimulator;
let ashby: AshbySimulator;
beforeAll(async () => {
  greenhouse = await startGreenhouse({ rateFactor: 1_000 });
  ashby = await startAshby({ rateFactor: 1_000 });
  service = await startApp({ ATS_SIMULATORS: `greenhouse=${greenhouse.origin}` });
  hurry(service);
});
afterEach(() => {
  greenhouse.faults.clear();
  ashby.faults.clear();
});
afterAll(async () => {
  await service.close();
  await greenhouse.close();
  await ashby.close();
});

/** What the cases need of a vendor. */
interface Vendor {
  ats: Connected;
  marker: string;
  person(email: string): string;
  /** Merges at the vendor, and returns what it sends. */
  merge(id: string, into: string): Parameters<Connected['deliver']>[0];
  /** What the vendor sent of a candidate before. */
  late(id: string): Parameters<Connected['deliver']>[0];
  /** A part of the address at which candidates are read. */
  path: string;
  /** The same of the list in which they are polled. */
  list: string;
  requests: readonly string[];
  faults: GreenhouseSimulator['faults'];
}

async function ofGreenhouse(): Promise<Vendor> {
  const job = greenhouse.add.job({ silent: true }).id;
  const shown = new Map<string, object>();
  const ats = await connectGreenhouse(service, greenhouse);
  return {
    ats,
    marker: 'gh_',
    person(email) {
      const person = greenhouse.add.candidate({ emails: [email], job, silent: true });
      const [application] = greenhouse.applicationsOf(person.id);
      const now = new Date().toISOString();
      shown.set(String(person.id), {
        id: application!.id,
        status: 'active',
        last_activity_at: now,
        current_stage: { id: 1, name: 'Offer' },
        candidate: {
          id: person.id,
          first_name: 'P',
          last_name: 'V',
          email_addresses: [{ value: email, type: 'work' }],
        },
        jobs: [{ id: job, name: 'Senior Backend Engineer', status: 'open' }],
      });
      return String(person.id);
    },
    merge(id, into) {
      greenhouse.merge(Number(id), Number(into), { silent: true });
      return greenhouse.message('merge_candidate', { person: { id: Number(id), new_candidate_id: Number(into) } });
    },
    late: (id) => greenhouse.message('candidate_stage_change', { application: shown.get(id) }),
    path: '/candidates',
    list: '/candidates',
    requests: greenhouse.requests,
    faults: greenhouse.faults,
  };
}

async function ofAshby(): Promise<Vendor> {
  const job = ashby.add.job({ silent: true }).id;
  const ats = await connectAshby(service, ashby);
  return {
    ats,
    marker: 'as_',
    person: (email) => ashby.add.candidate({ email, job, silent: true }).id,
    merge(id, into) {
      ashby.merge(id, into, { silent: true });
      return ashby.message('candidateMerge', { deletedCandidate: { id }, mergedCandidate: { id: into } });
    },
    late(id) {
      const candidate = { id, name: 'Amara Okonkwo', primaryEmailAddress: { value: 'late@x.example' } };
      const application = { id: 'late', updatedAt: new Date().toISOString(), status: 'Active', candidate };
      return ashby.message('candidateStageChange', { application: { ...application, job: { id: job, title: 'X' } } });
    },
    path: '/candidate.info',
    list: '/application.list',
    requests: ashby.requests,
    faults: ashby.faults,
  };
}

const resolved = async ({ ats, marker }: Vendor, id: string) =>
  (await ats.api.get(`/resolve?type=candidate&external_id=${marker}${id}`)).body;
const found = async ({ ats, marker }: Vendor, id: string) =>
  (await ats.api.get(`/candidates?external_id=${marker}${id}`)).body.data[0];

describe.each([
  ['greenhouse', ofGreenhouse],
  ['ashby', ofAshby],
])('%s', (_, open) => {
  let vendor: Vendor;
  beforeAll(async () => {
    vendor = await open();
  });

  long('answers with the survivor, moves interviews, and shows late events with a reason', async () => {
    const { ats } = vendor;
    const gone = vendor.person('gone@x.example');
    const kept = vendor.person('kept@x.example');
    await ats.sync();
    const before = await found(vendor, gone);
    const survivor = await found(vendor, kept);
    const plan = { starts_at: '2026-03-05T13:00:00Z', ends_at: '2026-03-05T13:45:00Z' };
    const { body: interview } = await ats.api.post(`/candidates/${before.id}/interviews`, plan);
    await ats.deliver(vendor.merge(gone, kept));
    await ats.settled();
    expect(await found(vendor, gone)).toBeUndefined();
    expect(await resolved(vendor, gone)).toMatchObject({ id: survivor.id });
    expect((await ats.api.get(`/interviews/${interview.id}`)).body.candidate_id).toBe(survivor.id);
    await ats.deliver(vendor.late(gone));
    await ats.settled();
    const [late] = await ats.events(`?remote_id=${gone}`);
    expect(late).toMatchObject({ state: 'no_effect', reason: 'merged' });
    expect(await found(vendor, gone)).toBeUndefined();
    expect(await resolved(vendor, gone)).toMatchObject({ id: survivor.id });
  });

  long('answers with a survivor that was not taken yet, also over two merges', async () => {
    const { ats } = vendor;
    const first = vendor.person('first@x.example');
    await ats.sync();
    const second = vendor.person('second@x.example');
    const third = vendor.person('third@x.example');
    await ats.deliver(vendor.merge(first, second));
    await ats.settled();
    expect(await resolved(vendor, first)).toMatchObject({ id: (await found(vendor, second)).id });
    await ats.deliver(vendor.merge(second, third));
    await ats.settled();
    const { id } = await found(vendor, third);
    expect(await resolved(vendor, first)).toMatchObject({ id });
    expect(await resolved(vendor, second)).toMatchObject({ id });
  });

  long('loses no interview when the survivor cannot be read for a while', async () => {
    const { ats } = vendor;
    const gone = vendor.person('early@x.example');
    await ats.sync();
    const before = await found(vendor, gone);
    const plan = { starts_at: '2026-03-05T13:00:00Z', ends_at: '2026-03-05T13:45:00Z' };
    const { body: interview } = await ats.api.post(`/candidates/${before.id}/interviews`, plan);
    const kept = vendor.person('later@x.example');
    vendor.faults.add({ kind: 'status', status: 503, path: vendor.path, times: 4 });
    await ats.deliver(vendor.merge(gone, kept));
    await ats.settled();
    const survivor = await found(vendor, kept);
    expect(await resolved(vendor, gone)).toMatchObject({ id: survivor.id });
    expect((await ats.api.get(`/interviews/${interview.id}`)).body.candidate_id).toBe(survivor.id);
  });

  long('answers with the survivor when the middle one of two merges was never seen', async () => {
    const { ats } = vendor;
    const first = vendor.person('chain1@x.example');
    await ats.sync();
    const second = vendor.person('chain2@x.example');
    const third = vendor.person('chain3@x.example');
    const merges = [vendor.merge(first, second), vendor.merge(second, third)];
    for (const merge of merges) {
      await ats.deliver(merge);
      await ats.settled();
    }
    expect(await resolved(vendor, first)).toMatchObject({ id: (await found(vendor, third)).id });
  });

  long('ends with the survivor when the merge comes while a pass writes the merged candidate', async () => {
    const { ats } = vendor;
    const gone = vendor.person('reading@x.example');
    const kept = vendor.person('survives@x.example');
    await ats.sync();
    const asked = vendor.requests.length;
    vendor.faults.add({ kind: 'slow_body', ms: 700, path: vendor.list });
    const pass = ats.sync(true);
    await until(() => Promise.resolve(vendor.requests.slice(asked).some((request) => request.endsWith(vendor.list))));
    await ats.deliver(vendor.merge(gone, kept));
    await ats.settled();
    expect(await pass).toMatchObject({ state: 'done', full: true });
    expect(await found(vendor, gone)).toBeUndefined();
    expect(await resolved(vendor, gone)).toMatchObject({ id: (await found(vendor, kept)).id });
  });
});
