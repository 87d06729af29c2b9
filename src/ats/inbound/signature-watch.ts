import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Logger } from '../../base/log/logger.js';
import type { AtsConnection } from '../connections/connection.js';
import { AtsStates } from '../connections/ats-states.js';

/** A connection is looked at so often at the most, however many requests have a wrong signature. */
const EVERY_MS = 60_000;
const REMEMBERED = 10_000;

/** Shows the customer that signatures do not fit: some ATSs send an event that was refused with 401 never again. */
@Injectable()
export class SignatureWatch {
  private readonly noted = new Map<string, number>();

  constructor(
    private readonly states: AtsStates,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Notes a signature of a connection: the code of its refusal, or null for one that fits. */
  note(connection: AtsConnection, refusal: string | null): void {
    const name = `${connection.id} ${refusal === null ? 'fits' : 'differs'}`;
    const now = this.clock.monotonic();
    if (now - (this.noted.get(name) ?? -EVERY_MS) < EVERY_MS) return;
    if (this.noted.size >= REMEMBERED) this.noted.clear();
    this.noted.set(name, now);
    const change =
      refusal === null
        ? this.states.solved(connection, 'signature')
        : this.states.problem(connection, 'signature', refusal);
    // The answer does not wait for it: the state is for people.
    change.catch((error: unknown) => {
      this.noted.delete(name);
      this.logger.warn('ats.signature_not_noted', { tenant_id: connection.tenantId, connection: connection.id, error });
    });
  }
}
