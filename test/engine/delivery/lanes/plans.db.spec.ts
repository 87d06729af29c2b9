import pg, { type QueryResult } from 'pg';
import type { SqlRunner } from '../../../../src/base/database/database.js';
import { WriteStatement } from '../../../../src/base/database/write-statement.js';
import type { Destination } from '../../../../src/engine/delivery/destination.js';
import type { LeasedLane } from '../../../../src/engine/delivery/lane-state.js';
import { rebind } from '../../../../src/engine/delivery/lanes/admin.js';
import { claim, type ClaimOptions } from '../../../../src/engine/delivery/lanes/claim.js';
import { enqueueMessages } from '../../../../src/engine/delivery/lanes/enqueue.js';
import { claimedLane } from '../../../../src/engine/delivery/lanes/lane.js';
import { plainOf, settlePlain } from '../../../../src/engine/delivery/lanes/settle.js';
import { settlementOf } from '../../../../src/engine/delivery/lanes/settlement.rules.js';
import { lock, write } from '../../../../src/engine/delivery/lanes/write.js';
import { steadyPause } from '../../../../src/engine/delivery/retry.rules.js';
import { platformOf } from '../../../../src/forwarding/connections.js';
import { Harness } from '../../../forwarding/harness.js';
import { callWith, createdAttempt, TOKEN } from '../../../support/lanes.js';

// The cost of a statement must not grow with the table, for any statistics: plans are
// generic, and random reads cost what PostgreSQL assumes by default.
const LANES = 4_000;
const POLICY = { active: 'inactive', inactive: 'inactive', deleted: 'delete' };
const OPTIONS: ClaimOptions = { limit: 100, leaseMs: 60_000, mode: 'normal', policy: POLICY };

let h: Harness;
let t: string;
let destination: Destination;
beforeAll(async () => {
  h = await Harness.start();
  t = await h.tenant('plans');
  destination = (await h.destinations.read(platformOf(t)))!;
  await h.db.query(
    `insert into lanes (tenant_id, channel, destination, subject, state, target_state, target_body, rank, first_pending,
       last_pending, pending_since)
     select $1, 'platform', 'main', 'usr_' || i, 'due', 'active', repeat('x', 150), 1, i, i, now()
     from generate_series(1, ${LANES}) i`,
    [t],
  );
});
afterAll(() => h.stop());

/** Collects statements instead of running them. */
class Collector implements SqlRunner {
  readonly statements: { text: string; values: unknown[] }[] = [];
  query<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    this.statements.push({ text, values });
    return Promise.resolve({ rows: [], rowCount: 0, command: '', oid: 0, fields: [] });
  }
  shaped<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>> {
    return this.query(text, values);
  }
}

/** Returns a parameter as SQL. */
function literalOf(value: unknown): string {
  if (value === null) return 'null';
  if (!Array.isArray(value)) return pg.escapeLiteral(textOf(value));
  const items = value.map((item) => (item === null ? 'null' : JSON.stringify(textOf(item))));
  return pg.escapeLiteral(`{${items.join(',')}}`);
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/** Returns the plan of the one statement that `send` sends. */
async function planOf(send: (runner: SqlRunner) => Promise<unknown>): Promise<string> {
  const collector = new Collector();
  await send(collector);
  expect(collector.statements).toHaveLength(1);
  const { text, values } = collector.statements[0]!;
  const literals = values.map(literalOf);
  const client = new pg.Client({ connectionString: h.database.url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('analyze lanes');
    await client.query('set local plan_cache_mode = force_generic_plan');
    await client.query('set local enable_bitmapscan = off');
    await client.query('set local random_page_cost = 4');
    await client.query(`prepare planned as ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute planned(${literals.join(', ')})`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}

describe.each(['full of lanes that are due', 'full of idle lanes'])('a table %s is not read as a whole', (state) => {
  beforeAll(async () => {
    if (state.includes('idle')) {
      await h.db.query(
        `update lanes set state = 'idle', first_pending = null, pending_since = null where tenant_id = $1`,
        [t],
      );
    }
  });

  it('by a claim', async () => {
    expect(await planOf((db) => claim(db, destination, OPTIONS))).not.toContain('Seq Scan on lanes');
    expect(await planOf((db) => claim(db, destination, { ...OPTIONS, early: true }))).not.toContain(
      'Seq Scan on lanes',
    );
  });

  it('by a settlement', async () => {
    const lane: LeasedLane = {
      subject: 'usr_1',
      token: TOKEN,
      call: callWith(),
      failureCount: 0,
      fresh: true,
      claimedAt: 0,
      waitedMs: 0,
    };
    const attempt = createdAttempt();
    const event = settlementOf(lane, { kind: 'delivered', bind: 'hp_1' }, steadyPause({ firstMs: 0, maxMs: 0 }), 0);
    const plain = plainOf({ lane, event, attempts: [attempt] })!;
    const plan = await planOf((db) => settlePlain(db, platformOf(t), [plain], 0));
    expect(plan).not.toContain('Seq Scan on lanes');
    expect(await planOf((db) => settlePlain(db, platformOf(t), [plain], 0, false))).not.toContain('Seq Scan on lanes');
    const before = claimedLane(lane);
    const change = { subject: lane.subject, before, after: before };
    expect(await planOf((db) => write(db, platformOf(t), [change]))).not.toContain('Seq Scan on lanes');
  });

  it('by a message for several destinations', async () => {
    const statement = new WriteStatement().subject(
      () => `select 7::bigint as sequence, null::text as record, now() as at`,
    );
    const receivers = [1, 2].map((n) => ({ id: `whk_${n}`, ordered: n === 1 }));
    enqueueMessages(statement, { tenantId: t, channel: 'webhook' }, receivers, {
      part: { name: 'subject' },
      id: `'evt_7'`,
      record: 'm.record',
      at: 'm.at',
    });
    expect(await planOf((db) => statement.run(db))).not.toContain('Seq Scan on lanes');
  });

  it('by a lock of many', async () => {
    const plan = await planOf((db) => lock(db, platformOf(t), 'l.subject = any($4::text[])', [['usr_1', 'usr_2']]));
    expect(plan).not.toContain('Seq Scan on lanes');
    expect(await planOf((db) => rebind(db, platformOf(t), 2, ''))).not.toContain('Seq Scan on lanes');
  });
});
