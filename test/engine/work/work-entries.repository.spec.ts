import { Places } from '../../../src/engine/work/work-entries.repository.js';

it('knows the tenants and servers whose part is taken, and has its places back', () => {
  const places = new Places({ all: 5, ofTenant: 2, ofServer: 3 });
  const leave = [
    places.take('ten_1', 'a'),
    places.take('ten_1', 'a'),
    places.take('ten_2', 'a'),
    places.take('ten_3', null),
  ];
  expect([places.fullTenants(), places.fullServers(), places.free]).toEqual([['ten_1'], ['a'], 1]);
  leave[0]!();
  expect([places.fullTenants(), places.fullServers(), places.free]).toEqual([[], [], 2]);
  for (const one of leave.slice(1)) one();
  expect(places.free).toBe(5);
});
