import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import {
  DestinationFailing,
  DestinationPaused,
  DestinationRecovered,
  MessageGivenUp,
} from '../../../engine/delivery/delivery.events.js';
import type { DestinationKey } from '../../../engine/delivery/destination.js';
import { STAGES } from '../../../engine/delivery/retry.rules.js';
import type { EventData, EventName } from '../../../engine/events/catalogue.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import { WEBHOOK } from '../endpoint.js';
import { PACE } from './retries.rules.js';

/** Pauses that the service itself decided on; the others are an administrator's. */
const DISABLING = new Set(['gone', 'failing', 'address_refused']);

/**
 * Records what the delivery reports of endpoints, in the transaction of the fact: events for the other endpoints of the
 * tenant, and messages that were given up.
 */
@Injectable()
export class WebhookEventRecorder {
  constructor(
    private readonly recorder: EventRecorder,
    events: DomainEvents,
  ) {
    events.on(DestinationPaused, async ({ tx, destination, reason }) => {
      if (!DISABLING.has(reason)) return;
      const since = await failingSince(tx, destination);
      await this.tell(tx, destination, 'webhook.disabled', {
        endpoint_id: destination.id,
        reason,
        failing_since: since,
      });
    });
    events.on(DestinationFailing, ({ tx, destination, since, stage, reason }) =>
      this.tell(tx, destination, 'webhook.failing', {
        endpoint_id: destination.id,
        stage: stage === STAGES.halfTime ? 'half_time' : 'first',
        reason,
        failing_since: since.toISOString(),
        disabled_at: new Date(since.getTime() + PACE.endsAfterMs).toISOString(),
      }),
    );
    events.on(DestinationRecovered, ({ tx, destination, since }) =>
      this.tell(tx, destination, 'webhook.recovered', {
        endpoint_id: destination.id,
        failing_since: since.toISOString(),
      }),
    );
    events.on(MessageGivenUp, (given) => this.keep(given));
  }

  private async tell<Name extends EventName>(
    tx: SqlRunner,
    { tenantId, channel, id }: DestinationKey,
    event: Name,
    data: EventData[Name],
  ): Promise<void> {
    if (channel !== WEBHOOK) return;
    await this.recorder.record(tx, tenantId, [{ event, record: null, data: JSON.stringify(data) }], { exceptTo: id });
  }

  /** The row is what can be replayed later; the event itself stays where it is. */
  private async keep({ tx, destination, sequence, reason, message }: MessageGivenUp): Promise<void> {
    const { tenantId, channel, id } = destination;
    if (channel !== WEBHOOK || message === null) return;
    await tx.query(
      `insert into webhook_given_up (tenant_id, endpoint_id, sequence, at, record, event, reason)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
      [tenantId, id, sequence, message.at, message.record, message.name, reason],
    );
  }
}

async function failingSince(tx: SqlRunner, { tenantId, channel, id }: DestinationKey): Promise<string | null> {
  const { rows } = await tx.query<{ since: Date | null }>(
    `select failing_since as since from destinations where tenant_id = $1 and channel = $2 and id = $3`,
    [tenantId, channel, id],
  );
  return rows[0]?.since?.toISOString() ?? null;
}
