import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Database } from '../../../base/database/database.js';
import { again, DONE, failed, WorkKind, type TurnOutcome, type Turn } from '../../../base/work/work.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { systemActor } from '../../../tenancy/identity/person.js';
import { StorageExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { TenantStorage } from '../../../tenancy/tenants/storage/tenant-storage.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsStates } from '../connections/ats-states.js';
import { AtsWebhookSecretsRepository } from '../connections/ats-webhook-secrets.repository.js';
import type { AtsConnection } from '../connections/connection.js';
import { NotUnderstood } from '../connectors/connector.js';
import { connectorOf } from '../providers/providers.js';
import { ListWithoutEnd } from './page-reader.js';
import type { PassGround } from './pass-ground.js';
import { PassProgress } from './pass-progress.js';
import type { Pass } from './pass.js';
import { SyncPass } from './sync-pass.js';
import { DUE_SYNCS, SYNC_WORK, SyncsRepository, type ClaimedSync } from './syncs.repository.js';

/** A webhook later than this is missing. */
const LATE = `interval '1 hour'`;
const LOOKED_BACK = `interval '7 hours'`;
/** The clock of the ATS may be ahead of ours. */
const SKEW = `interval '10 minutes'`;
const MOST = 1_000;

const TURN_MS = 10_000;
/** The longest rest after failures, and the rest after a refusal. */
const MOST_REST_MS = 3_600_000;
/** The time after which polls of a tenant with exhausted storage try again. */
const STORAGE_REST_MS = 300_000;

/**
 * Reads the records of ATSs on schedule: the next pages of each connection in turn, for some seconds each. After its
 * passes a connection's webhooks are renewed. A change that a poll has found, and no webhook has brought within an
 * hour, shows missing webhooks.
 */
@Injectable()
export class SyncTurn extends WorkKind {
  override readonly kind = SYNC_WORK;
  override readonly everyMs = 0;
  override readonly callsOut = true;
  override readonly backoff = { firstMs: 15_000, mostMs: MOST_REST_MS };
  private readonly renewedAt = new Map<string, number>();

  constructor(
    private readonly syncs: SyncsRepository,
    private readonly store: AtsConnectionStore,
    private readonly passes: SyncPass,
    private readonly progress: PassProgress,
    private readonly states: AtsStates,
    private readonly apis: AtsApis,
    private readonly storage: TenantStorage,
    private readonly db: Database,
    private readonly secrets: AtsWebhookSecretsRepository,
    private readonly tasks: TasksRepository,
    private readonly clock: Clock,
    private readonly events: EventRecorder,
  ) {
    super();
  }

  override due(): string {
    return DUE_SYNCS;
  }

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
    await this.tendWebhooks(ground, pass.isFirst);
  }

  /** An ATS that is away lets the pass wait at its place; a list that cannot be read ends it. */
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

  /** Renews the webhooks of a connection. @param isFirst the pass was the first import: no webhook can be missing */
  private async tendWebhooks(
    ground: Pick<PassGround, 'connection' | 'connector' | 'api'>,
    isFirst: boolean,
  ): Promise<void> {
    const { connection } = ground;
    try {
      await this.renew(ground);
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      // An ATS that is away is asked again after the next pass.
      if (error.kind !== 'away') await this.states.problem(connection, 'webhooks', 'webhooks_not_made');
    }
    if (!isFirst) await this.lookForMissing(connection);
  }

  private async renew({ connection, connector, api }: Pick<PassGround, 'connection' | 'connector' | 'api'>) {
    const { webhooks } = connector;
    if (webhooks?.renew === undefined) return;
    const { tenantId, id } = connection;
    const key = `${tenantId} ${id}`;
    const now = this.clock.now().getTime();
    if (now - (this.renewedAt.get(key) ?? -Infinity) < (webhooks.renewEveryMs ?? 0)) return;
    const made = await this.secrets.madeWebhooks(tenantId, id);
    // The set-up makes them while the first pass runs.
    if (made.length === 0) return;
    for (const { remote_id: remoteId, event } of made) {
      if (await webhooks.renew(api, remoteId, event)) continue;
      await this.makeAnew(connection);
      break;
    }
    this.renewedAt.set(key, now);
  }

  /** The set-up makes all webhooks of a connection anew, in place of the remaining ones. */
  private async makeAnew({ tenantId, id }: AtsConnection): Promise<void> {
    const payload = { connection_id: id, user_id: null };
    const createdBy = systemActor('ats.webhooks');
    await this.db.transaction(tenantId, (tx) =>
      this.tasks.add(tx, tenantId, { kind: 'ats.connect', payload, createdBy }),
    );
    this.tasks.wake();
  }

  /** Looks for changes that a poll found and no webhook brought. A connection that never had a webhook misses none. */
  private async lookForMissing(connection: AtsConnection): Promise<void> {
    const { tenantId, id, provider } = connection;
    const { rows } = await this.db.query<{ found: number }>(
      `select count(*)::int as found from (
         select 1 from ats_records r
         where r.tenant_id = $1 and r.connection_id = $2 and r.brought_by = 'poll' and r.kind = 'candidate'
           and r.changed_at > now() - ${LOOKED_BACK} and r.changed_at <= now() - ${LATE}
           and exists (select 1 from ats_events o where o.tenant_id = $1 and o.connection_id = $2)
           and not exists (
             select 1 from ats_events e where e.tenant_id = $1 and e.connection_id = $2 and e.kind = 'candidate'
               and e.remote_id = r.remote_id and e.at >= r.changed_at - ${SKEW})
         limit ${MOST}) m`,
      [tenantId, id],
    );
    const { found } = rows[0]!;
    if (found === 0) {
      if (connection.state !== 'ok') await this.states.solved(connection, 'webhooks');
      return;
    }
    await this.states.problem(connection, 'webhooks', 'webhook_missing');
    await this.db.transaction(tenantId, async (tx) => {
      const { rowCount } = await tx.query(
        `update ats_syncs set missing_told_at = now() where tenant_id = $1 and connection_id = $2
           and (missing_told_at is null or missing_told_at < now() - interval '1 day')`,
        [tenantId, id],
      );
      if (rowCount !== 1) return;
      const data = JSON.stringify({ ats_connection_id: id, provider, found });
      await this.events.record(tx, tenantId, [{ event: 'ats.webhook_missing', record: null, data }]);
    });
    this.events.wake(tenantId, 'ats.webhook_missing');
  }
}

function failureOf(error: unknown): AtsFailure | null {
  if (error instanceof AtsFailure) return error;
  if (error instanceof StorageExhausted) return new AtsFailure('away', error.code, error.detail, STORAGE_REST_MS);
  if (error instanceof ListWithoutEnd) return new AtsFailure('malformed', 'list_without_end', error.message);
  return error instanceof NotUnderstood ? new AtsFailure('malformed', 'not_understood', error.message) : null;
}
