import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { ChainSource, ChainSources } from '../../ledger/chain-source.js';
import type { ChainLine } from '../../ledger/chain.rules.js';
import { toChainLine, type SealedEntry } from './chain.rules.js';
import { SEALED_COLUMNS, SeatSealer } from './sealer.js';

/** The seat ledger as the verifier of both chains reads it. */
@Injectable()
export class SeatChain extends ChainSource {
  readonly chain = 'seats';
  readonly mayBeEmpty = true;
  readonly ordered = true;

  constructor(
    private readonly sealer: SeatSealer,
    sources: ChainSources,
  ) {
    super(sources);
  }

  override async lines(
    db: SqlRunner,
    tenantId: string,
    after: number,
    through: number,
    limit: number,
  ): Promise<ChainLine[]> {
    const { rows } = await db.query<SealedEntry>(
      `select ${SEALED_COLUMNS} from seat_entries
       where tenant_id = $1 and sequence > $2 and sequence <= $3 order by sequence limit $4`,
      [tenantId, after, through, limit],
    );
    return rows.map(toChainLine);
  }

  override async sealNow(tenantId: string): Promise<void> {
    while (await this.sealer.seal(tenantId));
  }
}
