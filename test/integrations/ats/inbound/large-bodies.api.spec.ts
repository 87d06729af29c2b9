import { startApp, type TestApp } from '../../../support/app.js';
import { connectLever, type Connected } from '../../../support/ats.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { long } from '../../../support/rounds.js';

let service: TestApp;
let lever: LeverSimulator;
let ats: Connected;
beforeAll(async () => {
  // An allowance of 50 requests, refilled with 5 a second. The bodies of the last test count as 320.
  service = await startApp({ RATE_LIMIT: '5' });
  lever = await startLever({ rateFactor: 100 });
  ats = await connectLever(service, lever, { takes: { postings: 'all', candidates: 'all' } });
});
afterAll(async () => {
  await lever.close();
  await service.close();
});

/** A signed event of a person, with a note of `bytes` bytes. */
function eventWith(bytes: number): string {
  const { id } = lever.add.opportunity();
  const message = lever.message('candidateStageChange', { opportunityId: id, note: 'é'.repeat(bytes / 2) });
  return String(message.build({ id: '', url: '', event: null, secret: ats.secret, headers: {} }, 0).body);
}

it('stores large and small bodies that come at once, each byte for byte', async () => {
  const sent = [300_000, 10, 65_536, 10, 64_000, 200_000, 10].map(eventWith);
  const answers = await Promise.all(sent.map((body) => ats.send(body)));
  expect(answers.map(({ status }) => status)).toEqual(sent.map(() => 200));
  await ats.settled();
  const { rows } = await service.db.query<{ body: Buffer }>('select body from ats_events where tenant_id = $1', [
    ats.tenantId,
  ]);
  expect(rows.map(({ body }) => body.toString('utf8')).sort()).toEqual([...sent].sort());
});

long('counts each 64 KiB of a body as one request more', async () => {
  await Promise.all(Array.from({ length: 20 }, () => ats.send(eventWith(1_000_000))));
  const refused = await ats.send(eventWith(10));
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
});
