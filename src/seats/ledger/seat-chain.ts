import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Chain, Chains, type ChainKind } from '../../ledger/chain.js';
import { ChainHeads } from '../../ledger/chain-heads.js';
import { UTC } from '../../ledger/heads.repository.js';
import { seal, toChainLine, type SealedEntry } from './chain.rules.js';

/** The columns of a sealed entry. */
export const SEALED_COLUMNS = `entry_id::text as entry_id, kind, user_id, delta, role, directory_id, cost_center, details,
  reason, source, ${UTC('occurred_at')} as occurred_at, sequence::int as sequence, count_after,
  ${UTC('effective_at')} as effective_at, encode(previous_hash, 'hex') as previous_hash, encode(hash, 'hex') as hash`;

const KIND: ChainKind<SealedEntry> = {
  chain: 'seats',
  columns: SEALED_COLUMNS,
  mayBeEmpty: true,
  ordered: true,
  batch: 2000,
  line: toChainLine,
  sealed: (head, rows, now) => {
    const entries = seal(head, rows);
    return {
      ids: entries.map((entry) => entry.entry_id),
      hashes: entries.map((entry) => entry.hash),
      counts: entries.map((entry) => entry.count_after),
      effectiveAt: entries.map((entry) => entry.effective_at),
      sealedThrough: [now, entries.at(-1)?.effective_at ?? '', head.sealed_through ?? ''].sort().at(-1)!,
    };
  },
};

/** The seat ledger. */
@Injectable()
export class SeatChain extends Chain<SealedEntry> {
  constructor(db: Database, heads: ChainHeads, chains: Chains) {
    super(db, heads, chains, KIND);
  }
}
