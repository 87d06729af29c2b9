import { AtsFailure } from '../../../../src/integrations/ats/api/ats-api.js';
import type { AtsWrite } from '../../../../src/integrations/ats/connectors/connector.js';
import { lever } from '../../../../src/integrations/ats/connectors/lever/lever.connector.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { plainCalls, type PlainCalls } from './support/calls.js';

const DANA = '32bc4d3b-0000-4e2b-92d0-00000000d4a1';
const START = { since: null, syncToken: null, cursor: null };

describe('lever', () => {
  let sim: LeverSimulator;
  let calls: PlainCalls;

  beforeEach(async () => {
    sim = await startLever({ rateFactor: 1_000 });
    calls = plainCalls(lever, sim.url, { kind: 'api_key', key: sim.apiKey });
  });
  afterEach(async () => {
    await calls.close();
    await sim.close();
  });

  it('reads an opportunity with the posting of its application, its stage and its source', async () => {
    const posting = sim.add.posting({ text: 'Data Analyst' });
    const { id } = sim.add.opportunity({ name: 'Ludwig van Beethoven', posting: posting.id, sourcedBy: DANA });
    expect(await lever.candidate(calls.api, id)).toMatchObject({
      remoteId: id,
      firstName: 'Ludwig',
      lastName: 'van Beethoven',
      jobRemoteId: posting.id,
      status: 'active',
      stage: { id: 'applicant-new', name: 'New applicant' },
      metadata: { full_name: 'Ludwig van Beethoven', referrer: 'Dana Whitlock', ats_source: 'Careers page' },
    });
    expect(await lever.job(calls.api, posting.id)).toMatchObject({ title: 'Data Analyst', status: 'open' });
  });

  it('reads deleted postings and opportunities as one list', async () => {
    const posting = sim.add.posting();
    const { id } = sim.add.opportunity({ posting: posting.id });
    sim.remove(id);
    sim.remove(posting.id);
    const first = await lever.gone!(calls.api, START);
    const second = await lever.gone!(calls.api, { ...START, cursor: first.next });
    expect(first.records).toMatchObject([{ kind: 'job', remoteId: posting.id }]);
    expect(second).toMatchObject({ records: [{ kind: 'candidate', remoteId: id }], next: null });
  });

  it('makes webhooks one for each event, and makes one anew whose secret was not stored', async () => {
    const url = 'https://app.example.com/api/webhooks/lever?api_token=1';
    const first = await lever.webhooks!.create(calls.api, 'candidateDeleted', url, 'x');
    const second = await lever.webhooks!.create(calls.api, 'candidateDeleted', url, 'x');
    expect(sim.webhooks()).toMatchObject([{ id: second.remoteId, secret: second.secret }]);
    expect(second.secret).not.toBe(first.secret);
    await lever.webhooks!.remove(calls.api, second.remoteId);
    await lever.webhooks!.remove(calls.api, second.remoteId);
    expect(sim.webhooks()).toEqual([]);
  });

  it('refuses a write as a user who is gone', async () => {
    const { id } = sim.add.opportunity();
    sim.users.set(DANA, { ...sim.users.get(DANA)!, deactivatedAt: 1 });
    const write: AtsWrite = {
      target: 'note',
      candidateRemoteId: id,
      applicationRemoteId: null,
      text: 'x int_1',
      marker: 'int_1',
      asUser: DANA,
      visibility: 'private',
      field: null,
      replaces: null,
    };
    await expect(lever.writes.write(calls.api, write)).rejects.toThrow(AtsFailure);
    expect(await lever.user(calls.api, DANA)).toMatchObject({ active: false });
  });
});
