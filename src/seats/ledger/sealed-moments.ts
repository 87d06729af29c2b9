import { Injectable } from '@nestjs/common';
import { asOfText, isDay, momentText } from '../past-moment.js';
import { SeatReportsRepository, type Moment } from '../seat-reports.repository.js';
import { SeatChain } from './seat-chain.js';

/** Moments that reports are about, once everything up to now is sealed. */
@Injectable()
export class SealedMoments {
  constructor(
    private readonly chain: SeatChain,
    private readonly reports: SeatReportsRepository,
  ) {}

  /** Seals what waits. */
  async sealNow(tenantId: string): Promise<void> {
    await this.chain.sealNow(tenantId);
  }

  /**
   * Returns the moment that is asked about.
   *
   * @param text a time, or a date: the end of that day in the tenant's time zone; undefined: now
   * @throws {InvalidFields} for anything else
   */
  async of(tenantId: string, text: string | undefined): Promise<Moment> {
    const asOf = text === undefined ? undefined : asOfText(text);
    await this.sealNow(tenantId);
    const moment = await this.reports.moment(tenantId, asOf);
    // "Now" is the moment up to which everything has just been sealed.
    if (text !== undefined || moment.sealed_through === null) return moment;
    return { ...moment, as_of: moment.sealed_through, final: true };
  }

  /**
   * Returns an end of a half-open range as RFC 3339.
   *
   * @param text a time, or a date: the start of that day in the tenant's time zone
   * @throws {InvalidFields} that names the option, for anything else
   */
  async startOf(tenantId: string, name: string, text: string | undefined): Promise<string | null> {
    if (text === undefined) return null;
    return isDay(text) ? this.reports.startOfDay(tenantId, text) : momentText(name, text);
  }
}
