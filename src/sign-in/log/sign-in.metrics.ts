import { Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';

/** Counts what comes to the sign-in door of this process. No tenant, connection or person is ever a label. */
@Injectable()
export class SignInMetrics {
  private readonly seen = new Counter({
    name: 'bridge_sign_ins_total',
    help: 'Sign-ins, tests and logouts, by outcome and reason',
    labelNames: ['kind', 'outcome', 'reason'],
    registers: [],
  });

  /** One more, whether it was written down or not. */
  count({ kind, outcome, reason }: { kind: string; outcome: string; reason?: string | null }): void {
    this.seen.inc({ kind, outcome, reason: reason ?? '' });
  }

  register(registry: Registry): void {
    registry.registerMetric(this.seen);
  }
}
