import { startApp, type TestApp } from '../../../support/app.js';
import { connectLever, type Connected } from '../../../support/ats.js';
import { startBeside, type Beside } from '../../../support/beside.js';
import { eventsOf } from '../../../support/candidates.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';

// Three processes of the service take the events of one connection, and apply them: the end is what the ATS says, and each
// change is reported once.
const PEOPLE = 20;
let service: TestApp;
let lever: LeverSimulator;
let ats: Connected;
const processes: Beside[] = [];

beforeAll(async () => {
  service = await startApp();
  lever = await startLever({ rateFactor: 1000 });
  ats = await connectLever(service, lever);
  for (let i = 0; i < 2; i++) processes.push(await startBeside(service));
}, 120_000);
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await lever.close();
  await service.close();
});

it('applies doubled and reordered events of two processes once', async () => {
  const posting = lever.add.posting();
  const target = { id: '', url: '', event: null, secret: ats.secret, headers: {} };
  const bodies: string[] = [];
  const people = Array.from({ length: PEOPLE }, (_, n) => {
    const person = lever.add.opportunity({ posting: posting.id, emails: [`p${n}@x.example`] });
    for (const event of ['applicationCreated', 'candidateStageChange']) {
      bodies.push(lever.message(event, { opportunityId: person.id }).build(target, 0).body);
    }
    return person;
  });
  const doubled = [...bodies, ...bodies].sort(() => Math.random() - 0.5);
  const addresses = [service.url, ...processes.map(({ url }) => url)];
  const answers = await Promise.all(
    doubled.map((body, place) =>
      fetch(`${addresses[place % addresses.length]}/api/webhooks/lever?api_token=${ats.token}`, {
        method: 'POST',
        body,
      }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  for (const { id } of people.slice(0, 5)) {
    lever.remove(id);
    await ats.tell('candidateDeleted', { opportunityId: id });
  }
  await ats.settled();
  const left = await ats.candidates();
  expect(new Set(left.map((one) => one['external_id']))).toEqual(new Set(people.slice(5).map(({ id }) => `lv_${id}`)));
  for (const one of left) {
    const names = (await eventsOf(service, ats.tenantId, String(one['id']))).map(({ event }) => event);
    expect(names).toEqual(['candidate.created']);
  }
  const { rows } = await service.db.query<{ n: number }>(
    `select count(*)::int as n from ats_events where tenant_id = $1`,
    [ats.tenantId],
  );
  expect(rows[0]!.n).toBe(2 * PEOPLE + 5);
});
