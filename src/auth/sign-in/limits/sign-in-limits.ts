import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Config } from '../../../base/config/config.js';
import { Database } from '../../../base/database/database.js';
import { networkOf } from '../../../base/http/allowed-networks.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { SharedBuckets, type BucketSize } from './shared-buckets.store.js';

/**
 * Limits of sign-ins and of failures, over all processes. A whole company can be behind one address, so an address has
 * a large limit; a refused account has a small one. No limit locks an account out: it refills within minutes, an open
 * sign-in can be finished, and each address and account is counted alone. With `RATE_LIMIT=off` nothing is counted.
 */
@Injectable()
export class SignInLimits {
  private readonly enabled: boolean;
  private readonly starts: SharedBuckets;
  private readonly failures: SharedBuckets;
  private readonly logouts: SharedBuckets;
  private readonly guessedSessions: SharedBuckets;
  private readonly accounts: SharedBuckets;
  private readonly begun: SharedBuckets;
  private readonly grants: SharedBuckets;

  constructor(config: Config, db: Database, clock: Clock) {
    const buckets = (size: BucketSize): SharedBuckets => new SharedBuckets(db, clock, size);
    this.enabled = config.rateLimit !== null;
    this.starts = buckets({ kind: 'start', perSecond: 10, burst: 300 });
    this.failures = buckets({ kind: 'failure', perSecond: 5, burst: 300 });
    this.logouts = buckets({ kind: 'logout', perSecond: 5, burst: 300 });
    this.guessedSessions = buckets({ kind: 'front-channel', perSecond: 5, burst: 300 });
    this.accounts = buckets({ kind: 'account', perSecond: 1 / 10, burst: 20 });
    this.begun = buckets({ kind: 'begun', perSecond: 1 / 60, burst: 5 });
    this.grants = buckets({ kind: 'grant', perSecond: 5, burst: 300 });
  }

  /**
   * Counts the start of a sign-in.
   *
   * @param tenantId '' where none was found
   * @throws {SignInRefused} `too_many_tries`
   */
  async start(address: string, tenantId: string): Promise<void> {
    if (this.enabled && !(await this.starts.take(nameOf(address, tenantId))))
      throw tooMany('sign-ins were begun from this address');
  }

  /** Whether an address has tries left for answers that no sign-in here began. */
  async hasTriesLeft(address: string, tenantId: string): Promise<boolean> {
    return !this.enabled || !(await this.failures.isEmpty(nameOf(address, tenantId)));
  }

  async demandTriesLeft(address: string, tenantId: string): Promise<void> {
    if (!(await this.hasTriesLeft(address, tenantId))) throw tooMany('sign-ins were refused from this address');
  }

  /**
   * Counts an answer to an open sign-in from an address without tries left; a few are permitted.
   *
   * @throws {SignInRefused} `too_many_tries`
   */
  async answerBegun(handle: string): Promise<void> {
    if (this.enabled && !(await this.begun.take(handle))) throw tooMany('answers were tried for this sign-in');
  }

  /**
   * Demands tries for logout messages. They have a limit of their own, so that they work while sign-ins fail.
   *
   * @throws {SignInRefused} `too_many_tries`
   */
  async demandLogoutTriesLeft(address: string, tenantId: string): Promise<void> {
    const used = this.enabled && (await this.logouts.isEmpty(nameOf(address, tenantId)));
    if (used) throw tooMany('logouts were refused from this address');
  }

  /**
   * Demands tries for an account of a connection, once it is verified.
   *
   * @throws {SignInRefused} `too_many_tries`
   */
  async demandAccountTriesLeft(connectionId: string, subject: string): Promise<void> {
    const used = this.enabled && (await this.accounts.isEmpty(`${connectionId} ${subject}`));
    if (used) throw tooMany('sign-ins were refused for this account');
  }

  /** Counts a refusal for its address, and for its account where the IdP has verified one. */
  async noteFailure(
    address: string,
    connection: { readonly tenantId: string; readonly id: string },
    subject: string | null,
  ): Promise<void> {
    if (!this.enabled) return;
    await this.failures.take(nameOf(address, connection.tenantId));
    if (subject !== null) await this.accounts.take(`${connection.id} ${subject}`);
  }

  async noteLogoutFailure(address: string, tenantId: string): Promise<void> {
    if (this.enabled) await this.logouts.take(nameOf(address, tenantId));
  }

  /**
   * Demands tries for front-channel logouts. They come from browsers, and a whole company can be behind one address;
   * only those that name no session here are counted.
   *
   * @throws {SignInRefused} `too_many_tries` after 300; five a second refill
   */
  async demandFrontChannelTriesLeft(address: string, tenantId: string): Promise<void> {
    const used = this.enabled && (await this.guessedSessions.isEmpty(nameOf(address, tenantId)));
    if (used) throw tooMany('logouts from this address named no session');
  }

  /** Counts a front-channel logout that named no session here. */
  async noteGuessedSession(address: string, tenantId: string): Promise<void> {
    if (this.enabled) await this.guessedSessions.take(nameOf(address, tenantId));
  }

  /** Returns the refusal to show: `too_many_tries` for an address that has used up its tries. */
  async unlessUsedUp(
    address: string,
    tenantId: string,
    kind: 'sign-in' | 'logout',
    refused: SignInRefused,
  ): Promise<SignInRefused> {
    const buckets = kind === 'logout' ? this.logouts : this.failures;
    const used = this.enabled && (await buckets.isEmpty(nameOf(address, tenantId)));
    return used ? tooMany(`${kind}s were refused from this address`) : refused;
  }

  /**
   * Counts a wrong code or token of an address; valid ones are never counted.
   *
   * @param tenantId the tenant that it names; '' for none
   * @returns false when the tries are used up
   */
  async noteGrantFailure(address: string, tenantId: string): Promise<boolean> {
    return !this.enabled || (await this.grants.take(nameOf(address, tenantId)));
  }
}

/** By address and tenant, so that failures about one tenant refuse nothing of another. */
function nameOf(address: string, tenantId: string): string {
  return `${networkOf(address)} ${tenantId}`;
}

function tooMany(what: string): SignInRefused {
  return new SignInRefused('too_many_tries', `too many ${what}`);
}
