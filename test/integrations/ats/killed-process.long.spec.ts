import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { startLever, type LeverSimulator } from '../../simulators/index.js';
import { startApp, type TestApp } from '../../support/app.js';
import { connectLever } from '../../support/ats.js';
import { startBeside, type Beside } from '../../support/beside.js';
import { eventually } from '../../support/http.js';
import { patience } from '../../support/speed.js';

/** A lease of 15 seconds, and the pause between looks of a quiet worker. */
const WITHIN_MS = 20_000;

/** Passes requests on to an ATS. While it hangs, it takes requests and does not answer. */
class Way {
  hangs = false;
  readonly waiting = new Set<string>();
  private readonly server = http.createServer((req, res) => {
    if (this.hangs) return void this.waiting.add(req.url!.split(/[?/]/)[2] ?? req.url!);
    const { host: _host, ...headers } = req.headers;
    const passed = http.request(`${this.target}${req.url}`, { method: req.method!, headers }, (answer) => {
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
    });
    req.pipe(passed);
  });

  constructor(private readonly target: string) {}

  async start(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

let service: TestApp;
let lever: LeverSimulator;
let way: Way;
const workers: Beside[] = [];
beforeAll(async () => {
  service = await startApp({ ROLE: 'api' });
  lever = await startLever({ rateFactor: 100 });
  way = new Way(new URL(lever.url).origin);
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  await service.close();
  await way.stop();
  await lever.close();
});

it('continues events and passes within twenty seconds after kill -9 of the worker, and shows why they wait until then', async () => {
  const origin = await way.start();
  const first = await startBeside(service, { ROLE: 'worker' });
  const ats = await connectLever(service, lever, { base_url: `${origin}${new URL(lever.url).pathname}` });
  const path = `/ats-connections/${ats.connectionId}`;
  const person = lever.add.opportunity({ posting: lever.add.posting().id });

  way.hangs = true;
  await ats.tell('applicationCreated', { opportunityId: person.id });
  await ats.api.post(`${path}/sync`, { full: true });
  await eventually(
    async () => [(await ats.runs())[0], (await ats.events())[0], [...way.waiting]] as const,
    ([run, event, waiting]) =>
      run?.['waiting_reason'] === 'under_way' && event?.['reason'] === 'under_way' && waiting.length >= 2,
    20_000,
  );

  await first.kill();
  const killedAt = performance.now();
  way.hangs = false;
  workers.push(await startBeside(service, { ROLE: 'worker' }));
  await eventually(
    async () => [(await ats.runs())[0]!['state'], (await ats.events())[0]!['state']],
    // The event has no effect when the pass has already read the candidate.
    ([run, event]) => run === 'done' && event !== 'waiting',
    2 * WITHIN_MS,
  );
  expect(performance.now() - killedAt).toBeLessThan(patience(WITHIN_MS));
  expect((await ats.runs())[0]!['waiting_reason']).toBeNull();
  expect(await ats.candidates()).toHaveLength(1);
}, 180_000);
