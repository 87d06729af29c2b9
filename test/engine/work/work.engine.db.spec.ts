import { setTimeout as sleep } from 'node:timers/promises';
import {
  again,
  failed,
  IntervalWork,
  LeaseLost,
  WorkKind,
  type TurnOutcome,
  type Turn,
} from '../../../src/base/work/work.js';
import { Places } from '../../../src/engine/work/work-entries.repository.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/ats.js';
import { long } from '../../support/rounds.js';
import { workEngine } from '../../support/work.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  // What is due of the kinds below: a room's own table.
  await database.owner.execute(
    `create table pieces (tenant_id text collate "C", id text collate "C", since timestamptz default clock_timestamp(), server text);
     grant all on pieces to talent_bridge_service`,
  );
});
afterEach(() => database.owner.execute(`delete from work_entries; delete from pieces`));
afterAll(() => database.close());

/** Work on the rows of `pieces`. `turn` is what a turn does; without more, its row is removed. */
class Piecework extends WorkKind {
  override readonly kind: string = 'pieces';
  override readonly everyMs = 0;
  override readonly callsOut: boolean = false;
  override readonly backoff = { firstMs: 1_000, mostMs: 4_000 };
  readonly ran: string[] = [];

  constructor(private readonly turn: (turn: Turn) => Promise<TurnOutcome | void> = async () => undefined) {
    super();
  }

  override due(): string {
    return `select tenant_id, id, since, server from pieces`;
  }

  override async run(turn: Turn): Promise<TurnOutcome | void> {
    this.ran.push(`${turn.tenantId} ${turn.id}`);
    const outcome = await this.turn(turn);
    if (outcome === undefined) await remove(turn.id);
    return outcome;
  }
}
class Calls extends Piecework {
  override readonly kind = 'calls';
  override readonly callsOut = true;
}
class Sweep extends IntervalWork {
  override readonly kind = 'sweep';
  override readonly everyMs = 3_600_000;
  runs = 0;

  constructor(private readonly work: () => Promise<void> = async () => undefined) {
    super();
  }

  override async run(): Promise<void> {
    this.runs++;
    await this.work();
  }
}

const remove = (id: string) => database.owner.execute(`delete from pieces where id = $1`, [id]);
const put = (tenantId: string, id: string, server: string | null = null) =>
  database.owner.execute(`insert into pieces (tenant_id, id, server) values ($1, $2, $3)`, [tenantId, id, server]);
const entry = async (id: string) =>
  (
    await database.owner.execute<{ failures: number; rest: number; holder: string | null; reason: string | null }>(
      `select failures, round(extract(epoch from free_at - now()) * 1000)::int as rest, holder, reason from work_entries where id = $1`,
      [id],
    )
  ).rows[0];
const places = () => new Places({ all: 4, ofTenant: 1, ofServer: 4 });
const gate = () => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
};

describe('work with an interval', () => {
  long('is done once by many processes, and again when it is due, also after a restart', async () => {
    const sweeps = [new Sweep(() => sleep(100)), new Sweep(() => sleep(100)), new Sweep()];
    const engines = sweeps.map((sweep) => workEngine(database.db, [sweep]).engine);
    for (const engine of engines) engine.start();
    const runs = () => sweeps.reduce((sum, { runs: n }) => sum + n, 0);
    await until(async () => runs() === 1, 10_000);
    await sleep(1_500);
    for (const engine of engines) await engine.stop();
    const restarted = workEngine(database.db, [sweeps[2]!]).engine;
    await restarted.drain('sweep');
    expect(runs()).toBe(1);
    await database.owner.execute(`update work_entries set due_at = now()`);
    await restarted.drain('sweep');
    expect(runs()).toBe(2);
  });

  it('is repeated soon after a failure', async () => {
    const sweep = new Sweep(() => Promise.reject(new Error('no room')));
    const { engine, entries } = workEngine(database.db, [sweep]);
    await entries.addIntervals();
    await engine.drain('sweep');
    const state = await entry('');
    expect(state).toMatchObject({
      failures: 1,
      holder: null,
      reason: expect.stringContaining('work.failed') as string,
    });
    expect(state!.rest).toBeGreaterThan(5_000);
    expect(state!.rest).toBeLessThanOrEqual(10_000);
  });
});

describe('turns', () => {
  it('are those of tenants, one after the other, and not of pieces', async () => {
    for (let i = 0; i < 5; i++) await put('ten_many', `m${i}`);
    await put('ten_one', 'o');
    const kind = new Piecework();
    await workEngine(database.db, [kind]).engine.drain('pieces');
    expect(kind.ran).toHaveLength(6);
    expect(kind.ran.indexOf('ten_one o')).toBeLessThan(2);
  });

  it('continue with work that is not over after those of others', async () => {
    await put('ten_a', 'large');
    await put('ten_b', 'small');
    let rounds = 0;
    const kind = new Piecework(async ({ id }) => (id === 'large' && ++rounds < 3 ? again() : undefined));
    await workEngine(database.db, [kind]).engine.drain('pieces');
    expect(kind.ran).toEqual(['ten_a large', 'ten_b small', 'ten_a large', 'ten_a large']);
  });

  long.each([
    ['a tenant whose servers hang', 'ten_slow', null, 4],
    ['a server that hangs', null, 'hangs.example', 16],
  ])('of others continue beside %s', async (_, tenant, server, most) => {
    const { opened, open } = gate();
    const kind = new Calls(async ({ tenantId }) => {
      if (tenantId !== 'ten_other') await opened;
    });
    for (let i = 0; i < 20; i++) await put(tenant ?? `ten_${i}`, `s${i}`, server);
    const { engine } = workEngine(database.db, [kind]);
    engine.start();
    await until(async () => kind.ran.length === most, 20_000);
    await put('ten_other', 'quick', 'other.example');
    await until(async () => kind.ran.includes('ten_other quick'), 10_000);
    expect(kind.ran).toHaveLength(most + 1);
    open();
    await engine.stop();
  });

  it('that fail rest longer each time, and begin anew after a success', async () => {
    await put('ten_a', 'bad');
    const outcomes: TurnOutcome[] = [
      failed('away'),
      failed('away'),
      failed('away'),
      failed('away'),
      failed('away', 9_000),
      again(),
    ];
    const kind: Piecework = new Piecework(() => Promise.resolve(outcomes.shift()));
    const { engine } = workEngine(database.db, [kind]);
    const rests: number[] = [];
    for (let i = 0; i < 5; i++) {
      await engine.drain('pieces');
      rests.push(Math.ceil((await entry('bad'))!.rest / 1_000));
      await database.owner.execute(`update work_entries set free_at = now()`);
    }
    expect(rests).toEqual([1, 2, 4, 4, 9]);
    expect(await entry('bad')).toMatchObject({ failures: 5, reason: 'away' });
    await engine.drain('pieces');
    expect(await entry('bad')).toBeUndefined();
  });
});

describe('a lease', () => {
  const claimed = async () => {
    await put('ten_a', 'x');
    const kinds = [new Piecework()];
    const { entries } = workEngine(database.db, kinds);
    const claim = async () => (await entries.claim(kinds, places(), places()))[0];
    return { entries, claim, first: (await claim())! };
  };
  const end = () => database.owner.execute(`update work_entries set free_at = now()`);

  it('keeps every other process away, and a heartbeat renews it', async () => {
    const { entries, claim, first } = await claimed();
    expect(await claim()).toBeUndefined();
    await end();
    expect(await entries.renew([first])).toEqual([]);
    expect((await entry('x'))!.rest).toBeGreaterThan(10_000);
    expect(await claim()).toBeUndefined();
  });

  it('that has ended lets its former holder write nothing', async () => {
    const { entries, claim, first } = await claimed();
    await end();
    const second = (await claim())!;
    expect(await entries.renew([first, second])).toEqual([0]);
    const write = (work: typeof first) =>
      database.db.transaction('ten_a', async (tx) => {
        await entries.hold(tx, work);
        return 'written';
      });
    await expect(write(first)).rejects.toThrow(LeaseLost);
    expect(await write(second)).toBe('written');
    expect(await entries.release(first, again(), 0, null)).toBe(false);
    expect((await entry('x'))!.holder).toBe(second.holder);
  });

  it('cannot end while a transaction of its turn writes, and the heartbeat waits for no such transaction', async () => {
    const { entries, claim, first } = await claimed();
    await end();
    const { opened, open } = gate();
    const { opened: held, open: hold } = gate();
    const write = database.db.transaction('ten_a', async (tx) => {
      await entries.hold(tx, first);
      hold();
      await opened;
    });
    await held;
    expect(await entries.renew([first])).toEqual([]);
    const other = claim();
    expect(await Promise.race([other, sleep(300).then(() => 'waits')])).toBe('waits');
    open();
    await write;
    expect(await other).toBeUndefined();
  });

  it('is given back when the process stops, and its turn learns that it is to end', async () => {
    await put('ten_a', 'long');
    const kind = new Piecework(async (turn) => {
      while (!turn.isOver) await sleep(10);
      return again();
    });
    const { engine } = workEngine(database.db, [kind]);
    engine.start();
    await until(async () => kind.ran.length === 1, 10_000);
    await engine.stop();
    expect(await entry('long')).toMatchObject({ holder: null, failures: 0 });
  });
});
