import { RecentRows } from '../../../../src/directory-sync/users/write/recent-rows.js';
import type { UserWithGroups } from '../../../../src/directory-sync/users/users.repository.js';

const row = (id: string, bytes: number): UserWithGroups => ({ id, doc: 'x'.repeat(bytes) }) as UserWithGroups;

it('is bounded by bytes, not by rows', () => {
  const recent = new RecentRows();
  for (let i = 0; i < 5000; i++) recent.put('t', row(`u${i}`, 30_000));
  expect(recent.bytes).toBeLessThanOrEqual(24 * 1024 * 1024);
  expect(recent.take('t', 'u4999')).toBeDefined();
  expect(recent.take('t', 'u0')).toBeUndefined();
});

it('keeps no large row, nor an older version of it', () => {
  const recent = new RecentRows();
  recent.put('t', row('u', 10));
  recent.put('t', row('u', 200_000));
  expect(recent.take('t', 'u')).toBeUndefined();
  expect(recent.bytes).toBe(0);
});

it('gives a row away once', () => {
  const recent = new RecentRows();
  recent.put('t', row('u', 10));
  expect([recent.take('t', 'u') !== undefined, recent.take('t', 'u')]).toEqual([true, undefined]);
});
