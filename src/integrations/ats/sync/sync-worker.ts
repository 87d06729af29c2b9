import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Activity } from '../../../base/activity.js';
import { Database } from '../../../base/database/database.js';
import { ForeignPlaces } from '../../../base/foreign-places.js';
import { newId } from '../../../base/ids.js';
import { Logger } from '../../../base/log/logger.js';
import { Loop } from '../../../base/loop.js';
import { StorageExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { TenantStorage } from '../../../tenancy/tenants/storage/tenant-storage.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import { withHeartbeat } from '../calls/heartbeat.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsStates } from '../connections/ats-states.js';
import type { AtsConnection } from '../connections/connection.js';
import { connectorOf } from '../providers/providers.js';
import { NotUnderstood } from '../connectors/connector.js';
import type { Pass } from './pass.js';
import { newPass } from './pass.rules.js';
import { RunsRepository } from './runs.repository.js';
import { ListWithoutEnd } from './page-reader.js';
import { SyncPass, type PassGround } from './sync-pass.js';
import { SyncOptions } from './sync.options.js';
import { SyncLost, SyncsRepository, type ClaimedSync } from './syncs.repository.js';
import { WebhookUpkeep } from './webhook-upkeep.js';

const QUIET_MS = 5_000;
/** While many requests come, each step is followed by a pause: a step of ten pages costs as much as two hundred creates. */
const BUSY_PAUSE_MS = 1_600;
/** The time after which another connection has its turn. */
const TURN_MS = 10_000;
/** The time after which polls of a tenant with exhausted storage look again. */
const STORAGE_REST_MS = 300_000;
const REST_MS = { first: 15_000, most: 3_600_000 };

/**
 * Reads the records of ATSs by the clock: the next pages of one connection after the other, in turns, so that a large
 * import or a slow ATS delays no other tenant.
 *
 * Modes: as those of `EventsWorker`.
 */
@Injectable()
export class SyncWorker {
  private readonly loop: Loop;
  private readonly working = new Map<string, Promise<void>>();
  private stopping = false;
  private unlisten: (() => void) | undefined;

  constructor(
    private readonly db: Database,
    private readonly syncs: SyncsRepository,
    private readonly runs: RunsRepository,
    private readonly passes: SyncPass,
    private readonly webhooks: WebhookUpkeep,
    private readonly store: AtsConnectionStore,
    private readonly states: AtsStates,
    private readonly apis: AtsApis,
    private readonly options: SyncOptions,
    private readonly logger: Logger,
    private readonly activity: Activity,
    private readonly places: ForeignPlaces,
    private readonly storage: TenantStorage,
  ) {
    this.loop = new Loop(
      options.pollMs,
      () => this.fillSlots(),
      (error) => logger.error('ats.sync_poll_failed', { error }),
      { everyMs: QUIET_MS, activity },
    );
  }

  start(): void {
    this.loop.start();
    this.unlisten = this.db.feed.wakeups.on('ats', () => this.loop.wake());
  }

  /** Claims nothing more, and waits for the pages that are under way. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.unlisten?.();
    this.unlisten = undefined;
    await this.loop.stop();
    await Promise.all(this.working.values());
  }

  private async fillSlots(): Promise<void> {
    if (this.places.isFull) return;
    for (const key of await this.syncs.due(this.places.fullServers())) {
      if (this.working.has(key.tenantId)) continue;
      const claimed = await this.places.claim(key.tenantId, key.server, () => this.syncs.claim(key));
      if (claimed === null) continue;
      this.activity.stir();
      const work = this.work(claimed.work).finally(() => {
        claimed.leave();
        this.working.delete(key.tenantId);
        this.loop.wake();
      });
      this.working.set(key.tenantId, work);
    }
  }

  /** Has one turn. Never throws: polls that cannot even be given back are left to their lease. */
  private async work(sync: ClaimedSync): Promise<void> {
    const about = { tenant_id: sync.tenantId, connection: sync.connectionId };
    try {
      const connection = await this.store.get(sync.tenantId, sync.connectionId);
      const connector = connection === undefined ? undefined : connectorOf(connection.provider);
      if (connection === undefined || connector === undefined) return await this.syncs.failed(sync, null, REST_MS.most);
      await withHeartbeat(
        () => this.syncs.renew(sync),
        () => this.turn(sync, connection, connector),
      );
    } catch (error) {
      if (error instanceof SyncLost) return this.logger.warn('ats.sync_lease_lost', about);
      this.logger.error('ats.sync_interrupted', { ...about, error });
      await this.syncs
        .failed(sync, sync.pass, backoff(sync.failures))
        .catch((failure: unknown) => this.logger.error('ats.sync_not_released', { ...about, error: failure }));
    }
  }

  private async turn(sync: ClaimedSync, connection: AtsConnection, connector: PassGround['connector']): Promise<void> {
    const began = performance.now();
    let pass: Pass = this.resumed(sync) ?? (await this.begin(sync));
    sync.pass = pass;
    try {
      const ground: PassGround = { sync, connection, connector, api: this.apis.of(connection) };
      while (!this.stopping && performance.now() - began < TURN_MS) {
        this.storage.demandRoom(sync.tenantId);
        const next = await this.passes.step(ground, pass);
        if (next === null) return await this.done(ground, pass);
        sync.pass = pass = next;
        if (this.activity.isBusy()) await sleep(BUSY_PAUSE_MS);
      }
    } catch (error) {
      return await this.failed(sync, connection, pass, error);
    }
    await this.syncs.pause(sync);
  }

  private resumed({ pass }: ClaimedSync): Pass | null {
    if (pass === null) return null;
    return Date.now() - Date.parse(pass.startedAt) < this.options.resumeMs ? pass : null;
  }

  private async begin(sync: ClaimedSync): Promise<Pass> {
    const { fullAt } = await this.syncs.mark(sync, 'jobs');
    const candidates = await this.syncs.mark(sync, 'candidates');
    const isFirst = fullAt === null && candidates.fullAt === null;
    const { reason, fullIsDue } = sync;
    const pass = newPass(newId('run'), { reason, isFirst, isFull: isFirst || fullIsDue }, new Date());
    await this.db.transaction(sync.tenantId, async (tx) => {
      await this.syncs.keep(tx, sync, pass, true);
      await this.runs.put(tx, sync, pass, 'running', null);
    });
    return pass;
  }

  private async done(ground: PassGround, pass: Pass): Promise<void> {
    const { connection } = ground;
    if (connection.state !== 'ok') {
      await this.states.solved(connection, 'reads');
      await this.states.solved(connection, 'grant');
    }
    await this.webhooks.after(ground, pass.isFirst);
  }

  /** An ATS that is away lets the pass wait where it is; a list that cannot be read ends it. */
  private async failed(sync: ClaimedSync, connection: AtsConnection, pass: Pass, error: unknown): Promise<void> {
    const failure = failureOf(error);
    if (failure === null) throw error;
    const waits = failure.kind === 'away' || failure.kind === 'refused';
    const problem = failure.kind === 'refused' ? 'grant' : 'reads';
    // A single limit or slow answer does not make the connection degraded.
    if (failure.kind !== 'away' || sync.failures > 0) await this.states.problem(connection, problem, failure.reason);
    await this.db.transaction(sync.tenantId, (tx) =>
      this.runs.put(tx, sync, pass, waits ? 'waiting' : 'failed', failure.message),
    );
    const rest = Math.max(backoff(sync.failures), Math.min(failure.retryAfterMs ?? 0, REST_MS.most));
    await this.syncs.failed(sync, waits ? pass : null, failure.kind === 'refused' ? REST_MS.most : rest);
  }
}

function failureOf(error: unknown): AtsFailure | null {
  if (error instanceof AtsFailure) return error;
  if (error instanceof StorageExhausted) return new AtsFailure('away', error.code, error.detail, STORAGE_REST_MS);
  if (error instanceof ListWithoutEnd) return new AtsFailure('malformed', 'list_without_end', error.message);
  return error instanceof NotUnderstood ? new AtsFailure('malformed', 'not_understood', error.message) : null;
}

function backoff(failures: number): number {
  return Math.min(REST_MS.first * 2 ** Math.min(failures, 20), REST_MS.most);
}
