import { seatFacts, type SealedSeats } from '../../src/seats/seat-chain.js';

const NEAR = 'seat.limit_approaching';
const FULL = 'seat.limit_reached';

it.each<[name: string, seats: Partial<SealedSeats>, events: [string, number][]]>([
  ['nothing far from the limit', { before: 10, counts: [11, 12] }, []],
  ['the tenth before the limit is passed', { before: 88, counts: [89, 90, 91] }, [[NEAR, 90]]],
  ['nothing behind that mark', { before: 90, counts: [91, 92] }, []],
  ['the limit is reached', { before: 98, counts: [99, 100, 101] }, [[FULL, 100]]],
  ['both in one batch', { before: 80, counts: [95, 100] }, [[NEAR, 95], [FULL, 100]]],
  ['nothing on the way down', { before: 101, counts: [99, 89] }, []],
  ['a seat that came and went', { before: 99, counts: [100, 99] }, [[FULL, 100]]],
  ['a new limit below what is used', { before: 100, counts: [100], limitChanged: true }, [[NEAR, 100], [FULL, 100]]],
  ['a new limit far above', { before: 50, counts: [50], limitChanged: true }, []],
  ['a limit of a few seats is near only when it is reached', { limit: 5, before: 4, counts: [5] }, [[FULL, 5]]],
  ['a limit of none says nothing', { limit: 0, before: 0, counts: [1] }, []],
])('%s', (_, seats, events) => {
  const found = seatFacts({ limit: 100, before: 0, counts: [], limitChanged: false, ...seats });
  expect(found.map(({ event, data }) => [event, data.used])).toEqual(events);
}); // prettier-ignore
