import { Injectable } from '@nestjs/common';
import { Gauge, type Registry } from 'prom-client';
import { Activity } from '../../base/activity.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { Loop } from '../../base/loop.js';
import {
  type Backoff,
  type TurnOutcome,
  DONE,
  failed,
  LeaseLost,
  type Turn,
  type WorkKind,
} from '../../base/work/work.js';
import { Places, LEASE_MS, WorkEntries, type ClaimedWork } from './work-entries.repository.js';
import { WorkKinds } from './work-kinds.js';

/** Returns the milliseconds of rest after a turn. `failures` are those in a row before it. */
export function restOf({ backoff }: { backoff: Backoff }, failures: number, { state, restMs }: TurnOutcome): number {
  if (state !== 'failed') return restMs ?? 0;
  const pause = Math.min(backoff.firstMs * 2 ** Math.min(failures, 20), backoff.mostMs);
  return Math.max(pause, restMs ?? 0);
}

const POLL_MS = 1_000;
const QUIET_MS = 2_000;
const BEAT_MS = 5_000;
/** Turns at once of work that calls no servers, each of another tenant; a turn that calls mostly waits. */
const LOCAL = { all: 4, ofTenant: 1, ofServer: 4 };
const FOREIGN = { all: 64, ofTenant: 4, ofServer: 16 };

/** Returns the milliseconds after which work is due; null for work without an interval. */
function everyOf(kind: WorkKind, outcome: TurnOutcome): number | null {
  if (kind.due() !== null) return null;
  return outcome.state === 'again' ? outcome.restMs : kind.everyMs;
}

class RunningTurn implements Turn {
  renewedAt = performance.now();
  private isStopped = false;

  constructor(
    readonly work: ClaimedWork,
    private readonly entries: WorkEntries,
  ) {}

  get tenantId(): string {
    return this.work.tenantId;
  }

  get id(): string {
    return this.work.id;
  }

  get failures(): number {
    return this.work.failures;
  }

  get isOver(): boolean {
    return this.isStopped || performance.now() - this.renewedAt > LEASE_MS;
  }

  async hold(tx: SqlRunner): Promise<void> {
    await this.entries.hold(tx, this.work);
  }

  stop(): void {
    this.isStopped = true;
  }
}

/**
 * Does everything that runs without a request, but for the delivery: claims due work, gives its kind a turn, and gives it back.
 * Any process may continue the work of another one.
 *
 * Modes: *stopped* (before `start`, after `stop`: no claims); *polling* (claims until nothing is due, then waits for the next
 * second or for a wake-up).
 */
@Injectable()
export class WorkEngine {
  private readonly loop: Loop;
  private readonly heartbeat: Loop;
  private readonly local = new Places(LOCAL);
  private readonly foreign = new Places(FOREIGN);
  private readonly running = new Map<RunningTurn, Promise<void>>();
  private readonly lookedAt = new Map<WorkKind, number>();
  private hasIntervals = false;
  private unlisten: (() => void) | undefined;

  constructor(
    private readonly db: Database,
    private readonly kinds: WorkKinds,
    private readonly entries: WorkEntries,
    private readonly logger: Logger,
    private readonly activity: Activity,
  ) {
    const report = (error: unknown): void => logger.error('work.poll_failed', { error });
    this.loop = new Loop(POLL_MS, () => this.poll(), report, { everyMs: QUIET_MS, activity });
    this.heartbeat = new Loop(BEAT_MS, () => this.beat(), report);
  }

  start(): void {
    this.loop.start();
    this.heartbeat.start();
    this.unlisten = this.db.feed.wakeups.on('work', () => {
      this.activity.stir();
      this.loop.wake();
    });
  }

  async stop(): Promise<void> {
    this.unlisten?.();
    this.unlisten = undefined;
    for (const turn of this.running.keys()) turn.stop();
    await this.loop.stop();
    for (const turn of this.running.keys()) turn.stop();
    await Promise.all(this.running.values());
    await this.heartbeat.stop();
  }

  /** Does all due work of some kinds, one turn after the other, also while the engine is stopped. */
  async drain(...names: string[]): Promise<void> {
    const kinds = [...this.kinds.all.values()].filter(({ kind }) => names.includes(kind));
    for (;;) {
      const claimed = await this.entries.claim(kinds, this.local, this.foreign);
      if (claimed.length === 0) return;
      for (const work of claimed) await this.begin(work);
    }
  }

  private async poll(): Promise<boolean> {
    if (!this.hasIntervals) await this.entries.addIntervals();
    this.hasIntervals = true;
    const claimed = await this.entries.claim(this.looked(), this.local, this.foreign);
    for (const work of claimed) {
      void this.begin(work).finally(() => {
        this.lookedAt.delete(this.kinds.all.get(work.kind)!);
        this.loop.wake();
      });
    }
    return claimed.length > 0;
  }

  private looked(): WorkKind[] {
    const now = performance.now();
    const running = new Set([...this.running.keys()].map(({ work }) => work.kind));
    return [...this.kinds.all.values()].filter((kind) => {
      if (kind.isAlone && running.has(kind.kind)) return false;
      if (kind.due() === null) return true;
      if (now - (this.lookedAt.get(kind) ?? -Infinity) < kind.everyMs) return false;
      this.lookedAt.set(kind, now);
      return true;
    });
  }

  private begin(work: ClaimedWork): Promise<void> {
    const kind = this.kinds.all.get(work.kind)!;
    const turn = new RunningTurn(work, this.entries);
    const places = kind.callsOut ? this.foreign : this.local;
    const leave = kind.isAlone ? () => undefined : places.take(work.tenantId, work.server);
    const done = this.have(kind, turn).finally(() => {
      leave();
      this.running.delete(turn);
    });
    this.running.set(turn, done);
    return done;
  }

  /** Never throws: work that cannot be given back is left to its lease. */
  private async have(kind: WorkKind, turn: RunningTurn): Promise<void> {
    const about = { kind: kind.kind, tenant_id: turn.tenantId, work_id: turn.id };
    try {
      const outcome = (await kind.run(turn).catch((error: unknown) => this.failureOf(turn, error))) ?? DONE;
      const restMs = restOf(kind, turn.failures, outcome);
      if (!(await this.entries.release(turn.work, outcome, restMs, everyOf(kind, outcome)))) {
        throw new LeaseLost('another process has the work');
      }
    } catch (error) {
      if (error instanceof LeaseLost) this.logger.warn('work.lease_lost', about);
      else this.logger.error('work.not_released', { ...about, error });
    }
  }

  private failureOf({ work }: RunningTurn, error: unknown): TurnOutcome {
    if (error instanceof LeaseLost) throw error;
    const { kind, tenantId, id, failures } = work;
    this.logger.error('work.failed', { kind, tenant_id: tenantId, work_id: id, failures: failures + 1, error });
    return failed('an error inside the service, which its log describes under work.failed');
  }

  private async beat(): Promise<void> {
    const turns = [...this.running.keys()];
    if (turns.length === 0) return;
    const at = performance.now();
    const lost = new Set(await this.entries.renew(turns.map(({ work }) => work)));
    for (const [place, turn] of turns.entries()) {
      if (lost.has(place)) turn.stop();
      else turn.renewedAt = at;
    }
  }

  register(registry: Registry): void {
    const { db } = this;
    new Gauge({
      name: 'bridge_work_entries',
      help: 'Pieces of background work, by kind: those under way, those that have failed three times in a row or more',
      labelNames: ['kind', 'state'],
      registers: [registry],
      async collect() {
        this.reset();
        const { rows } = await db.query<{ kind: string; running: number; failing: number }>(
          `select kind, count(*) filter (where holder is not null and free_at > now())::int as running,
             count(*) filter (where failures >= 3)::int as failing
           from work_entries group by kind`,
        );
        for (const { kind, running, failing } of rows) {
          this.set({ kind, state: 'running' }, running);
          this.set({ kind, state: 'failing' }, failing);
        }
      },
    });
  }
}
