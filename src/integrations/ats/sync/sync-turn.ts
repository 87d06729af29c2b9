import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Activity } from '../../../base/activity.js';
import { StorageExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { TenantStorage } from '../../../tenancy/tenants/storage/tenant-storage.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import { AtsStates } from '../connections/ats-states.js';
import type { AtsConnection } from '../connections/connection.js';
import { NotUnderstood } from '../connectors/connector.js';
import { ListWithoutEnd } from './page-reader.js';
import type { Pass } from './pass.js';
import type { PassGround } from './pass-ground.js';
import { PassProgress } from './pass-progress.js';
import { backoffMs, REST_MS } from './sync-rest.js';
import { SyncPass } from './sync-pass.js';
import { SyncsRepository, type ClaimedSync } from './syncs.repository.js';
import { WebhookUpkeep } from './webhook-upkeep.js';

/** While many requests come, each step is followed by a pause: a step of ten pages costs as much as two hundred creates. */
const BUSY_PAUSE_MS = 1_600;
/** The time after which another connection has its turn. */
const TURN_MS = 10_000;
/** The time after which polls of a tenant with exhausted storage look again. */
const STORAGE_REST_MS = 300_000;

/** Reads the next pages of one connection for some seconds, and says what came of it. */
@Injectable()
export class SyncTurn {
  constructor(
    private readonly syncs: SyncsRepository,
    private readonly passes: SyncPass,
    private readonly progress: PassProgress,
    private readonly webhooks: WebhookUpkeep,
    private readonly states: AtsStates,
    private readonly apis: AtsApis,
    private readonly activity: Activity,
    private readonly storage: TenantStorage,
  ) {}

  /**
   * Has one turn of a connection.
   *
   * @param isStopping true: no further pages are read
   * @throws {SyncLost} when another process has the connection by now
   */
  async run(
    { sync, connection, connector }: Pick<PassGround, 'sync' | 'connection' | 'connector'>,
    isStopping: () => boolean,
  ): Promise<void> {
    const began = performance.now();
    let pass = await this.progress.passOf(sync);
    sync.pass = pass;
    try {
      const ground: PassGround = { sync, connection, connector, api: this.apis.of(connection) };
      while (!isStopping() && performance.now() - began < TURN_MS) {
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
    await this.progress.stop(sync, pass, waits ? 'waiting' : 'failed', failure.message);
    const rest = Math.max(backoffMs(sync.failures), Math.min(failure.retryAfterMs ?? 0, REST_MS.most));
    await this.syncs.failed(sync, waits ? pass : null, failure.kind === 'refused' ? REST_MS.most : rest);
  }
}

function failureOf(error: unknown): AtsFailure | null {
  if (error instanceof AtsFailure) return error;
  if (error instanceof StorageExhausted) return new AtsFailure('away', error.code, error.detail, STORAGE_REST_MS);
  if (error instanceof ListWithoutEnd) return new AtsFailure('malformed', 'list_without_end', error.message);
  return error instanceof NotUnderstood ? new AtsFailure('malformed', 'not_understood', error.message) : null;
}
