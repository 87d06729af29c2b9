import { TaskInterrupted, type Batch, type TaskKind } from '../../../src/engine/work/task.js';
import { TasksRepository, type ClaimedTask } from '../../../src/engine/work/tasks.repository.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

const QUEUE: TaskKind[] = ['changes.resend', 'platform.reforward'];
const ACTOR = { kind: 'system', id: 'test' } as never;

describe('claims of tasks', () => {
  let database: TestDatabase;
  let tasks: TasksRepository;
  let claims: TasksRepository;
  beforeAll(async () => {
    database = await testDatabase();
    tasks = new TasksRepository(database.db);
    claims = tasks;
  });
  afterEach(() => database.owner.execute(`delete from tasks`));
  afterAll(() => database.close());

  const tenant = async (name: string): Promise<string> => {
    await database.owner.execute(
      `insert into tenants (id, name) values ('ten_${name}', '${name}') on conflict do nothing`,
    );
    return `ten_${name}`;
  };
  const add = async (tenantId: string, kind: TaskKind = 'changes.resend', payload: object = {}) =>
    (await tasks.add(database.db, tenantId, { kind, payload, createdBy: ACTOR })).id;
  const claim = (tenantId: string) => claims.nextDue(database.db, tenantId, QUEUE);
  const progress = (...of: [ClaimedTask, Batch]) => claims.progress(database.db, ...of);
  const postpone = (...of: [ClaimedTask, unknown]) => claims.postpone(database.db, ...of);
  const endLease = () => database.owner.execute(`update tasks set lease_until = now()`);

  it('take turns: a task that had a batch goes to the end of the row', async () => {
    const t = await tenant('turns');
    const large = await add(t);
    const later = await add(t);
    const first = (await claim(t))!;
    expect(first.id).toBe(large);
    await progress(first, { done: 500, next: { after: '500' } });
    const second = (await claim(t))!;
    expect(second.id).toBe(later);
    await progress(second, { done: 1, next: null });
    expect(await claim(t)).toMatchObject({ id: large, done: 500, payload: { after: '500' } });
  });

  it('are those of the queue', async () => {
    const t = await tenant('one');
    await add(t, 'platform.import');
    expect(await claim(t)).toBeNull();
    expect(await claims.nextDue(database.db, t, ['platform.import'])).not.toBeNull();
  });

  it('pause longer after each failure, and begin anew after a success', async () => {
    const t = await tenant('rest');
    await add(t, 'changes.resend', { since: 'then' });
    const pauses: number[] = [];
    for (let i = 0; i < 3; i++) {
      await postpone((await claim(t))!, new TaskInterrupted('the platform is away'));
      expect(await claim(t)).toBeNull();
      const { rows } = await database.db.query<{ s: number }>(
        `select round(extract(epoch from lease_until - now()))::int as s from tasks where tenant_id = $1`,
        ['ten_rest'],
      );
      pauses.push(rows[0]!.s);
      await endLease();
    }
    expect(pauses).toEqual([10, 20, 40]);
    const task = (await claim(t))!;
    await progress(task, { done: 1, next: { ...task.payload, after: '1' } });
    expect(await claim(t)).toMatchObject({ payload: { since: 'then', after: '1' }, failures: 0 });
  });

  it('end with the last cause after 24 failures in a row', async () => {
    const t = await tenant('endless');
    const id = await add(t);
    await database.owner.execute(`update tasks set failures = 22`);
    const away = new TaskInterrupted('the platform is away: 503');
    expect(await postpone((await claim(t))!, away)).toBe(true);
    await endLease();
    expect(await postpone((await claim(t))!, away)).toBe(false);
    expect(await tasks.find(t, id)).toMatchObject({
      state: 'failed',
      error: 'Given up after 24 failures in a row. The last one: the platform is away: 503',
      finished_at: expect.any(Date) as Date,
    });
    expect(await claim(t)).toBeNull();
  });

  it('never show the tenant an error of the database', async () => {
    const t = await tenant('secret');
    const id = await add(t);
    await database.owner.execute(`update tasks set failures = 23`);
    await postpone((await claim(t))!, new Error('relation "users" does not exist'));
    expect((await tasks.find(t, id))!.error).not.toContain('relation');
  });

  it('show at most their total, and exactly their total at the end', async () => {
    const t = await tenant('totals');
    const progressOf = async (batches: { done: number; total?: number }[], total?: number) => {
      const { id } = await tasks.add(database.db, t, {
        kind: 'changes.resend',
        payload: {},
        createdBy: ACTOR,
        ...(total !== undefined && { total }),
      });
      const seen: string[] = [];
      for (const [place, batch] of batches.entries()) {
        const next = place === batches.length - 1 ? null : {};
        await progress((await claim(t))!, { ...batch, next });
        const task = (await tasks.find(t, id))!;
        seen.push(`${task.done}/${task.total}`);
      }
      return seen;
    };
    // Counted at the beginning; users came meanwhile, or left.
    expect(await progressOf([{ done: 2 }, { done: 2 }, { done: 0 }], 3)).toEqual(['2/3', '4/4', '4/4']);
    expect(await progressOf([{ done: 2 }, { done: 0 }], 3)).toEqual(['2/3', '2/2']);
    // Not counted, and counted on the way.
    expect(await progressOf([{ done: 2 }, { done: 1 }])).toEqual(['2/null', '3/3']);
    expect(await progressOf([{ done: 2 }, { done: 1, total: 9 }, { done: 7, total: 8 }])).toEqual([
      '2/null',
      '3/9',
      '10/10',
    ]);
  });

  it('store no progress of a batch whose task was cancelled meanwhile', async () => {
    const t = await tenant('stop');
    const id = await add(t);
    const task = (await claim(t))!;
    expect(await tasks.cancel(database.db, t, id)).toBe(true);
    await progress(task, { done: 500, next: { after: '500' } });
    expect(await tasks.find(t, id)).toMatchObject({ state: 'cancelled', done: 0 });
    expect(await claim(t)).toBeNull();
    expect(await tasks.cancel(database.db, t, id)).toBe(false);
  });

  it('do not take a task that a request has reserved', async () => {
    const t = await tenant('reserved');
    const task = { kind: 'changes.resend', payload: {}, createdBy: ACTOR, reservedSeconds: 30 } as const;
    const { id } = await tasks.add(database.db, t, task);
    expect(await claim(t)).toBeNull();
    await tasks.finish(t, id);
    expect(await tasks.find(t, id)).toMatchObject({ state: 'done' });
  });
});
