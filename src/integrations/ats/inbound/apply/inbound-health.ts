import { Injectable } from '@nestjs/common';
import { AtsConnectionStore } from '../../connections/ats-connections.store.js';
import { AtsStates } from '../../connections/ats-states.js';
import type { ClaimedInbox } from '../inbox.js';
import type { Applied } from './events-applier.js';

/** Sets the state of connections by what became of their inbound events. */
@Injectable()
export class InboundHealth {
  constructor(
    private readonly store: AtsConnectionStore,
    private readonly states: AtsStates,
  ) {}

  /** The state of the connection follows what the ATS answers. */
  async note(
    { tenantId, connectionId, turn }: ClaimedInbox,
    { failure, answered }: Pick<Applied, 'failure' | 'answered'>,
  ): Promise<void> {
    const connection = await this.store.get(tenantId, connectionId);
    if (connection === undefined) return;
    if (failure !== null) {
      const problem = failure.kind === 'refused' ? 'grant' : 'reads';
      // A single limit or slow answer does not make the connection degraded.
      if (problem === 'grant' || turn.failures > 0) await this.states.problem(connection, problem, failure.reason);
    } else if (answered && connection.state !== 'ok') {
      await this.states.solved(connection, 'reads');
      await this.states.solved(connection, 'grant');
    }
  }
}
