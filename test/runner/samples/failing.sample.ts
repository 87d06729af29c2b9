// Every test of this file must be reported as failed; the titles of the others begin with "fine".
import { setTimeout as sleep } from 'node:timers/promises';

describe('a block', () => {
  it('does not end', async () => sleep(60_000, undefined, { ref: false }), 50);
  it('compares', () => expect({ a: 1 }).toStrictEqual({ a: 2 }));
  it.each([1])('is a row of a table: %s', (n) => expect(n).toBe(2));
  it('checks less than it says', () => {
    expect.assertions(2);
    expect(1).toBe(1);
  });
  it('checks nothing', () => expect.hasAssertions());
  it('leaves a rejection unhandled', async () => {
    void Promise.reject(new Error('unknown'));
    await sleep(5);
  });
  it('throws later', async () => {
    setTimeout(() => {
      throw new Error('later');
    });
    await sleep(20);
  });
  it('fine: the next one', () => undefined);
  it.failing('fine: is known to fail', () => {
    throw new Error('known');
  });
  // The runner must tell it as pending, so the sample has one that does not run.
  it.skip('skipped', () => expect(1).toBe(2));
});

describe('a block whose set-up fails', () => {
  beforeAll(() => {
    throw new Error('set-up');
  });
  it('has no ground', () => undefined);
});
