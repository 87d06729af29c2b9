import { Injectable } from '@nestjs/common';
import { ChainVerifier, chainVerdictOf } from '../tenancy/ledger/chain-verifier.js';
import type { ChainPlace } from '../tenancy/ledger/chain.rules.js';
import { HeadsRepository } from '../tenancy/ledger/heads.repository.js';
import { differencesOf, firstDifference } from './holders-differ.rules.js';
import { SeatHolders } from './ledger/seat-holders.js';
import { SeatChain } from './seat-chain.js';
import { Reconciliation } from './reconciliation.js';

const DAYS = 10_000;

/** Verifies the seat ledger: the chain of its lines, and what they amount to. */
@Injectable()
export class SeatVerifier {
  constructor(
    private readonly chain: SeatChain,
    private readonly holders: SeatHolders,
    private readonly verifier: ChainVerifier,
    private readonly heads: HeadsRepository,
    private readonly reconciliation: Reconciliation,
  ) {}

  /**
   * Verifies the ledger of a tenant. A whole chain is compared with the users in force.
   *
   * @param known a head that the caller has kept
   */
  async verify(tenantId: string, known: ChainPlace | null): Promise<object> {
    const verdict = chainVerdictOf(await this.verifier.verify(this.chain, tenantId, known));
    if (!verdict.ok) return verdict;
    const { found, more } = await this.reconciliation.compare(tenantId);
    if (found.length === 0) return { ...verdict, holders: await this.holders.held(tenantId) };
    const differences = differencesOf(found, await this.heads.days(tenantId, 'seats', null, DAYS));
    const { sequence, entry_id, problem } = firstDifference(found, verdict.entries);
    return {
      ...verdict,
      ok: false,
      sequence,
      found: sequence,
      entry_id,
      code: 'holders differ',
      problem,
      differences,
      more,
    };
  }
}
