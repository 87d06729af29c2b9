import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../base/domain-events.js';
import { DayClosed } from '../../tenancy/ledger/day-closing.js';
import { EventsRepository } from './events.repository.js';

/** Records what the ledgers report: their room is below this one. */
@Injectable()
export class LedgerFacts {
  constructor(
    private readonly events: EventsRepository,
    domainEvents: DomainEvents,
  ) {
    domainEvents.on(DayClosed, (closed) => this.dayClosed(closed));
  }

  private async dayClosed({ tx, day, signed, signature }: DayClosed): Promise<void> {
    const { tenantId, chain, day: date, sequence, count, hash } = day;
    const data = {
      chain,
      day: date,
      sequence,
      count,
      hash,
      signed,
      key_id: signature.keyId,
      signature: signature.signature.toString('base64'),
    };
    await this.events.record(tenantId, [{ event: 'chain.day_closed', data }], tx);
  }
}
