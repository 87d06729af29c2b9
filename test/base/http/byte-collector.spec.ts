import fc from '../../support/properties.js';
import { ByteCollector } from '../../../src/base/http/byte-collector.js';

describe('ByteCollector', () => {
  it('keeps any pieces in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 3000 })), fc.boolean(), (pieces, announced) => {
        const all = Buffer.concat(pieces);
        const collector = new ByteCollector(1 << 20, announced ? all.length : null);
        for (const piece of pieces) expect(collector.add(Buffer.from(piece))).toBe(true);
        expect(collector.bytes()).toEqual(all);
        expect(collector.size).toBe(all.length);
      }),
    );
  });

  it('cuts bytes over the limit and reports it', () => {
    const collector = new ByteCollector(5);
    expect([collector.add(Buffer.from('abc')), collector.add(Buffer.from('defg'))]).toEqual([true, false]);
    expect(collector.bytes().toString()).toBe('abcde');
    expect(collector.add(Buffer.from('h'))).toBe(false);
  });

  it('takes at most twice the memory of the received bytes, for any announced length', () => {
    const collector = new ByteCollector(1 << 24, 1 << 24);
    for (let i = 0; i < 100_000; i++) collector.add(Buffer.from('a'));
    expect(collector.capacity).toBeLessThanOrEqual(200_000);
  });

  it('does not copy a single piece of the announced length', () => {
    const piece = Buffer.from('abc');
    const collector = new ByteCollector(10, 3);
    collector.add(piece);
    expect(collector.bytes().buffer).toBe(piece.buffer);
  });
});
