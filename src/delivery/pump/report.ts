import { deliveryId, type LeasedLane } from '../call.js';
import type { Sent } from '../outcome.js';
import type { PumpParts } from './pump-parts.js';

/** One line and one count for each request that went out: ids and figures, nobody's name. */
export function reportAttempts(
  tenantId: string,
  lane: LeasedLane,
  { outcome, attempts }: Sent,
  { metrics, logger }: Pick<PumpParts, 'metrics' | 'logger'>,
): void {
  for (const attempt of attempts) {
    if (attempt.method === 'NONE') continue;
    metrics.attempts.inc({ outcome: attempt.outcome });
    metrics.duration.observe(attempt.ms / 1000);
    if (!logger.infoEnabled) continue;
    logger.line({
      message: 'delivery.attempted',
      tenant_id: tenantId,
      user_id: lane.userId,
      delivery_id: deliveryId(lane.userId, lane.call),
      through: lane.call.through,
      method: attempt.method,
      status: attempt.status,
      outcome: outcome.kind,
      reason: attempt.outcome,
      ms: attempt.ms,
    });
  }
}
