import { Injectable } from '@nestjs/common';
import { chainHash } from '../../base/crypto/chain.js';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import { ChainHeads } from '../../ledger/chain-heads.js';
import { AUDIT_COLUMNS, auditHashInput, type AuditRow } from './audit.rules.js';

const BATCH = 500;
const EVERY_MS = 1000;

/** Puts the lines of the audit log into their chain, in the order of their commits, right after them. */
@Injectable()
export class AuditSealer extends Background {
  constructor(
    private readonly db: Database,
    private readonly heads: ChainHeads,
    logger: Logger,
  ) {
    super(EVERY_MS, 'sealing the audit log', logger);
  }

  /** Seals what waits, for every tenant; true if there may be more. */
  override async run(): Promise<boolean> {
    const { rows } = await this.db.query<{ tenant_id: string }>(
      `select distinct tenant_id from audit_entries where sequence is null`,
    );
    let more = false;
    for (const row of rows) more = (await this.seal(row.tenant_id)) || more;
    return more;
  }

  /** Seals the lines of one tenant. With `wait`, also waits for another process that seals them. */
  async seal(tenantId: string, wait = false): Promise<boolean> {
    await this.heads.ready();
    return this.db.transaction(tenantId, async (tx) => {
      const head = await this.heads.lock(tx, tenantId, 'audit', wait);
      if (head === null) return false;
      const { rows } = await tx.query<AuditRow>(
        `select ${AUDIT_COLUMNS} from audit_entries where tenant_id = $1 and sequence is null order by entry_id limit ${BATCH}`,
        [tenantId],
      );
      let { sequence } = head;
      let hash: Buffer = Buffer.from(head.hash, 'hex');
      const hashes = rows.map((row) => {
        sequence += 1;
        hash = chainHash(hash, auditHashInput({ ...row, sequence: String(sequence) }));
        return hash.toString('hex');
      });
      await this.heads.seal(tx, tenantId, 'audit', head, {
        ids: rows.map((row) => row.entry_id),
        hashes,
        counts: null,
        effectiveAt: null,
        sealedThrough: rows.at(-1)?.at ?? null,
      });
      return rows.length === BATCH;
    });
  }
}
