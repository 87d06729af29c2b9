import type { Request, Response } from 'express';
import { Clock } from '../../../src/base/clock.js';
import { TooManyRequests } from '../../../src/base/http/http.errors.js';
import { limitStrangers } from '../../../src/base/http/stranger-limit.js';

/** A clock that stands still. */
class Stopped extends Clock {
  override now(): Date {
    return new Date(0);
  }
  override monotonic(): number {
    return 1_000;
  }
}

/** Returns how many requests of one address to a path are let through. */
function allowed(limit: ReturnType<typeof limitStrangers>, path: string, ip: string): number {
  for (let n = 0; n < 2_000; n++) {
    let refused: unknown;
    limit({ path, ip } as Request, {} as Response, (error) => (refused = error));
    if (refused === undefined) continue;
    expect(refused).toBeInstanceOf(TooManyRequests);
    return n;
  }
  return Infinity;
}

it('limits searches of the documents more than their pages, each address alone', () => {
  const limit = limitStrangers(new Stopped(), (path) => path !== '/private');
  expect(allowed(limit, '/docs/search', '192.0.2.1')).toBe(30);
  expect(allowed(limit, '/docs/search/', '192.0.2.1')).toBe(0);
  expect(allowed(limit, '/docs/search', '198.51.100.1')).toBe(30);
  expect(allowed(limit, '/docs/connect/okta', '192.0.2.1')).toBe(300);
  expect(allowed(limit, '/api/auth/login', '192.0.2.1')).toBe(1_000);
  expect(allowed(limit, '/private', '192.0.2.1')).toBe(Infinity);
});
