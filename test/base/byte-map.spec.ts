import { ByteMap, byteSize } from '../../src/base/byte-map.js';

describe('ByteMap', () => {
  it('drops the oldest entries at the limit of entries and of bytes', () => {
    const map = new ByteMap<number>({ entries: 3, bytes: 1000 });
    for (const key of ['a', 'b', 'c', 'd']) map.set(key, 1, 100);
    expect(['a', 'b', 'c', 'd'].map((key) => map.has(key))).toEqual([false, true, true, true]);
    map.set('e', 1, 850);
    expect(['b', 'c', 'd', 'e'].map((key) => map.has(key))).toEqual([false, false, true, true]);
    expect(map.bytes).toBe(100 + 850 + 4);
  });

  it('keeps the newest entry when it needs the room of all others', () => {
    const map = new ByteMap<number>({ entries: 100, bytes: 10_000 });
    for (let i = 0; i < 99; i++) map.set(`small ${i}`, 1, 10);
    map.set('large', 1, 9980);
    expect([map.has('small 98'), map.has('large')]).toEqual([false, true]);
  });

  it('counts a repeated entry once, and no dropped one', () => {
    const map = new ByteMap<number>({ entries: 3, bytes: 1000 });
    map.set('a', 1, 100);
    map.set('a', 2, 300);
    expect([map.get('a'), map.bytes]).toEqual([2, 302]);
    map.delete('a');
    map.delete('a');
    expect(map.bytes).toBe(0);
  });

  it('does not keep a value larger than its limit', () => {
    const map = new ByteMap<number>({ entries: 3, bytes: 1000 });
    map.set('a', 1, 100);
    map.set('b', 1, 2000);
    expect([map.has('a'), map.has('b')]).toEqual([true, false]);
  });
});

it('byteSize is never less than the bytes of the text that a value is made of', () => {
  const text = 'x'.repeat(10_000);
  const values = [
    text,
    { text },
    [text],
    new Map([[text, 1]]),
    new Set([text]),
    { deep: [{ deeper: text }] },
    { [text]: 1 },
    Buffer.from(text),
    'ä€'.repeat(5000),
  ];
  for (const value of values) expect(byteSize(value)).toBeGreaterThanOrEqual(10_000);
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  expect(byteSize(circle)).toBeLessThan(10_000);
});
