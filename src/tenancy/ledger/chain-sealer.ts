import { Injectable } from '@nestjs/common';
import { Activity } from '../../base/activity.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import { Chains } from './chain.js';

const EVERY_MS = 500;
const QUIET_MS = 2_000;

/** Seals all chains of all tenants, right after the commits. */
@Injectable()
export class ChainSealer extends Background {
  constructor(
    private readonly chains: Chains,
    private readonly logger: Logger,
    activity: Activity,
  ) {
    super(EVERY_MS, 'sealing chains', logger, { everyMs: QUIET_MS, activity });
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
