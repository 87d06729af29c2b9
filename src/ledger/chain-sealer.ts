import { Injectable } from '@nestjs/common';
import { Logger } from '../base/log/logger.js';
import { Background } from '../base/loop.js';
import { Chains } from './chain.js';

const EVERY_MS = 500;

/** Seals all chains of all tenants, right after the commits. */
@Injectable()
export class ChainSealer extends Background {
  constructor(
    private readonly chains: Chains,
    private readonly logger: Logger,
  ) {
    super(EVERY_MS, 'sealing chains', logger);
  }

  /** Seals what waits; true if there may be more. A failure of one chain leaves the others alone. */
  override async run(): Promise<boolean> {
    let more = false;
    for (const chain of this.chains.all) {
      try {
        more = (await chain.sealAll()) || more;
      } catch (error) {
        this.logger.error('chain.seal_failed', { chain: chain.chain, error });
      }
    }
    return more;
  }
}
