import { Injectable } from '@nestjs/common';
import { InvalidFields } from '../base/errors/domain-error.js';
import { asOfText, isDay, momentText } from './past-moment.js';
import { SeatReportsRepository, type ReportMoment } from './seat-reports.repository.js';
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
   * @throws {InvalidFields} for anything else, and for a moment after today
   */
  async of(tenantId: string, text: string | undefined): Promise<ReportMoment> {
    const asOf = text === undefined ? undefined : asOfText(text);
    if (asOf !== undefined) await this.demandNotAhead(tenantId, 'as_of', asOf);
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

  /**
   * Demands that a moment is not after the current day of the tenant. A time later today is admitted: clocks differ.
   *
   * @param moment a date, or a time in UTC
   * @throws {InvalidFields} that names the option
   */
  async demandNotAhead(tenantId: string, name: string, moment: string): Promise<void> {
    const { day, end } = await this.reports.today(tenantId);
    if (isDay(moment) ? moment <= day : Date.parse(moment) <= Date.parse(end)) return;
    const next = name === 'as_of' ? 'leave as_of out for the seats of now' : `begin at ${day} or before`;
    const message = `must not be after today (${day}): the ledger knows nothing of later days; ${next}`;
    throw new InvalidFields([{ field: name, message }]);
  }
}
