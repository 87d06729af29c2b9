import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { connectLever, until, type Connected } from '../../../support/ats.js';
import { long } from '../../../support/rounds.js';

let service: TestApp;
let lever: LeverSimulator;

beforeAll(async () => {
  lever = await startLever({ rateFactor: 1_000 });
  service = await sharedApp();
});
afterAll(async () => {
  await service.close();
  await lever.close();
});
beforeEach(() => lever.faults.clear());

const path = (ats: Connected): string => `/ats-connections/${ats.connectionId}`;
const madeOf = async (ats: Connected): Promise<string[]> =>
  (await ats.api.get(path(ats))).body.webhook.made as string[];
const setUp = (ats: Connected): Promise<void> => until(async () => (await madeOf(ats)).length === 5);
const urls = (): string[] => [...new Set(lever.webhooks().map(({ url }) => url))];

/** A connection whose first set-up lost the answer to one of its webhooks: Lever has it, and no row knows it. */
async function interrupted(): Promise<Connected> {
  lever.fault({ kind: 'reset', after: true, method: 'POST', path: '/webhooks' });
  const ats = await connectLever(service, lever);
  await setUp(ats);
  return ats;
}

long('removes webhooks of an interrupted set-up at Lever with the next one', async () => {
  const ats = await interrupted();
  expect(lever.webhooks()).toHaveLength(5);
  expect(urls()).toHaveLength(1);
  await ats.api.post(`${path(ats)}/disconnect`);
  expect(lever.webhooks()).toEqual([]);
});

long('removes and counts such webhooks at a disconnect', async () => {
  const ats = await connectLever(service, lever);
  await setUp(ats);
  const { url } = lever.webhooks()[0]!;
  await lever.webhookTarget(url.replace(/api_token=.*/, 'api_token=of-a-lost-set-up'), { event: 'candidateHired' });
  const { body } = await ats.api.post(`${path(ats)}/disconnect`);
  expect(body.webhooks_removed).toBe(6);
  expect(lever.webhooks()).toEqual([]);
});

long('keeps webhooks of another connection to the account, and those of other addresses', async () => {
  const [one, other] = [await connectLever(service, lever), await connectLever(service, lever)];
  await Promise.all([setUp(one), setUp(other)]);
  await lever.webhookTarget('https://elsewhere.example/api/webhooks/lever?api_token=x', { event: 'candidateHired' });
  const { url } = lever.webhooks()[0]!;
  const byHand = url.replace(/api_token=.*/, `api_token=${other.token}`);
  await lever.webhookTarget(byHand, { event: 'candidateHired' });
  await one.api.post(`${path(one)}/disconnect`);
  expect(lever.webhooks()).toHaveLength(7);
  expect(await madeOf(other)).toHaveLength(5);
  expect(urls()).toEqual(expect.arrayContaining([byHand, 'https://elsewhere.example/api/webhooks/lever?api_token=x']));
});

long('reads what changed while the webhooks of an earlier set-up were replaced', async () => {
  const posting = lever.add.posting({ silent: true }).id;
  const { id: person } = lever.add.opportunity({ name: 'Ann Before', posting, silent: true });
  const ats = await connectLever(service, lever);
  await setUp(ats);
  const reasons = async (): Promise<unknown[]> =>
    (await ats.runs()).filter(({ state }) => state === 'done').map(({ reason }) => reason);
  // The change falls behind the pass that follows the new credential, into the moment without a webhook.
  lever.faults.before('DELETE', '/webhooks/', async () => {
    await until(async () => (await reasons()).length === 2);
    lever.change(person, { name: 'Ann After' }, { silent: true });
  });
  await ats.api.patch(path(ats), { credential: { kind: 'api_key', key: lever.apiKey } });
  await until(async () => (await reasons()).length === 3);
  expect(await reasons()).toEqual(['webhooks_made', 'scheduled', 'first']);
  expect((await ats.candidates()).map(({ last_name: name }) => name)).toEqual(['After']);
});
