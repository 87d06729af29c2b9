import { mkdtempSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Clock } from '../../../src/base/clock.js';
import type { Database } from '../../../src/base/database/database.js';
import { loadConfig } from '../../../src/base/config/load-config.js';
import { TooManyRequests } from '../../../src/base/http/http.errors.js';
import { RateLimiter } from '../../../src/base/http/rate-limit.js';
import { DirectoryStore } from '../../../src/directory-sync/directories/directory.store.js';

class Hand extends Clock {
  ms = 0;
  now(): Date {
    return new Date(this.ms);
  }
  monotonic(): number {
    return this.ms;
  }
}

describe('a directory in its first day', () => {
  const limiter = (clock: Clock): DirectoryStore => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-test-'));
    const config = loadConfig({ RATE_LIMIT: '100', DATA_DIR: folder });
    return new DirectoryStore(
      { feed: { on: () => undefined } } as unknown as Database,
      clock,
      config,
      new RateLimiter(config, clock),
    );
  };
  const request = (limits: DirectoryStore, firstDayFrom: number, tenantId = 'ten_1'): boolean => {
    const res = { setHeader: () => undefined } as unknown as ServerResponse;
    try {
      limits.takeRequest(res, 'tok_1', { tenantId, firstDayFrom });
      return true;
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error;
      return false;
    }
  };
  const allowed = (count: number, one: () => boolean): number =>
    Array.from({ length: count }, one).filter(Boolean).length;

  it('sends 10 000 users without a wait, and 500 a second after that', () => {
    const clock = new Hand();
    const limits = limiter(clock);
    expect(allowed(10_100, () => request(limits, 0))).toBe(10_000);
    clock.ms += 1_000;
    expect(allowed(1_000, () => request(limits, 0))).toBe(500);
    expect(request(limits, 0, 'ten_2')).toBe(true);
  });

  it('shares its allowance with the other new directories of the tenant', () => {
    const limits = limiter(new Hand());
    expect(allowed(10_000, () => request(limits, 0))).toBe(10_000);
    expect(request(limits, -1_000)).toBe(false);
  });

  it('has the ordinary limit from the second day on', () => {
    const clock = new Hand();
    const limits = limiter(clock);
    clock.ms = 24 * 3_600_000;
    expect(allowed(2_000, () => request(limits, 0))).toBe(1_000);
  });
});
