import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/clock.js';
import type { Database } from '../../../base/database/database.js';
import { Buckets } from '../../../base/http/rate-limit.js';

/** The size of a bucket, and how fast it refills. */
export interface BucketSize {
  /** Keeps buckets of different kinds apart. */
  kind: string;
  perSecond: number;
  burst: number;
}

/**
 * Token buckets that all processes share, so that more processes permit no more tries. Each process has a bucket of the
 * same size in front, so that a flood is refused without a query.
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

  /** Takes a token; false: there was none. */
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

  /** Whether `take` would find no token. */
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
