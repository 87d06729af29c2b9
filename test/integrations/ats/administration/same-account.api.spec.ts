import { startAshby, startGreenhouse, startLever } from '../../../simulators/index.js';
import type { AshbySimulator, GreenhouseSimulator, LeverSimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { connectAshby, connectGreenhouse, connectLever, until, type Connected } from '../../../support/ats.js';
import { long } from '../../../support/rounds.js';

const [KEY, OTHER] = ['key-of-the-account', 'key-of-another-account'];
let service: TestApp;
let lever: LeverSimulator;
let ashby: AshbySimulator;
let greenhouse: GreenhouseSimulator;

beforeAll(async () => {
  lever = await startLever({ rateFactor: 1_000, apiKey: KEY });
  ashby = await startAshby({ rateFactor: 1_000, apiKey: KEY });
  greenhouse = await startGreenhouse({ rateFactor: 1_000 });
  service = await startApp({ ATS_SIMULATORS: `greenhouse=${greenhouse.origin}` });
});
afterAll(async () => {
  await service.close();
  await Promise.all([lever.close(), ashby.close(), greenhouse.close()]);
});
beforeEach(() => lever.faults.clear());

const path = (ats: Connected): string => `/ats-connections/${ats.connectionId}`;
const withKey = (key: string) => ({ credential: { kind: 'api_key', key } });

async function leverWithRecords(): Promise<Connected> {
  const posting = lever.add.posting({ text: 'Engineer' });
  lever.add.opportunity({ name: 'Ada Lovelace', emails: ['ada@e.com'], posting: posting.id, silent: true });
  return connectLever(service, lever);
}

/** Lets the keys of a stand-in be those of two accounts: with the other one, every record is unknown. */
function twoAccounts(sim: LeverSimulator): void {
  sim.fault({ kind: 'status', status: 404, times: null, path: '/opportunities/' });
  sim.fault({ kind: 'status', status: 404, times: null, path: '/postings/' });
}

long('refuses a key of another account, and removes no record', async () => {
  const ats = await leverWithRecords();
  expect(await ats.candidates()).not.toEqual([]);
  twoAccounts(lever);
  const refused = await ats.api.patch(path(ats), withKey(OTHER));
  expect([refused.status, refused.body.code]).toEqual([409, 'other_ats_account']);
  lever.faults.clear();
  expect((await ats.sync(true))['state']).toBe('done');
  expect(await ats.candidates()).not.toEqual([]);
});

long('accepts a new key of the same account after a look at one record', async () => {
  const ats = await leverWithRecords();
  const before = lever.requests.length;
  expect((await ats.api.patch(path(ats), withKey(KEY))).status).toBe(200);
  const read = lever.requests.slice(before).filter((one) => /^GET \/v1\/opportunities\/[^/]+$/.test(one));
  expect(read.length).toBeLessThanOrEqual(1);
});

long('accepts a key of the same account when some records were deleted since', async () => {
  const ats = await leverWithRecords();
  lever.fault({ kind: 'status', status: 404, path: '/opportunities/' });
  expect((await ats.api.patch(path(ats), withKey(KEY))).status).toBe(200);
});

long('keeps the key while the ATS gives no answer; accepts a refused key and reports it', async () => {
  const ats = await leverWithRecords();
  lever.fault({ kind: 'status', status: 500, times: null });
  const waits = await ats.api.patch(path(ats), withKey(KEY));
  expect([waits.status, waits.body.code]).toEqual([409, 'ats_gives_no_answer']);
  lever.faults.clear();
  expect((await ats.api.patch(path(ats), withKey('a-wrong-key'))).status).toBe(200);
  await until(async () => (await ats.api.get(path(ats))).body.state === 'reconnect_needed');
});

long('accepts any account while the connection has read nothing yet', async () => {
  const empty = await startLever({ rateFactor: 1_000, apiKey: KEY });
  const ats = await connectLever(service, empty);
  empty.fault({ kind: 'status', status: 404, times: null, path: '/opportunities/' });
  expect((await ats.api.patch(path(ats), withKey(KEY))).status).toBe(200);
  await empty.close();
});

test('checks the account of Ashby', async () => {
  const job = ashby.add.job({ silent: true });
  ashby.add.candidate({ job: job.id, silent: true });
  const ats = await connectAshby(service, ashby);
  const missing = JSON.stringify({ success: false, errors: ['candidate_not_found'] });
  ashby.fault({ kind: 'body', body: missing, times: null, path: '.info' });
  const refused = await ats.api.patch(path(ats), withKey(KEY));
  expect([refused.status, refused.body.code]).toEqual([409, 'other_ats_account']);
});

long('checks the account of Greenhouse with a token of the new client', async () => {
  const job = greenhouse.add.job({ silent: true });
  greenhouse.add.candidate({ job: job.id, silent: true });
  const ats = await connectGreenhouse(service, greenhouse);
  const { id, secret } = greenhouse.grants.client;
  const credential = { kind: 'client_credentials', client_id: id, client_secret: secret };
  greenhouse.fault({ kind: 'body', body: '[]', times: null, path: '/v3/' });
  const refused = await ats.api.patch(path(ats), { credential });
  expect([refused.status, refused.body.code]).toEqual([409, 'other_ats_account']);
  greenhouse.faults.clear();
  expect((await ats.api.patch(path(ats), { credential })).status).toBe(200);
});
