import { AsideTurns } from '../../../../src/engine/delivery/pump/destination-pump.js';

it('polls less and less often while nothing is found, at least every 30 seconds', () => {
  const turns = new AsideTurns();
  const looks: number[] = [];
  for (let now = 0; now < 120_000; now += 100) {
    if (!turns.isTime(now)) continue;
    looks.push(now);
    turns.looked(now, false);
  }
  expect(looks.slice(0, 5)).toEqual([0, 400, 1_200, 2_800, 6_000]);
  expect(looks.length).toBeLessThan(13);
  const pauses = looks.slice(1).map((at, i) => at - looks[i]!);
  expect(Math.max(...pauses)).toBe(30_000);
});

it('polls at the end of a known pause, and again soon when something was found', () => {
  const turns = new AsideTurns();
  for (let i = 0; i < 10; i++) turns.looked(0, false);
  turns.waits(0, 5_000);
  expect([turns.isTime(4_999), turns.isTime(5_000)]).toEqual([false, true]);
  turns.looked(5_000, true);
  expect([turns.isTime(5_199), turns.isTime(5_200)]).toEqual([false, true]);
});
