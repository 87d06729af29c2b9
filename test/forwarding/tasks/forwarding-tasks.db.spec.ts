import net from 'node:net';
import { SystemClock } from '../../../src/base/clock.js';
import { WorkSlots } from '../../../src/base/loop.js';
import { NamedUsersRepository } from '../../../src/directory-sync/users/answers/user-answers.js';
import { CallingTasks, LocalTasks } from '../../../src/engine/work/task-work.js';
import { TaskHandlers, type TaskKind } from '../../../src/engine/work/task.js';
import { TasksRepository } from '../../../src/engine/work/tasks.repository.js';
import type { WorkEngine } from '../../../src/engine/work/work.engine.js';
import { PlatformClient } from '../../../src/forwarding/platform-client/platform.client.js';
import { DriftStep } from '../../../src/forwarding/tasks/drift.step.js';
import { ForwardingTasks } from '../../../src/forwarding/tasks/forwarding-tasks.js';
import { ImportStep } from '../../../src/forwarding/tasks/import.step.js';
import { PlatformList } from '../../../src/forwarding/tasks/platform-list.js';
import { workEngine } from '../../support/work.js';
import { Harness, SOURCE, until } from '../harness.js';

/** A platform that accepts every connection and never answers. */
async function silence(): Promise<{ url: string; close(): void }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('tasks of forwarding', () => {
  let h: Harness;
  let tasks: TasksRepository;
  let engine: WorkEngine;
  beforeAll(async () => {
    h = await Harness.start();
    tasks = new TasksRepository(h.db);
    const list = new PlatformList(new PlatformClient(h.outbound), h.connections, new SystemClock(), h.db);
    const leftOut = { addLeftOut: () => Promise.resolve() } as never;
    const importing = new ImportStep(
      h.db,
      h.destinations,
      list,
      // The room of the users stands above and has no part here: no import gets as far as its port.
      { connected: { importUnmanaged: () => Promise.resolve({ kind: 'left_out' }) } } as never,
      leftOut,
      new WorkSlots(),
    );
    const users = new NamedUsersRepository(h.db);
    const drift = new DriftStep(
      h.db,
      h.destinations,
      list,
      leftOut,
      { record: () => Promise.resolve([]) } as never,
      users,
    );
    const handlers = new TaskHandlers();
    new ForwardingTasks(handlers, h.forwarding, importing, drift, h.db);
    const parts = [h.db, new TasksRepository(h.db), handlers, h.logger] as const;
    engine = workEngine(h.db, [new LocalTasks(...parts), new CallingTasks(...parts)], h.logger).engine;
  });
  afterAll(() => h.stop());

  const add = (tenantId: string, kind: TaskKind, payload: object = {}) =>
    tasks.add(h.db, tenantId, { kind, payload, createdBy: SOURCE.actor });

  it('of tenants whose platforms hang delay no other tenant', async () => {
    const quiet = await silence();
    try {
      for (const name of ['hang1', 'hang2', 'hang3', 'hang4', 'hang5']) {
        await add(await h.tenant(name, {}, quiet.url), 'platform.import');
      }
      const quick = await h.tenant('quick');
      const { id } = await add(quick, 'changes.resend', { since: new Date(0) });
      engine.start();
      await until(async () => (await tasks.find(quick, id))?.state === 'done', 5_000);
    } finally {
      quiet.close();
      await engine.stop();
    }
  });
});
