import { setTimeout as sleep } from 'node:timers/promises';
import { startAshby, type AshbySimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { connectAshby, until, type Connected } from '../../../support/ats.js';
import { startBeside, type Beside } from '../../../support/beside.js';

// Two processes take what an ATS sends doubled, reordered, late after a delete, during a merge and while it is away.
let service: TestApp;
let ashby: AshbySimulator;
let ats: Connected;
let other: Beside;

beforeAll(async () => {
  service = await startApp();
  ashby = await startAshby({ rateFactor: 1_000 });
  ats = await connectAshby(service, ashby);
  other = await startBeside(service);
}, 120_000);
afterAll(async () => {
  await other.stop();
  await ashby.close();
  await service.close();
});

it('ends with the state of the ATS when two processes apply merges', async () => {
  const job = ashby.add.job({ silent: true }).id;
  const people = Array.from({ length: 12 }, (_, n) =>
    ashby.add.candidate({ email: `p${n}@x.example`, job, silent: true }),
  );
  const edits = people.map(({ id }) => ashby.message('candidateEdit', { candidate: { id } }));
  ashby.fault({ kind: 'status', status: 503, times: 2 });
  const send = (messages: typeof edits) =>
    Promise.all(messages.map((message, place) => ats.deliver(message, place % 2 === 0 ? service.url : other.url)));
  const both = [...edits, ...edits].sort(() => Math.random() - 0.5);
  expect(new Set((await send(both)).map(({ status }) => status))).toEqual(new Set([200]));
  const [deleted, merged, survivor] = people.map(({ id }) => id) as [string, string, string];
  ashby.remove(deleted, { silent: true });
  ashby.merge(merged, survivor, { silent: true });
  const ends = [
    ashby.message('candidateMerge', { deletedCandidate: { id: merged }, mergedCandidate: { id: survivor } }),
    ashby.message('candidateDelete', { candidate: { id: deleted } }),
  ];
  const late = [deleted, merged].map((id) => ashby.message('candidateEdit', { candidate: { id } }));
  await send([...ends, ...late, ...ends]);
  await sleep(50);
  await until(async () => (await ats.events('?state=waiting')).length === 0, 60_000);
  const left = new Set((await ats.candidates()).map((one) => one['external_id']));
  expect(left).toEqual(new Set(people.slice(2).map(({ id }) => `as_${id}`)));
}, 90_000);
