import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { connectLever } from '../../../support/ats.js';
import { long } from '../../../support/rounds.js';
import { hurry } from '../publish/support/lever-house.js';

let service: TestApp;
let lever: LeverSimulator;
beforeAll(async () => {
  service = await sharedApp();
  hurry(service);
  lever = await startLever({ rateFactor: 1_000 });
});
afterAll(async () => {
  await service.close();
  await lever.close();
});

long(
  'ends the run with a reason when a list names empty pages without end, and deletes nothing',
  async () => {
    const posting = lever.add.posting({ silent: true });
    lever.add.opportunity({ posting: posting.id, silent: true });
    const ats = await connectLever(service, lever);
    expect(await ats.candidates()).toHaveLength(1);
    let page = 0;
    const body = (): string => JSON.stringify({ data: [], hasNext: true, next: `always-new-${++page}` });
    lever.fault({ kind: 'body', body, path: '/opportunities?', times: null });
    const run = await ats.sync(true);
    expect(run).toMatchObject({ state: 'failed', error: expect.stringContaining('1000 pages in a row without a row') });
    expect(page).toBeLessThanOrEqual(1_010);
    expect(await ats.candidates()).toHaveLength(1);
    lever.faults.clear();
    expect(await ats.sync(true)).toMatchObject({ state: 'done', counts: { deleted: 0 } });
  },
  60_000,
);
