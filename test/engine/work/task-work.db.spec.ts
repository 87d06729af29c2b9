import { Logger } from '../../../src/base/log/logger.js';
import { CallingTasks, LocalTasks } from '../../../src/engine/work/task-work.js';
import { TaskHandlers, TaskFailed, type TaskHandler, type TaskKind } from '../../../src/engine/work/task.js';
import { TasksRepository } from '../../../src/engine/work/tasks.repository.js';
import type { WorkEngine } from '../../../src/engine/work/work.engine.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';
import { workEngine } from '../../support/work.js';

const ACTOR = { kind: 'system', id: 'test' } as never;

describe('the work on tasks', () => {
  let database: TestDatabase;
  let tasks: TasksRepository;
  beforeAll(async () => {
    database = await testDatabase();
    tasks = new TasksRepository(database.db);
  });
  afterEach(() => database.owner.execute(`delete from tasks; delete from work_entries`));
  afterAll(() => database.close());

  const add = async (tenant: string, kind: TaskKind): Promise<string> => {
    const id = `ten_${tenant}`;
    await database.owner.execute(`insert into tenants (id, name) values ('${id}', '${tenant}') on conflict do nothing`);
    return (await tasks.add(database.db, id, { kind, payload: {}, createdBy: ACTOR })).id;
  };
  const started = (local: TaskHandler['run'], calling: TaskHandler['run']): WorkEngine => {
    const handlers = new TaskHandlers();
    handlers.add(['rules-changed'], { run: local });
    handlers.add(['platform.import'], { run: calling, callsOut: true });
    const parts = [database.db, new TasksRepository(database.db), handlers, new Logger('silent')] as const;
    const { engine } = workEngine(database.db, [new LocalTasks(...parts), new CallingTasks(...parts)]);
    engine.start();
    return engine;
  };
  const done = { done: 1, next: null };

  it.each([
    ['one that calls another system', 'tasks that call no other system', 'rules-changed', 'platform.import'],
    ['one that calls no other system', 'tasks whose platforms hang', 'platform.import', 'rules-changed'],
    ['another import', 'tasks whose platforms hang', 'platform.import', 'platform.import'],
  ] as const)('does %s while many %s are under way', async (_one, _many, many, one) => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let ran: () => void = () => undefined;
    const other = new Promise<void>((resolve) => (ran = resolve));
    for (let n = 0; n < 6; n++) await add(`many${n}`, many);
    await add('other', one);
    const work: TaskHandler['run'] = async (task) => {
      if (task.tenantId === 'ten_other') ran();
      else await held;
      return done;
    };
    const engine = started(work, work);
    await other;
    release();
    await engine.stop();
  });

  it('ends a task that cannot continue, with its cause, and works on', async () => {
    const id = await add('broken', 'platform.import');
    const engine = started(
      async () => done,
      async () => {
        throw new TaskFailed('There is no platform connection.');
      },
    );
    await engine.drain('tasks', 'tasks.calling');
    await engine.stop();
    expect(await tasks.find('ten_broken', id)).toMatchObject({
      state: 'failed',
      error: 'There is no platform connection.',
    });
  });
});
