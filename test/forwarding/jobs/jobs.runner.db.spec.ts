import net from 'node:net';
import { SystemClock } from '../../../src/base/clock.js';
import { DriftRepository } from '../../../src/forwarding/jobs/drift.repository.js';
import { DriftStep } from '../../../src/forwarding/jobs/drift.step.js';
import { PlatformList } from '../../../src/forwarding/jobs/platform-list.js';
import { ImportStep } from '../../../src/forwarding/jobs/import.step.js';
import { JobsRepository, KINDS } from '../../../src/forwarding/jobs/jobs.repository.js';
import { JobsRunner } from '../../../src/forwarding/jobs/jobs.runner.js';
import { SendAgainSteps } from '../../../src/forwarding/jobs/send-again.steps.js';
import { PlatformClient } from '../../../src/platform-client/platform.client.js';
import { TaskInterrupted } from '../../../src/tasks/task-failures.js';
import { Harness, SOURCE, until } from '../harness.js';

/** A platform that takes every connection and never says a word. */
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

describe('jobs', () => {
  let h: Harness;
  let jobs: JobsRepository;
  let runner: JobsRunner;
  beforeAll(async () => {
    h = await Harness.start();
    jobs = new JobsRepository(h.db);
    const list = new PlatformList(new PlatformClient(h.outbound), h.connections, new SystemClock());
    const leftOut = { add: () => Promise.resolve() } as never;
    const importing = new ImportStep(
      h.db,
      h.destinations,
      list,
      // The room of the people, which comes from above and has no part here: no import gets as far as them.
      { find: () => ({ importUnmanaged: () => Promise.resolve({ kind: 'left_out' }) }) } as never,
      leftOut,
    );
    const drift = new DriftStep(h.destinations, list, new DriftRepository(h.db), leftOut);
    runner = new JobsRunner(jobs, h.forwarding, h.logger, new SendAgainSteps(h.db), importing, drift);
  });
  afterEach(() => h.db.query(`delete from jobs`));
  afterAll(() => h.stop());

  const add = async (tenantId: string, kind: (typeof KINDS)[number], payload: object = {}) =>
    (await jobs.add(h.db, tenantId, kind, payload, SOURCE.actor)).id;
  const stateOf = async (tenantId: string) => (await jobs.list(tenantId)).map(({ state }) => state);

  it('of tenants whose platforms hang delay nobody else’s', async () => {
    const quiet = await silence();
    try {
      for (const name of ['hang1', 'hang2', 'hang3', 'hang4', 'hang5']) {
        await add(await h.tenant(name, {}, quiet.url), 'platform.import');
      }
      const quick = await h.tenant('jobsquick');
      await add(quick, 'changes.resend', { since: new Date(0) });
      runner.start();
      await until(async () => (await stateOf(quick))[0] === 'done', 5_000);
    } finally {
      quiet.close();
      await runner.stop();
    }
  });

  it('take turns: whoever had a batch goes to the end of the row', async () => {
    const a = await h.tenant('turn1');
    const b = await h.tenant('turn2');
    const large = await add(a, 'changes.resend');
    const later = await add(b, 'changes.resend');
    const first = (await jobs.claim())!;
    expect(first.id).toBe(large);
    await jobs.progress(first, { done: 500, next: { after: '500' }, wake: false });
    expect((await jobs.claim())?.id).toBe(later);
    expect(await jobs.claim()).toMatchObject({ id: large, done: 500, payload: { after: '500' } });
  });

  it('run one at a time for each tenant', async () => {
    const t = await h.tenant('one');
    await add(t, 'changes.resend');
    await add(t, 'changes.resend');
    const claimed = await Promise.all([jobs.claim(), jobs.claim(), jobs.claim()]);
    expect(claimed.filter((job) => job !== null)).toHaveLength(1);
  });

  it('rest longer after each failure, and go on as if nothing had been after a success', async () => {
    const t = await h.tenant('rest');
    await add(t, 'changes.resend', { since: 'then' });
    const pauses: number[] = [];
    for (let i = 0; i < 8; i++) {
      await jobs.postpone((await jobs.claim())!, new TaskInterrupted('the platform is away'));
      expect(await jobs.claim()).toBeNull();
      const { rows } = await h.db.query<{ s: number }>(
        `select round(extract(epoch from lease_until - now()))::int as s from jobs where tenant_id = $1`,
        [t],
      );
      pauses.push(rows[0]!.s);
      await h.db.query(`update jobs set lease_until = now() where tenant_id = $1`, [t]);
    }
    expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 600, 600]);
    const job = (await jobs.claim())!;
    await jobs.progress(job, { done: 1, next: { ...job.payload, after: '1' }, wake: false });
    expect((await jobs.claim())!.payload).toEqual({ since: 'then', after: '1' });
  });

  it('fail after 24 failures in a row, with the last reason', async () => {
    const t = await h.tenant('endless');
    await add(t, 'changes.resend', { since: 'then', failures: 22 });
    expect(await jobs.postpone((await jobs.claim())!, new TaskInterrupted('the platform is away: 503'))).toBe(true);
    await h.db.query(`update jobs set lease_until = now() where tenant_id = $1`, [t]);
    expect(await jobs.postpone((await jobs.claim())!, new TaskInterrupted('the platform is away: 503'))).toBe(false);
    expect((await jobs.list(t))[0]).toMatchObject({
      state: 'failed',
      error: 'Given up after 24 failures in a row. The last one: the platform is away: 503',
      finished_at: expect.any(Date) as Date,
    });
    expect(await jobs.claim()).toBeNull();
  });

  it('count a batch once, though two had it', async () => {
    const t = await h.tenant('twice');
    await add(t, 'changes.resend');
    const slow = (await jobs.claim())!;
    await h.db.query(`update jobs set lease_until = now() where tenant_id = $1`, [t]);
    const other = (await jobs.claim())!;
    await jobs.progress(other, { done: 500, next: { after: '500' }, wake: false });
    await jobs.progress(slow, { done: 500, next: { after: '500' }, wake: false });
    expect((await jobs.list(t))[0]).toMatchObject({ done: 500, state: 'waiting' });
  });
});
