import { AnonymousBodies } from '../../../src/base/http/anonymous-bodies.js';

describe('AnonymousBodies', () => {
  const full = (max: number) => {
    const told: string[] = [];
    const bodies = new AnonymousBodies(max);
    const share = (name: string) => bodies.share((reason) => told.push(`${name} ${reason.code}`));
    return { bodies, share, told };
  };

  it('ends the oldest body when the memory is used up', () => {
    const { bodies, share, told } = full(100);
    share('a').grow(60);
    share('b').grow(30);
    share('c').grow(30);
    expect(told).toEqual(['a too_many_bodies']);
    expect(bodies.size).toBe(60);
  });

  it('refuses a body that is larger than all of the memory, after the older ones', () => {
    const { bodies, share, told } = full(100);
    share('a').grow(10);
    share('b').grow(101);
    expect(told).toEqual(['a too_many_bodies', 'b too_many_bodies']);
    expect(bodies.size).toBe(0);
  });

  it('skips a body without a received byte', () => {
    const { share, told } = full(100);
    share('silent');
    share('a').grow(90);
    share('b').grow(20);
    expect(told).toEqual(['a too_many_bodies']);
  });

  it('does not count a body that has ended, and does not end it again', () => {
    const { bodies, share, told } = full(100);
    const ended = share('a');
    ended.grow(90);
    ended.end();
    ended.end();
    ended.grow(50);
    share('b').grow(100);
    expect([bodies.size, told]).toEqual([100, []]);
  });
});
