import { Injectable } from '@nestjs/common';
import { Activity } from '../../../base/activity.js';
import { Database } from '../../../base/database/database.js';
import { ForeignPlaces } from '../../../base/foreign-places.js';
import { Logger } from '../../../base/log/logger.js';
import { Loop } from '../../../base/loop.js';
import { withHeartbeat } from '../calls/heartbeat.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { connectorOf } from '../providers/providers.js';
import { backoffMs, REST_MS } from './sync-rest.js';
import { SyncTurn } from './sync-turn.js';
import { SyncOptions } from './sync.options.js';
import { SyncLost, SyncsRepository, type ClaimedSync } from './syncs.repository.js';

const QUIET_MS = 5_000;

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
    private readonly turns: SyncTurn,
    private readonly store: AtsConnectionStore,
    options: SyncOptions,
    private readonly logger: Logger,
    private readonly activity: Activity,
    private readonly places: ForeignPlaces,
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
        () => this.turns.run({ sync, connection, connector }, () => this.stopping),
      );
    } catch (error) {
      if (error instanceof SyncLost) return this.logger.warn('ats.sync_lease_lost', about);
      this.logger.error('ats.sync_interrupted', { ...about, error });
      await this.syncs
        .failed(sync, sync.pass, backoffMs(sync.failures))
        .catch((failure: unknown) => this.logger.error('ats.sync_not_released', { ...about, error: failure }));
    }
  }
}
