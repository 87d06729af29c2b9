import { hurry } from '../../integrations/ats/publish/support/lever-house.js';
import { startLever, type LeverSimulator } from '../../simulators/index.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { connectLever, until, type Connected } from '../../support/ats.js';
import { commandLine } from '../../support/cli.js';
import { newHouse } from '../../support/house.js';

const PLAN = { starts_at: '2030-01-01T10:00:00Z', ends_at: '2030-01-01T11:00:00Z' };
const CARD = { overall: 4, recommendation: 'advance', summary: 'Knows Kubernetes.' };
const DANA = '32bc4d3b-0000-4e2b-92d0-00000000d4a1';

interface Entry {
  id: string;
  at: string;
  kind: string;
  what: string;
  state: string | null;
  waits: boolean;
  reason: string | null;
  detail: string | null;
}

let service: TestApp;
let lever: LeverSimulator;
let ats: Connected;
let id: string;
let externalId: string;

beforeAll(async () => {
  lever = await startLever({ rateFactor: 1_000 });
  service = await sharedApp();
  hurry(service);
  const { id: remoteId } = lever.add.opportunity({ posting: lever.add.posting().id, silent: true });
  // No user that writes is set: links and scorecards wait.
  ats = await connectLever(service, lever);
  const [mine] = await ats.candidates();
  id = mine!['id'] as string;
  externalId = mine!['external_id'] as string;
  await ats.tell('candidateStageChange', { opportunityId: remoteId });
  await ats.settled();
  const { body: interview } = await ats.api.post(`/candidates/${id}/interviews`, PLAN);
  await ats.api.put(`/interviews/${interview.id}/scorecard`, CARD);
});
afterAll(async () => {
  await service.close();
  await lever.close();
});

async function history(query = ''): Promise<{ data: Entry[]; next_cursor: string | null }> {
  const { status, body } = await ats.api.get(`/candidates/${id}/history${query}`);
  expect(status).toBe(200);
  return body as { data: Entry[]; next_cursor: string | null };
}
const writes = async (): Promise<Entry[]> => (await history()).data.filter(({ kind }) => kind === 'ats_write');
const waitsForWriter = async (): Promise<boolean> => (await writes()).some(({ reason }) => reason === 'no_writer');

it('shows events, writes, and waiting ones with their reason, newest first', async () => {
  await until(waitsForWriter);
  const { data } = await history();
  const times = data.map(({ at }) => at);
  expect(times).toEqual([...times].sort().reverse());
  expect(data).toContainEqual(
    expect.objectContaining({ kind: 'ats_event', what: 'candidateStageChange', waits: false }),
  );
  expect(data).toContainEqual(expect.objectContaining({ kind: 'interview', state: 'completed', waits: false }));
  const out = data.filter(({ kind }) => kind === 'ats_write');
  expect(out.map(({ what }) => what).sort()).toEqual(['put link', 'put scorecard']);
  expect(out.every(({ waits, state, detail }) => waits && state === 'waiting' && detail !== null)).toBe(true);
});

it('has each entry once when it is read in pages', async () => {
  const whole = (await history()).data.map((entry) => entry.id);
  const found: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: { data: Entry[]; next_cursor: string | null } = await history(
      `?limit=1&cursor=${encodeURIComponent(cursor)}`,
    );
    found.push(...page.data.map((entry) => entry.id));
    cursor = page.next_cursor;
  }
  expect(whole.length).toBeGreaterThan(3);
  expect(found).toEqual(whole);
});

it('prints the history by external_id, and exports interviews and writes as CSV', async () => {
  const cli = commandLine(service, ats.apiKey, 240);
  await until(waitsForWriter);
  expect((await cli('candidate', 'history', externalId)).out).toContain('no_writer');
  const interviews = await cli('interview', 'list', '--candidate-id', externalId, '--format', 'csv');
  const [head, line, ...rest] = interviews.out.split('\r\n');
  expect(head).toMatch(/^id,candidate_id,job_id,state,starts_at/);
  expect([line, rest]).toEqual([expect.stringContaining(`,${id},`), ['']]);
  const written = await cli('ats', 'writes', ats.connectionId, '--format', 'csv');
  expect(written.out.split('\r\n')).toHaveLength(4);
  expect(written.out).toContain(',scorecard,put,1,waiting,');
  const header = { authorization: `Bearer ${ats.apiKey}`, accept: 'text/csv' };
  const answer = await fetch(`${service.url}/api/v1/interviews`, { headers: header });
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="interviews.csv"');
});

it('shows a write as written when the user is set', async () => {
  await ats.api.patch(`/ats-connections/${ats.connectionId}`, { writes: { as_user: DANA } });
  await until(async () => (await writes()).every(({ state }) => state === 'written'));
  expect((await history()).data.filter(({ waits }) => waits)).toEqual([]);
});

it('answers 404 for the candidate of another tenant, and 400 for the cursor of another candidate', async () => {
  expect((await (await newHouse(service)).api.get(`/candidates/${id}/history`)).status).toBe(404);
  const { next_cursor: cursor } = await history('?limit=1');
  const other = await ats.api.get(`/candidates/cand_01k0000000abcdefghjkmnpqrs/history?cursor=${cursor!}`);
  expect(other.status).toBe(400);
});
