import { AtsPaces } from '../../../../src/integrations/ats/calls/connection-api.js';
import { startApp, type TestApp } from '../../../support/app.js';

const PACE = { perSecond: 10, burst: 3 };

describe('the pace of calls to an ATS', () => {
  let app: TestApp;
  let paces: AtsPaces;
  let made = 0;

  /** A connection that was never called. */
  async function connection(): Promise<[string, string]> {
    const { tenantId } = app.tenant;
    const id = `ats_pace${++made}`;
    await app.db.execute(
      `insert into ats_connections (tenant_id, id, provider, name, region, marker, state, takes, writes, created_by)
       values ('${tenantId}', '${id}', 'lever', 'x', 'production', 'p${made}_', 'ok', '{}', '{}', '{}')`,
    );
    return [tenantId, id];
  }

  beforeAll(async () => {
    app = await startApp();
    paces = app.app.nest.get(AtsPaces);
  });
  afterAll(() => app.close());

  it('allows a burst, and then one call after another', async () => {
    const of = await connection();
    const turns = [];
    for (let i = 0; i < 6; i++) turns.push(await paces.take(...of, PACE, 2_000));
    expect(turns.slice(0, 3)).toEqual(Array(3).fill({ kind: 'go', afterMs: 0 }));
    for (const turn of turns.slice(3)) expect(turn.afterMs).toBeLessThanOrEqual(300);
    expect(turns[5]!.afterMs).toBeGreaterThan(turns[3]!.afterMs);
  });

  it('keeps the rate for concurrent calls of all processes', async () => {
    const of = await connection();
    const began = performance.now();
    const turns = await Promise.all(Array.from({ length: 40 }, () => paces.take(...of, PACE, 2_000)));
    const lasted = (performance.now() - began) / 1_000;
    const going = turns.filter(({ kind }) => kind === 'go');
    // A burst, and what two seconds admit, and the time that asking took.
    expect(going.length).toBeGreaterThanOrEqual(20);
    expect(going.length).toBeLessThanOrEqual(25 + PACE.perSecond * lasted);
    const waits = going.map(({ afterMs }) => afterMs).sort((one, other) => one - other);
    expect(waits.at(-1)).toBeGreaterThan(1_500);
    for (const turn of turns) if (turn.kind === 'later') expect(turn.afterMs).toBeGreaterThanOrEqual(1_000);
  });

  it('keeps the longer one of two pauses that the ATS asks for', async () => {
    const of = await connection();
    await paces.pause(...of, 20_000);
    await paces.pause(...of, 5_000);
    const turn = await paces.take(...of, PACE, 2_000);
    expect(turn.kind).toBe('later');
    expect(turn.afterMs).toBeGreaterThan(15_000);
    expect((await paces.take(...(await connection()), PACE, 2_000)).kind).toBe('go');
  });
});
