import { Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';

/** Counts the sign-ins of this process. Tenants, connections and users are never labels. */
@Injectable()
export class SignInMetrics {
  private readonly seen = new Counter({
    name: 'bridge_sign_ins_total',
    help: 'Sign-ins, tests and logouts, by outcome and reason',
    labelNames: ['kind', 'outcome', 'reason'],
    registers: [],
  });

  /** Counts a line, whether it was written or not. */
  count({ kind, outcome, reason }: { kind: string; outcome: string; reason?: string | null }): void {
    this.seen.inc({ kind, outcome, reason: reason ?? '' });
  }

  register(registry: Registry): void {
    registry.registerMetric(this.seen);
  }
}
