import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import type { BridgeRequest } from '../../../base/http/request.js';
import { Logger } from '../../../base/log/logger.js';
import type { SignInRefused } from '../refusals/sign-in-refused.js';
import { SignInMetrics } from '../log/sign-in.metrics.js';

const PAUSE_MS = 60_000;

/**
 * Refusals beyond the limits, which are not written to the log of the tenant: all are counted, and one a minute is
 * logged.
 */
@Injectable()
export class LimitedSignIns {
  private since = 0;
  private toldAt = -Infinity;

  constructor(
    private readonly metrics: SignInMetrics,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  tell(req: BridgeRequest, { reason, message }: SignInRefused): void {
    this.metrics.count({ kind: 'sign-in', outcome: 'refused', reason });
    this.since += 1;
    const now = this.clock.monotonic();
    if (now - this.toldAt < PAUSE_MS) return;
    this.logger.warn('sign-ins refused and not noted', { request_id: req.id, reason, message, since_last: this.since });
    this.toldAt = now;
    this.since = 0;
  }
}
