import { ForeignPlaces, type Claimed } from '../../src/base/foreign-places.js';

const claim = (): Promise<string> => Promise.resolve('work');

async function taken(places: ForeignPlaces, count: number, nameOf: (i: number) => [string, string]): Promise<number> {
  let got = 0;
  for (let i = 0; i < count; i++) if ((await places.claim(...nameOf(i), claim)) !== null) got++;
  return got;
}

it('leaves places to other servers when one server has its part', async () => {
  const places = new ForeignPlaces();
  expect(await taken(places, 40, (i) => [`ten_${i}`, 'away.example'])).toBe(16);
  expect(places.fullServers()).toEqual(['away.example']);
  expect(await taken(places, 2, (i) => [`ten_${i}`, 'other.example'])).toBe(2);
});

it('leaves places to other tenants when one tenant has its part', async () => {
  const places = new ForeignPlaces();
  expect(await taken(places, 10, (i) => ['ten_1', `${i}.example`])).toBe(4);
  expect(await taken(places, 1, () => ['ten_2', '1.example'])).toBe(1);
});

it('gives no more than all places, and takes them back', async () => {
  const places = new ForeignPlaces();
  const claimed: (Claimed<string> | null)[] = [];
  for (let i = 0; i < 65; i++) claimed.push(await places.claim(`ten_${i}`, null, claim));
  expect([claimed.filter((one) => one !== null).length, places.isFull]).toEqual([64, true]);
  claimed[0]!.leave();
  expect(places.isFull).toBe(false);
});

it('frees the place of a claim that finds nothing or fails', async () => {
  const places = new ForeignPlaces();
  for (let i = 0; i < 20; i++) {
    expect(await places.claim('ten_1', 'x', () => Promise.resolve(null))).toBeNull();
    await expect(places.claim('ten_1', 'x', () => Promise.reject(new Error('no database')))).rejects.toThrow();
  }
  expect((await places.claim('ten_1', 'x', claim))?.work).toBe('work');
});
