import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Buckets, limitRate, RateLimiter, showAllowance } from '../../base/http/rate-limit.js';

/**
 * The allowance of a tenant's new directories, as a multiple of that of one credential: a first sync of 10 000 users is
 * one burst of 100 times the figure, without a wait.
 */
const FIRST_SYNC_RATE = 5;
const FIRST_SYNC_BURST = 100;
const FIRST_DAY_MS = 24 * 3_600_000;

/** Limits the requests of directories, with a larger allowance on the first day, when an IdP sends all of its users. */
@Injectable()
export class DirectoryRate {
  /** By tenant: its new directories share one allowance. The database is shared by tenant, too. */
  private readonly firstSyncs: Buckets;

  constructor(
    config: Config,
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
  ) {
    const perSecond = config.rateLimit ?? 1;
    this.firstSyncs = new Buckets(perSecond * FIRST_SYNC_RATE, perSecond * FIRST_SYNC_BURST, clock);
  }

  /**
   * Takes one request of a directory.
   *
   * @param firstDayFrom the begin of the first day, in milliseconds since 1970
   * @throws {TooManyRequests} when the allowance is used up
   */
  take(
    res: ServerResponse,
    credentialId: string,
    { tenantId, firstDayFrom }: { readonly tenantId: string; readonly firstDayFrom: number },
  ): void {
    if (!this.limiter.enabled) return;
    if (this.clock.now().getTime() - firstDayFrom >= FIRST_DAY_MS) limitRate(this.limiter, res, credentialId, tenantId);
    else showAllowance(res, this.firstSyncs.take(tenantId));
  }
}
