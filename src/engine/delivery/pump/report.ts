import { deliveryId } from '../call.js';
import type { DestinationKey } from '../destination.js';
import type { LeasedLane } from '../lane-state.js';
import type { Sent } from '../outcome.js';
import type { PumpParts } from './pump-parts.js';

/** Writes one line and one count for each request that went out: ids and figures, no names. */
export function reportAttempts(
  { tenantId, channel, id }: DestinationKey,
  { subject, call }: LeasedLane,
  { outcome, attempts }: Sent,
  { metrics, logger }: Pick<PumpParts, 'metrics' | 'logger'>,
): void {
  for (const attempt of attempts) {
    if (attempt.method === 'NONE') continue;
    metrics.attempts.inc({ channel, outcome: attempt.outcome });
    metrics.duration.observe({ channel }, attempt.ms / 1000);
    if (!logger.infoEnabled) continue;
    logger.line({
      message: 'delivery.attempted',
      tenant_id: tenantId,
      channel,
      destination: id,
      user_id: isUser(channel) ? subject : undefined,
      subject: isUser(channel) ? undefined : subject,
      delivery_id: deliveryId(subject, call),
      through: call.through,
      method: attempt.method,
      status: attempt.status,
      outcome: outcome.kind,
      reason: attempt.outcome,
      ms: attempt.ms,
    });
  }
}

/** The name of a subject in the log: the subjects of the platform are users. */
export function subjectField(channel: string, subject: string): Record<string, string> {
  return isUser(channel) ? { user_id: subject } : { subject };
}

const isUser = (channel: string): boolean => channel === 'platform';
