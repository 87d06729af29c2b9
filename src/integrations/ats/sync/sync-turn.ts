import { Injectable } from '@nestjs/common';
import { again, DONE, failed, WorkKind, type TurnOutcome, type Turn } from '../../../base/work/work.js';
import { StorageExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { TenantStorage } from '../../../tenancy/tenants/storage/tenant-storage.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsStates } from '../connections/ats-states.js';
import type { AtsConnection } from '../connections/connection.js';
import { NotUnderstood } from '../connectors/connector.js';
import { connectorOf } from '../providers/providers.js';
import { ListWithoutEnd } from './page-reader.js';
import type { Pass } from './pass.js';
import type { PassGround } from './pass-ground.js';
import { PassProgress } from './pass-progress.js';
import { SyncPass } from './sync-pass.js';
import { DUE_SYNCS, SYNC_WORK, SyncsRepository, type ClaimedSync } from './syncs.repository.js';
import { WebhookUpkeep } from './webhook-upkeep.js';

/** The time after which another connection has its turn. */
const TURN_MS = 10_000;
/** The longest rest after failures, and the rest after a refusal. */
const MOST_REST_MS = 3_600_000;
/** The time after which polls of a tenant with exhausted storage look again. */
const STORAGE_REST_MS = 300_000;

/** Reads the records of ATSs by the clock: the next pages of one connection after the other, for some seconds each. */
@Injectable()
export class SyncTurn extends WorkKind {
  override readonly kind = SYNC_WORK;
  override readonly everyMs = 0;
  override readonly callsOut = true;
  override readonly backoff = { firstMs: 15_000, mostMs: MOST_REST_MS };

  constructor(
    private readonly syncs: SyncsRepository,
    private readonly store: AtsConnectionStore,
    private readonly passes: SyncPass,
    private readonly progress: PassProgress,
    private readonly webhooks: WebhookUpkeep,
    private readonly states: AtsStates,
    private readonly apis: AtsApis,
    private readonly storage: TenantStorage,
  ) {
    super();
  }

  override due(): string {
    return DUE_SYNCS;
  }

  /** Has one turn of a connection. */
  override async run(turn: Turn): Promise<TurnOutcome> {
    const sync = await this.syncs.open(turn);
    if (sync === null) return DONE;
    const connection = await this.store.get(sync.tenantId, sync.connectionId);
    const connector = connection === undefined ? undefined : connectorOf(connection.provider);
    if (connection === undefined || connector === undefined) return failed('unknown_provider', MOST_REST_MS);
    const began = performance.now();
    let pass = await this.progress.passOf(sync);
    try {
      const ground: PassGround = { sync, connection, connector, api: this.apis.of(connection) };
      while (!turn.isOver && performance.now() - began < TURN_MS) {
        this.storage.demandRoom(sync.tenantId);
        const next = await this.passes.step(ground, pass);
        if (next === null) {
          await this.done(ground, pass);
          return DONE;
        }
        pass = next;
      }
    } catch (error) {
      return this.failed(sync, connection, pass, error);
    }
    return again();
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
  private async failed(sync: ClaimedSync, connection: AtsConnection, pass: Pass, error: unknown): Promise<TurnOutcome> {
    const failure = failureOf(error);
    if (failure === null) throw error;
    const waits = failure.kind === 'away' || failure.kind === 'refused';
    const problem = failure.kind === 'refused' ? 'grant' : 'reads';
    // A single limit or slow answer does not make the connection degraded.
    if (failure.kind !== 'away' || sync.turn.failures > 0)
      await this.states.problem(connection, problem, failure.reason);
    await this.progress.stop(sync, pass, waits ? 'waiting' : 'failed', failure.message);
    const restMs = Math.min(failure.retryAfterMs ?? 0, MOST_REST_MS);
    return failed(failure.reason, failure.kind === 'refused' ? MOST_REST_MS : restMs);
  }
}

function failureOf(error: unknown): AtsFailure | null {
  if (error instanceof AtsFailure) return error;
  if (error instanceof StorageExhausted) return new AtsFailure('away', error.code, error.detail, STORAGE_REST_MS);
  if (error instanceof ListWithoutEnd) return new AtsFailure('malformed', 'list_without_end', error.message);
  return error instanceof NotUnderstood ? new AtsFailure('malformed', 'not_understood', error.message) : null;
}
