import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Config } from '../../../base/config/config.js';
import { Database } from '../../../base/database/database.js';
import { networkOf } from '../../../base/http/allowed-networks.js';
import { Buckets } from '../../../base/http/rate-limit.js';
import { SignInRefused } from '../sign-in.errors.js';

interface BucketSize {
  kind: string;
  perSecond: number;
  burst: number;
}

/**
 * Token buckets that all processes share, so that more processes permit no more tries. Each process has a bucket of the same
 * size in front, so that a flood is refused without a query.
 *
 * The name of a bucket (an address, an account) is stored as a hash, and removed once the bucket would be full again.
 */
export class SharedBuckets {
  private readonly own: Buckets;

  constructor(
    private readonly db: Database,
    clock: Clock,
    private readonly size: BucketSize,
  ) {
    this.own = new Buckets(size.perSecond, size.burst, clock);
  }

  async take(name: string): Promise<boolean> {
    if (!this.own.take(name).allowed) return false;
    const filled = `least($2::float8, t.tokens + greatest(0, extract(epoch from now() - t.at)) * $3::float8)`;
    const { rows } = await this.db.query<{ taken: boolean }>(
      `insert into tries as t (bucket, tokens, at, taken) values ($1, $2::float8 - 1, now(), true)
       on conflict (bucket) do update set tokens = ${filled} - (${filled} >= 1)::int, taken = ${filled} >= 1,
         at = greatest(t.at, now())
       returning t.taken`,
      [this.bucket(name), this.size.burst, this.size.perSecond],
    );
    return rows[0]!.taken;
  }

  async isEmpty(name: string): Promise<boolean> {
    if (this.own.isEmpty(name)) return true;
    const { rowCount } = await this.db.query(
      `select 1 from tries t where t.bucket = $1
         and t.tokens + greatest(0, extract(epoch from now() - t.at)) * $2::float8 < 1`,
      [this.bucket(name), this.size.perSecond],
    );
    return rowCount === 1;
  }

  private bucket(name: string): Buffer {
    return createHash('sha256').update(`${this.size.kind} ${name}`).digest().subarray(0, 16);
  }
}

/**
 * Limits of sign-ins and of failures, over all processes. A whole company can have one address, so an address has a large
 * limit; a refused account has a small one. No limit locks an account out: it refills within minutes, an open sign-in can be
 * finished, and each address and account is counted alone. With `RATE_LIMIT=off` nothing is counted.
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

  /** @param tenantId '' where none was found */
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

  /** Logout messages have a limit of their own, so that they work while sign-ins fail. */
  async demandLogoutTriesLeft(address: string, tenantId: string): Promise<void> {
    const used = this.enabled && (await this.logouts.isEmpty(nameOf(address, tenantId)));
    if (used) throw tooMany('logouts were refused from this address');
  }

  /** Demands tries for an account that the IdP has verified. */
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
   * Demands tries for front-channel logouts. They come from browsers, and a whole company can have one address, so only those
   * that name no session here are counted.
   *
   * @throws {SignInRefused} `too_many_tries` after 300; five a second refill
   */
  async demandFrontChannelTriesLeft(address: string, tenantId: string): Promise<void> {
    const used = this.enabled && (await this.guessedSessions.isEmpty(nameOf(address, tenantId)));
    if (used) throw tooMany('logouts from this address named no session');
  }

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
   * @param tenantId the tenant in the code or token; '' for none
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
