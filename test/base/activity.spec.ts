import { Activity } from '../../src/base/activity.js';

describe('activity', () => {
  let now = 0;
  const activity = () => new Activity(() => now);
  const requests = (of: Activity, count: number) => {
    for (let i = 0; i < count; i++) of.note();
  };

  it('is quiet until requests come fast', () => {
    expect(activity().isBusy()).toBe(false);
  });

  it('is busy when requests come fast, and no longer when they stop', () => {
    const one = activity();
    requests(one, 100);
    now += 200;
    expect(one.isBusy()).toBe(true);
    now += 200;
    expect(one.isBusy()).toBe(false);
  });

  it('is busy as soon as requests come fast, not only 200 ms later', () => {
    const one = activity();
    now += 60_000;
    expect(one.isBusy()).toBe(false);
    requests(one, 30);
    expect(one.isBusy()).toBe(false);
    requests(one, 1);
    expect(one.isBusy()).toBe(true);
    now += 200;
    expect(one.isBusy()).toBe(true);
    now += 200;
    expect(one.isBusy()).toBe(false);
  });

  it('is not busy with requests spread over a long time', () => {
    const one = activity();
    requests(one, 100);
    now += 60_000;
    expect(one.isBusy()).toBe(false);
  });

  it('is not busy with a few requests', () => {
    const one = activity();
    requests(one, 10);
    now += 200;
    expect(one.isBusy()).toBe(false);
  });
});
