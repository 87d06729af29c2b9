import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Database } from '../../../base/database/database.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { systemActor } from '../../../tenancy/identity/person.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsStates } from '../connections/ats-states.js';
import { AtsWebhookSecretsRepository } from '../connections/ats-webhook-secrets.repository.js';
import type { AtsConnection } from '../connections/connection.js';
import { MissingWebhooks } from './missing-webhooks.js';
import type { PassGround } from './pass-ground.js';

/** Keeps the webhooks of a connection alive, after its passes, and notices those that do not come. */
@Injectable()
export class WebhookUpkeep {
  /** When this process last renewed the webhooks of a connection, in milliseconds. */
  private readonly renewedAt = new Map<string, number>();

  constructor(
    private readonly db: Database,
    private readonly secrets: AtsWebhookSecretsRepository,
    private readonly states: AtsStates,
    private readonly missing: MissingWebhooks,
    private readonly tasks: TasksRepository,
    private readonly clock: Clock,
  ) {}

  /** Looks after the webhooks of a connection. @param isFirst the pass was the first import: no webhook can be missing */
  async after(ground: Pick<PassGround, 'connection' | 'connector' | 'api'>, isFirst: boolean): Promise<void> {
    const { connection } = ground;
    try {
      await this.renew(ground);
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      // An ATS that is away is asked again after the next pass.
      if (error.kind !== 'away') await this.states.problem(connection, 'webhooks', 'webhooks_not_made');
    }
    if (!isFirst) await this.missing.look(connection);
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

  /** The set-up makes all webhooks of a connection anew, in place of those that are left. */
  private async makeAnew({ tenantId, id }: AtsConnection): Promise<void> {
    const payload = { connection_id: id, user_id: null };
    const createdBy = systemActor('ats.webhooks');
    await this.db.transaction(tenantId, (tx) =>
      this.tasks.add(tx, tenantId, { kind: 'ats.connect', payload, createdBy }),
    );
    this.tasks.wake();
  }
}
