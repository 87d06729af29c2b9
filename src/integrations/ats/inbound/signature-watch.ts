import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Logger } from '../../../base/log/logger.js';
import type { AtsConnection } from '../connections/connection.js';
import { AtsStates } from '../connections/ats-states.js';

/**
 * A connection is read at most once in this time, however many requests come. One that is not `ok` may have the problem
 * by the word of another process: a signature that fits ends it soon.
 */
const EVERY_MS = { usually: 60_000, inTrouble: 1_000 };
const REMEMBERED = 10_000;

/** Shows the customer that signatures do not fit: some ATSs send an event that was refused with 401 never again. */
@Injectable()
export class SignatureWatch {
  /** When a verdict of a connection was last noted. */
  private readonly noted = new Map<string, number>();
  /** The last change of a connection that is under way: the next one follows it, so that the last verdict counts. */
  private readonly changing = new Map<string, Promise<void>>();

  constructor(
    private readonly states: AtsStates,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Notes a signature of a connection: the code of its refusal, or null for one that fits. */
  note(connection: AtsConnection, refusal: string | null): void {
    const [fits, differs] = [`${connection.id} fits`, `${connection.id} differs`];
    const name = refusal === null ? fits : differs;
    const every = refusal === null && connection.state !== 'ok' ? EVERY_MS.inTrouble : EVERY_MS.usually;
    const now = this.clock.monotonic();
    if (now - (this.noted.get(name) ?? -every) < every) return;
    if (this.noted.size >= REMEMBERED) this.noted.clear();
    this.noted.set(name, now);
    // The next signature that fits ends the problem, however short ago the last one was.
    if (refusal !== null) {
      this.noted.delete(fits);
      const about = { tenant_id: connection.tenantId, connection: connection.id, provider: connection.provider };
      this.logger.warn('ats.webhook_refused', { ...about, reason: refusal });
    }
    this.follow(connection, async () => {
      try {
        if (refusal === null) await this.states.solved(connection, 'signature');
        else await this.states.problem(connection, 'signature', refusal);
      } catch (error) {
        this.noted.delete(name);
        const about = { tenant_id: connection.tenantId, connection: connection.id };
        this.logger.warn('ats.signature_not_noted', { ...about, error });
      }
    });
  }

  /** Runs a change after those before it. The answer does not wait for it: the state is for people. */
  private follow({ id }: AtsConnection, change: () => Promise<void>): void {
    const done = (this.changing.get(id) ?? Promise.resolve()).then(change).finally(() => {
      if (this.changing.get(id) === done) this.changing.delete(id);
    });
    this.changing.set(id, done);
  }
}
