import { HostBreaker } from '../../../../src/integrations/ats/calls/connection-api.js';

const AWAY = 'https://away.example';
let now: number;
let breaker: HostBreaker;
beforeEach(() => {
  now = 0;
  breaker = new HostBreaker(() => now);
});

/** Calls the server, which does not answer, if the breaker admits it. */
function failing(): boolean {
  if (breaker.refusal(AWAY) !== null) return false;
  breaker.silent(AWAY);
  return true;
}

it('admits no call to a server for a time when three in a row had no answer', () => {
  expect([failing(), failing(), failing(), failing()]).toEqual([true, true, true, false]);
  expect(breaker.refusal('https://other.example')).toBeNull();
});

it('admits one call when the time is over, and the others when it is answered', () => {
  for (let i = 0; i < 3; i++) failing();
  now = 1_000;
  expect(breaker.refusal(AWAY)).toBeNull();
  expect(breaker.refusal(AWAY)).toBe(1_000);
  breaker.answered(AWAY);
  expect(breaker.refusal(AWAY)).toBeNull();
});

it('waits longer after each call that asks in vain, and no longer than a minute', () => {
  for (let i = 0; i < 3; i++) failing();
  const waits: number[] = [];
  for (let i = 0; i < 8; i++) {
    const wait = breaker.refusal(AWAY)!;
    waits.push(wait);
    now += wait;
    expect(failing()).toBe(true);
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

it('counts only calls in a row', () => {
  failing();
  failing();
  breaker.answered(AWAY);
  expect([failing(), failing(), failing()]).toEqual([true, true, true]);
});

it('waits the first interval when many calls were open as the server stopped answering', () => {
  for (let i = 0; i < 20; i++) expect(breaker.refusal(AWAY)).toBeNull();
  for (let i = 0; i < 20; i++) breaker.silent(AWAY);
  expect(breaker.refusal(AWAY)).toBe(1_000);
});

it('stays unchanged when a call does not reach the server, and lets the next call ask', () => {
  for (let i = 0; i < 3; i++) failing();
  breaker.notReached(AWAY);
  expect(breaker.refusal(AWAY)).toBe(1_000);
  now = 1_000;
  expect(breaker.refusal(AWAY)).toBeNull();
  breaker.notReached(AWAY);
  expect(breaker.refusal(AWAY)).toBeNull();
  breaker.silent(AWAY);
  expect(breaker.refusal(AWAY)).toBe(2_000);
});

it('does not count a call that does not reach the server', () => {
  failing();
  breaker.notReached(AWAY);
  expect([failing(), failing(), failing()]).toEqual([true, true, false]);
});
