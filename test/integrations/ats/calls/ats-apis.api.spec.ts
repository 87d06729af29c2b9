import { AtsCallOptions } from '../../../../src/integrations/ats/calls/connection-api.js';
import { AtsApis } from '../../../../src/integrations/ats/calls/ats-apis.js';
import { AtsFailure } from '../../../../src/integrations/ats/api/ats-api.js';
import type { AtsConnection } from '../../../../src/integrations/ats/connections/connection.js';
import { greenhouse } from '../../../../src/integrations/ats/connectors/greenhouse/greenhouse.connector.js';
import { lever } from '../../../../src/integrations/ats/connectors/lever/lever.connector.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { long } from '../../../support/rounds.js';
import { connectionTo } from '../connectors/support/calls.js';

describe('calls to ATSs', () => {
  let app: TestApp;
  let beside: TestApp;
  let sim: LeverSimulator;
  let made = 0;

  /** A connection to the simulator that was never called. */
  async function connection(given: Partial<AtsConnection> = {}): Promise<AtsConnection> {
    const { tenantId } = app.tenant;
    const id = `ats_call${++made}`;
    await app.db.execute(
      `insert into ats_connections (tenant_id, id, provider, name, region, marker, state, takes, writes, created_by)
       values ('${tenantId}', '${id}', 'lever', 'x', 'production', 'c${made}_', 'ok', '{}', '{}', '{}')`,
    );
    const credential = { kind: 'api_key', key: sim.apiKey } as const;
    return { ...connectionTo(lever, credential), tenantId, id, baseUrl: `${sim.url}/`, ...given };
  }

  beforeAll(async () => {
    app = await startApp();
    beside = await startApp({}, app);
    for (const { nest } of [app.app, beside.app]) nest.get(AtsCallOptions, { strict: false }).paceFactor = 1;
    sim = await startLever({ rateFactor: 1_000 });
  });
  afterAll(async () => {
    await sim.close();
    await beside.close();
    await app.close();
  });

  const apisOf = (one: TestApp): AtsApis => one.app.nest.get(AtsApis);
  const failureOf = (promise: Promise<unknown>): Promise<AtsFailure> =>
    promise.then(
      () => Promise.reject(new Error('it did not fail')),
      (error: unknown) => error as AtsFailure,
    );

  it('are made by no process before the pause of a 429 is over', async () => {
    const one = await connection();
    sim.fault({ kind: 'status', status: 429, retryAfter: 20 });
    const first = await failureOf(lever.test(apisOf(app).of(one)));
    expect(first).toMatchObject({ kind: 'away', reason: 'rate_limited', retryAfterMs: 20_000 });
    const { length } = sim.requests;
    const second = await failureOf(lever.test(apisOf(beside).of(one)));
    expect(second).toMatchObject({ kind: 'away', reason: 'rate_limited' });
    expect(second.retryAfterMs).toBeGreaterThan(15_000);
    expect(sim.requests.length).toBe(length);
    expect(await lever.test(apisOf(beside).of(await connection()))).toMatch('Lever answers');
  });

  long('keep the pace of the vendor over two processes', async () => {
    const one = await connection();
    const began = performance.now();
    const calls = [app, beside].flatMap((process) =>
      Array.from({ length: 12 }, () => lever.test(apisOf(process).of(one))),
    );
    await Promise.all(calls);
    // Ten at once, and fourteen more at ten a second.
    expect(performance.now() - began).toBeGreaterThan(1_200);
  });

  it('are refused with a reason when no call is possible', async () => {
    const apis = apisOf(app);
    const other = async (given: Partial<AtsConnection>): Promise<unknown> => {
      const one = await connection(given);
      try {
        return apis.of(one);
      } catch (error) {
        return error;
      }
    };
    expect(await other({ provider: 'unknown' })).toMatchObject({ kind: 'away', reason: 'unknown_provider' });
    expect(await other({ baseUrl: null, region: 'moon' })).toMatchObject({ reason: 'unknown_region' });
    expect(await other({ baseUrl: 'not an address' })).toMatchObject({ reason: 'blocked' });
    const old = await other({ provider: greenhouse.provider, baseUrl: 'https://harvest.greenhouse.io/v1' });
    expect(old).toMatchObject({ reason: 'wrong_address', message: expect.stringContaining('v3') });
  });
});
