import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Buckets, networkOf } from '../../base/http/rate-limit.js';
import { SignInRefused } from '../sign-in-refused.js';

/**
 * How often sign-ins may be begun and may fail (ADM-04). A whole company can sit behind one address, so an address has
 * much room; an account that was refused has little. Nobody is locked out: what is used up comes back within minutes,
 * whoever has begun a sign-in may finish it, and the failures of one address or account are nobody else's.
 */
@Injectable()
export class SignInLimits {
  private readonly enabled: boolean;
  private readonly starts: Buckets;
  private readonly failures: Buckets;
  private readonly logouts: Buckets;
  private readonly accounts: Buckets;
  private readonly begun: Buckets;
  private readonly grants: Buckets;

  constructor(config: Config, clock: Clock) {
    this.enabled = config.rateLimit !== null;
    this.starts = new Buckets(10, 300, clock);
    this.failures = new Buckets(5, 300, clock);
    this.logouts = new Buckets(5, 300, clock);
    this.accounts = new Buckets(1 / 10, 20, clock);
    this.begun = new Buckets(1 / 60, 5, clock);
    this.grants = new Buckets(5, 300, clock);
  }

  /** One more sign-in from an address. Throws `SignInRefused` (`too_many_tries`). */
  start(address: string): void {
    if (this.enabled && !this.starts.take(networkOf(address)).allowed) throw tooMany('begun from this address');
  }

  /** Whether an address may still try what nobody here has begun. */
  hasTriesLeft(address: string): boolean {
    return !this.enabled || !this.failures.isEmpty(networkOf(address));
  }

  /** The same; throws where it may not. */
  demandTriesLeft(address: string): void {
    if (!this.hasTriesLeft(address)) throw tooMany('refused from this address');
  }

  /** One more answer to a sign-in that was begun, from an address that has no tries left. Throws after a few. */
  answerBegun(handle: string): void {
    if (!this.begun.take(handle).allowed) throw tooMany('tried as answers to this one');
  }

  /** The same for logout messages, which come from other addresses, and must come through when sign-ins fail. */
  demandLogoutTriesLeft(address: string): void {
    if (this.enabled && this.logouts.isEmpty(networkOf(address))) throw tooMany('refused as logouts from this address');
  }

  /** Whether an account of a connection may still try; asked once it is known whose it is. */
  demandAccountTriesLeft(connectionId: string, subject: string): void {
    if (this.enabled && this.accounts.isEmpty(`${connectionId} ${subject}`)) throw tooMany('refused for this account');
  }

  /** A refusal: of an address, and of an account where the IdP has vouched for one. */
  noteFailure(address: string, connectionId: string, subject: string | null): void {
    this.failures.take(networkOf(address));
    if (subject !== null) this.accounts.take(`${connectionId} ${subject}`);
  }

  /** A refusal as it is to be told: of an address that has used up its tries, that it has. */
  unlessUsedUp(address: string, kind: 'sign-in' | 'logout', refused: SignInRefused): SignInRefused {
    const used = this.enabled && (kind === 'logout' ? this.logouts : this.failures).isEmpty(networkOf(address));
    return used ? tooMany('refused from this address') : refused;
  }

  noteLogoutFailure(address: string): void {
    this.logouts.take(networkOf(address));
  }

  /** Seconds that an address has to wait before it may exchange codes again; null: it may. */
  grantsPause(address: string): number | null {
    return this.enabled && this.grants.isEmpty(networkOf(address)) ? 1 : null;
  }

  /** A code or refresh token that nobody has. */
  noteGrantFailure(address: string): void {
    this.grants.take(networkOf(address));
  }
}

function tooMany(what: string): SignInRefused {
  return new SignInRefused('too_many_tries', `too many sign-ins were ${what}`);
}
