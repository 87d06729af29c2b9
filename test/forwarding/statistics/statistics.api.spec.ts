import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AcceptedChanges } from '../../../src/forwarding/statistics/accepted-changes.js';
import { SandboxPlatform } from '../../../src/sandbox/sandbox-platform.js';
import { startApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { newHouse, type House } from '../../support/house.js';
import { eventually } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { madeUser } from '../../support/scim.js';

interface Line {
  from: string;
  accepted: number;
  confirmed: number;
  failed: number;
  parked: number;
  lag_p50_ms: number | null;
  lag_p95_ms: number | null;
}

let service: TestApp;
let sandbox: SandboxPlatform;
beforeAll(async () => {
  service = await startApp();
  sandbox = new SandboxPlatform({ databaseUrl: service.databaseUrl, port: 0 });
  await sandbox.start();
});
afterAll(async () => {
  await sandbox.stop();
  await service.close();
});

const linesOf = async ({ api }: House, query = ''): Promise<Line[]> => {
  const { status, body } = await api.get(`/changes/statistics${query}`);
  expect(status).toBe(200);
  return body.data as Line[];
};
const sumOf = (lines: Line[], name: 'accepted' | 'confirmed' | 'failed' | 'parked'): number =>
  lines.reduce((sum, line) => sum + line[name], 0);
const connect = ({ api, tenantId }: House, url = sandbox.url) =>
  api.put('/platform', { base_url: url, api_key: `key-${tenantId}`, timeout_ms: 1_000 });
const drained = ({ api }: House) =>
  eventually(
    () => api.get('/platform'),
    ({ body }) => body.waiting === 0,
  );

long('counts each change once, before it is in the totals and after', async () => {
  const [at, other] = [await newHouse(service), await newHouse(service)];
  await connect(at);
  for (let n = 0; n < 3; n++) await madeUser(at.scim);
  await drained(at);
  const before = await linesOf(at);
  expect(before).toHaveLength(24);
  expect(sumOf(before, 'accepted')).toBe(3);
  const { rows } = await service.db.query(
    `select count(*)::int as n from attempts where tenant_id = $1 and outcome = 'delivered'`,
    [at.tenantId],
  );
  expect(sumOf(before, 'confirmed')).toBe(rows[0]!['n']);
  const last = before.findLast(({ confirmed }) => confirmed > 0)!;
  expect(last.lag_p50_ms).toBeGreaterThan(0);
  expect(last.lag_p95_ms).toBeGreaterThanOrEqual(last.lag_p50_ms!);
  const rounds = service.app.nest.get(AcceptedChanges);
  // A transaction of another spec that is still open holds the horizon back.
  await eventually(
    async () => {
      await rounds.run();
      const { rows: marks } = await service.db.query(
        `select (select max(sequence) from changes c where c.tenant_id = $1) = d.sequence as all from counted_changes d where d.tenant_id = $1`,
        [at.tenantId],
      );
      return marks[0]?.['all'] as boolean | undefined;
    },
    (isAll) => isAll === true,
  );
  await rounds.run();
  expect(sumOf(await linesOf(at), 'accepted')).toBe(3);
  await madeUser(at.scim);
  expect(sumOf(await linesOf(at, '?interval=day'), 'accepted')).toBe(4);
  expect(sumOf(await linesOf(other), 'accepted')).toBe(0);
});

it('counts what the platform refuses, and users whose change is parked', async () => {
  const refusing = createServer((req, res) => {
    req.resume().on('end', () => res.writeHead(422, { 'content-type': 'application/json' }).end('{"error":"no"}'));
  });
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  const at = await newHouse(service);
  await connect(at, `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`);
  await madeUser(at.scim);
  const lines = await eventually(
    () => linesOf(at),
    (found) => sumOf(found, 'parked') === 1,
  );
  expect([sumOf(lines, 'accepted'), sumOf(lines, 'confirmed'), sumOf(lines, 'failed')]).toEqual([1, 0, 1]);
  refusing.close();
});

long('adds a year up by days, from hours that are kept', async () => {
  const at = await newHouse(service);
  await service.db.query(
    `insert into delivery_hours select $1, 'platform', 'main', h, 1, 2, 3, 4, '{0,2}'
     from generate_series('2025-01-01'::timestamptz, '2025-12-31T23:00Z', interval '1 hour') h`,
    [at.tenantId],
  );
  const year = await linesOf(at, '?interval=day&from=2025-01-01&to=2026-01-01');
  expect(year).toHaveLength(365);
  expect(year[364]).toEqual({
    from: '2025-12-31T00:00:00.000Z',
    accepted: 24,
    confirmed: 48,
    failed: 72,
    parked: 96,
    lag_p50_ms: 12,
    lag_p95_ms: 12,
  });
  const hours = await linesOf(at, '?from=2025-06-01T10:30:00Z&to=2025-06-01T12:00:00Z');
  expect(hours.map(({ from }) => from)).toEqual(['2025-06-01T10:00:00.000Z', '2025-06-01T11:00:00.000Z']);
  const shown = await commandLine(service, at.apiKey)(
    'changes', 'statistics', '--from', '2025-06-01', '--to', '2025-06-02', '--interval', 'day', '--json',
  ); // prettier-ignore
  expect(shown.json).toMatchObject([{ accepted: 24 }]);
});

it.each([
  ['interval=week', 'interval'],
  ['interval=', 'interval'],
  ['from=yesterday', 'from'],
  ['to=2026-02-30', 'to'],
  ['from=2026-02-02&to=2026-02-01', 'from'],
  ['from=2026-02-02&to=2026-02-02', 'from'],
  ['from=2026-01-01&to=2026-03-01', 'to'],
  ['interval=day&from=2024-01-01&to=2026-01-01', 'to'],
  ['since=2026-01-01', 'since'],
])('refuses %s with 422 at the field', async (query, field) => {
  const at = await newHouse(service);
  const { status, body } = await at.api.get(`/changes/statistics?${query}`);
  expect([status, body.errors[0].field]).toEqual([422, field]);
});
