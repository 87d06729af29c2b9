import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Database } from '../../base/database/database.js';
import { networkOf } from '../../base/http/address.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { SharedBuckets, type BucketSize } from './shared-buckets.store.js';

/**
 * How often sign-ins may be begun and may fail, over all processes (ADM-04). A whole company can sit behind one address,
 * so an address has much room; an account that was refused has little. Nobody is locked out: what is used up comes back
 * within minutes, whoever has begun a sign-in may finish it, and the failures of one address or account are nobody
 * else's. With `RATE_LIMIT=off` nothing is counted.
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
   * One more sign-in from an address to a tenant ('' where none was found). Throws `SignInRefused` (`too_many_tries`),
   * like all that demand something here.
   */
  async start(address: string, tenantId: string): Promise<void> {
    if (this.enabled && !(await this.starts.take(nameOf(address, tenantId))))
      throw tooMany('sign-ins were begun from this address');
  }

  /** Whether an address may still try what nobody here has begun. */
  async hasTriesLeft(address: string, tenantId: string): Promise<boolean> {
    return !this.enabled || !(await this.failures.isEmpty(nameOf(address, tenantId)));
  }

  async demandTriesLeft(address: string, tenantId: string): Promise<void> {
    if (!(await this.hasTriesLeft(address, tenantId))) throw tooMany('sign-ins were refused from this address');
  }

  /** One more answer to a sign-in that was begun, from an address that has no tries left; there are a few. */
  async answerBegun(handle: string): Promise<void> {
    if (this.enabled && !(await this.begun.take(handle))) throw tooMany('answers were tried for this sign-in');
  }

  /** The same for logout messages, which come from other addresses, and must come through when sign-ins fail. */
  async demandLogoutTriesLeft(address: string, tenantId: string): Promise<void> {
    const used = this.enabled && (await this.logouts.isEmpty(nameOf(address, tenantId)));
    if (used) throw tooMany('logouts were refused from this address');
  }

  /** Whether an account of a connection may still try; asked once it is known whose it is. */
  async demandAccountTriesLeft(connectionId: string, subject: string): Promise<void> {
    const used = this.enabled && (await this.accounts.isEmpty(`${connectionId} ${subject}`));
    if (used) throw tooMany('sign-ins were refused for this account');
  }

  /** A refusal: of an address, and of an account where the IdP has vouched for one. */
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
   * Whether front-channel logouts are still taken from an address. They come from browsers, so a whole company can sit behind one
   * address; only those that name no session of ours are counted.
   *
   * @throws {SignInRefused} `too_many_tries` when 300 of them were counted; five a second come back
   */
  async demandFrontChannelTriesLeft(address: string, tenantId: string): Promise<void> {
    const used = this.enabled && (await this.guessedSessions.isEmpty(nameOf(address, tenantId)));
    if (used) throw tooMany('logouts from this address named no session');
  }

  /** Counts a front-channel logout that named no session of ours. */
  async noteGuessedSession(address: string, tenantId: string): Promise<void> {
    if (this.enabled) await this.guessedSessions.take(nameOf(address, tenantId));
  }

  /** A refusal as it is to be told: of an address that has used up its tries, that it has. */
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
   * Counts a wrong code or refresh token of an address, by the tenant that it names ('' for none). False when the tries
   * are used up. Only wrong ones are counted and refused: the others of the address go on.
   */
  async noteGrantFailure(address: string, tenantId: string): Promise<boolean> {
    return !this.enabled || (await this.grants.take(nameOf(address, tenantId)));
  }
}

/** Tries are counted by address and tenant: what one sends about a tenant refuses nothing of another one. */
function nameOf(address: string, tenantId: string): string {
  return `${networkOf(address)} ${tenantId}`;
}

function tooMany(what: string): SignInRefused {
  return new SignInRefused('too_many_tries', `too many ${what}`);
}
