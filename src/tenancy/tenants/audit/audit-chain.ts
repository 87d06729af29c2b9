import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { Chain, Chains, type ChainKind } from '../../ledger/chain.js';
import { ChainHeads } from '../../ledger/chain-heads.js';
import { AUDIT_COLUMNS, sealedLines, auditChainLine, type AuditRow } from './audit.rules.js';

const KIND: ChainKind<AuditRow> = {
  chain: 'audit',
  columns: AUDIT_COLUMNS,
  // A tenant is created together with its first line.
  mayBeEmpty: false,
  ordered: false,
  batch: 500,
  line: auditChainLine,
  sealed: (head, rows) => sealedLines(head, rows),
};

/** The audit log. */
@Injectable()
export class AuditChain extends Chain<AuditRow> {
  constructor(db: Database, heads: ChainHeads, chains: Chains) {
    super(db, heads, chains, KIND);
  }
}
