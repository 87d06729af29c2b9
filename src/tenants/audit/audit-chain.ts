import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { ChainSource, ChainSources } from '../../ledger/chain-source.js';
import type { ChainLine } from '../../ledger/chain.rules.js';
import { AuditSealer } from './audit-sealer.js';
import { AUDIT_COLUMNS, toChainLine, type AuditRow } from './audit.rules.js';

/** The audit log as the verifier of both chains reads it. */
@Injectable()
export class AuditChain extends ChainSource {
  readonly chain = 'audit';
  // A tenant is made together with the line that says so.
  readonly mayBeEmpty = false;
  readonly ordered = false;

  constructor(
    private readonly sealer: AuditSealer,
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
    const { rows } = await db.query<AuditRow>(
      `select ${AUDIT_COLUMNS} from audit_entries
       where tenant_id = $1 and sequence > $2 and sequence <= $3 order by sequence limit $4`,
      [tenantId, after, through, limit],
    );
    return rows.map(toChainLine);
  }

  override async sealNow(tenantId: string): Promise<void> {
    while (await this.sealer.seal(tenantId, true));
  }
}
