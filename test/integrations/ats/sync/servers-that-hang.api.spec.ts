import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { AtsCallOptions } from '../../../../src/integrations/ats/calls/connection-api.js';
import { startAshby, type AshbySimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { connectAshby } from '../../../support/ats.js';
import { newHouse } from '../../../support/house.js';
import { eventually } from '../../../support/http.js';
import { long } from '../../../support/rounds.js';

let service: TestApp;
let ashby: AshbySimulator;
let hanging: HangingServer[];
beforeEach(async () => {
  hanging = [];
  service = await startApp();
  // Longer than the test: a call to a server that hangs keeps waiting.
  Object.assign(service.app.nest.get(AtsCallOptions, { strict: false }), { paceFactor: 1_000, timeoutMs: 600_000 });
  ashby = await startAshby({ rateFactor: 1_000 });
  const job = ashby.add.job({ silent: true }).id;
  ashby.add.candidate({ job, silent: true });
});
afterEach(async () => {
  for (const server of hanging) await server.close();
  await service.close();
  await ashby.close();
});

/** A server that takes requests and never ends an answer. */
class HangingServer {
  calls = 0;
  private readonly server = http.createServer((_req, res) => {
    this.calls++;
    res.writeHead(200, { 'content-type': 'application/json' });
    res.write('{');
  });

  static async start(): Promise<HangingServer> {
    const one = new HangingServer();
    await once(one.server.listen(0, '127.0.0.1'), 'listening');
    hanging.push(one);
    return one;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function connectTo(server: HangingServer): Promise<void> {
  const { api } = await newHouse(service);
  const credential = { kind: 'api_key', key: 'key' };
  const { status } = await api.post('/ats-connections', { provider: 'ashby', base_url: server.url, credential });
  expect(status).toBe(201);
}

const heard = (least: number): Promise<number> =>
  eventually(
    () => Promise.resolve(hanging.reduce((sum, { calls }) => sum + calls, 0)),
    (calls) => calls >= least,
    20_000,
  );

long(
  'sets up and reads the ATS of a tenant while those of eight others do not answer',
  async () => {
    for (let i = 0; i < 8; i++) await connectTo(await HangingServer.start());
    // Each has a set-up and a pass that wait.
    await heard(16);
    const honest = await connectAshby(service, ashby);
    expect(await honest.candidates()).toHaveLength(1);
  },
  60_000,
);

long(
  'reads the ATS of a tenant while twenty others wait for one server, which has only a part of the places',
  async () => {
    const server = await HangingServer.start();
    for (let i = 0; i < 20; i++) await connectTo(server);
    await heard(16);
    const honest = await connectAshby(service, ashby);
    expect(await honest.candidates()).toHaveLength(1);
  },
  60_000,
);
