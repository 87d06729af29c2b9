import { Injectable } from '@nestjs/common';
import { chainHash, CHAIN_START } from '../../base/crypto/chain.js';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import { AUDIT_COLUMNS, auditHashInput, type AuditRow } from './audit.rules.js';

const BATCH = 500;
const EVERY_MS = 1000;

/** Puts the lines of the audit log into their chain, in the order of their commits, right after them. */
@Injectable()
export class AuditSealer extends Background {
  constructor(
    private readonly db: Database,
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

  /** Seals the lines of one tenant; another process that is at it is not waited for. */
  async seal(tenantId: string): Promise<boolean> {
    return this.db.transaction(tenantId, async (tx) => {
      await tx.query(
        `insert into chain_heads (tenant_id, chain, hash) values ($1, 'audit', $2) on conflict do nothing`,
        [tenantId, CHAIN_START],
      );
      const { rows: heads } = await tx.query<{ sequence: number; hash: Buffer }>(
        `select sequence::int as sequence, hash from chain_heads where tenant_id = $1 and chain = 'audit'
         for update skip locked`,
        [tenantId],
      );
      const head = heads[0];
      if (!head) return false;
      const { rows } = await tx.query<AuditRow>(
        `select ${AUDIT_COLUMNS} from audit_entries where tenant_id = $1 and sequence is null order by entry_id limit ${BATCH}`,
        [tenantId],
      );
      if (rows.length === 0) return false;
      let { sequence, hash } = head;
      const sealed = rows.map((row) => {
        sequence += 1;
        const previous = hash;
        hash = chainHash(previous, auditHashInput({ ...row, sequence: String(sequence) }));
        return { id: row.entry_id, sequence, previous, hash };
      });
      await tx.query(
        `update audit_entries a set sequence = s.sequence, previous_hash = s.previous, hash = s.hash
         from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[]) as s(id, sequence, previous, hash)
         where a.tenant_id = $1 and a.entry_id = s.id`,
        [
          tenantId,
          sealed.map((line) => line.id),
          sealed.map((line) => line.sequence),
          sealed.map((line) => line.previous),
          sealed.map((line) => line.hash),
        ],
      );
      await tx.query(
        `update chain_heads set sequence = $2, hash = $3, sealed_through = now() where tenant_id = $1 and chain = 'audit'`,
        [tenantId, sequence, hash],
      );
      return rows.length === BATCH;
    });
  }
}
