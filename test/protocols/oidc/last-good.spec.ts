import { LastGood } from '../../../src/protocols/oidc/last-good.js';
import { HandClock } from './support/party.js';

const KEEPING = { freshMs: 10_000, keepMs: 100_000, pauseMs: 5_000, retriesMs: [], capacity: 3 };

function setUp(takesBack?: (error: unknown) => boolean, retriesMs: number[] = []) {
  const clock = new HandClock();
  const known = new LastGood<number>(clock, { ...KEEPING, retriesMs }, takesBack);
  const state = { loads: 0, fails: null as Error | null };
  const load = async (): Promise<number> => {
    state.loads += 1;
    if (state.fails !== null) throw state.fails;
    return state.loads;
  };
  return {
    clock,
    state,
    get: (key = 'a') => known.get(key, load),
    again: (key = 'a', who = 'me', helps = true) => known.again(key, who, load, () => helps),
  };
}

it('requests once while the value is fresh, and once for concurrent callers', async () => {
  const { clock, state, get } = setUp();
  expect(await Promise.all([get(), get(), get()])).toEqual([1, 1, 1]);
  clock.advance(9.999);
  expect(await get()).toBe(1);
  clock.advance(0.001);
  expect(await Promise.all([get(), get()])).toEqual([2, 2]);
  expect(state.loads).toBe(2);
});

it('uses the last good value while there is no new one, for a limited time', async () => {
  const { clock, state, get } = setUp();
  await get();
  state.fails = new Error('away');
  clock.advance(10);
  expect([await get(), await get(), state.loads]).toEqual([1, 1, 2]);
  clock.advance(5);
  expect([await get(), state.loads]).toEqual([1, 3]);
  clock.advance(85);
  await expect(get()).rejects.toThrow('away');
  await expect(get()).rejects.toThrow('away');
  expect(state.loads).toBe(5);
  state.fails = null;
  expect(await get()).toBe(6);
});

it('reports a failure to all callers that wait for it, and to no other', async () => {
  const { state, get } = setUp();
  state.fails = new Error('away');
  const ends = await Promise.allSettled([get(), get(), get()]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  state.fails = null;
  expect(await get()).toBe(2);
});

it('requests again when a caller doubts the value, but not twice in a row', async () => {
  const { clock, state, get, again } = setUp();
  await get();
  expect(await Promise.all([again(), again(), again()])).toEqual([2, 2, 2]);
  expect([await again(), await get()]).toEqual([2, 2]);
  clock.advance(4.999);
  expect(await again()).toBe(2);
  clock.advance(0.001);
  expect(await again()).toBe(3);
  state.fails = new Error('away');
  clock.advance(5);
  await expect(again()).rejects.toThrow('away');
  expect([await again(), await get(), state.loads]).toEqual([3, 3, 4]);
});

describe('with pauses of 1 and 2 s after the first failures', () => {
  it('requests after them, and then once in the whole pause', async () => {
    const { clock, state, get } = setUp(undefined, [1_000, 2_000]);
    await get();
    clock.advance(10);
    state.fails = new Error('away');
    const loads: number[] = [];
    for (let second = 0; second <= 14; second++) {
      await get();
      loads.push(state.loads);
      clock.advance(1);
    }
    expect(loads).toEqual([2, 3, 3, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6]);
    state.fails = null;
    clock.advance(5);
    expect([await get(), await get()]).toEqual([7, 7]);
  });

  it('requests again after them when the answer failed or did not help', async () => {
    for (const how of ['fails', 'does not help'] as const) {
      const { clock, state, get, again } = setUp(undefined, [1_000, 2_000]);
      await get();
      const loads: number[] = [];
      for (let second = 0; second <= 9; second++) {
        state.fails = how === 'fails' ? new Error('away') : null;
        await again('a', 'me', false).catch(() => undefined);
        loads.push(state.loads);
        clock.advance(1);
      }
      expect([how, loads]).toEqual([how, [2, 3, 3, 4, 4, 4, 4, 4, 5, 5]]);
    }
  });

  it('waits for the whole pause once an answer has helped, and then begins with the short ones', async () => {
    const { clock, state, get, again } = setUp(undefined, [1_000, 2_000]);
    await get();
    await again();
    clock.advance(4.999);
    await again();
    expect(state.loads).toBe(2);
    clock.advance(0.001);
    await again('a', 'me', false);
    clock.advance(1);
    await again('a', 'me', false);
    expect(state.loads).toBe(4);
  });
});

it('keeps the turns of one source apart from those of another', async () => {
  const { get, again } = setUp();
  await get();
  expect([await again('a', 'me'), await again('a', 'me')]).toEqual([2, 2]);
  expect([await again('a', 'you'), await again('a', 'you'), await again('a', 'me')]).toEqual([3, 3, 3]);
});

it('leaves no value when an error drops it', async () => {
  const { clock, state, get } = setUp((error) => (error as Error).message === 'another');
  await get();
  clock.advance(10);
  state.fails = new Error('another');
  await expect(get()).rejects.toThrow('another');
  state.fails = new Error('away');
  await expect(get()).rejects.toThrow('away');
});

it('keeps no more keys than its limit', async () => {
  const { state, get } = setUp();
  for (const key of ['a', 'b', 'c', 'd']) await get(key);
  await get('d');
  await get('b');
  expect(state.loads).toBe(4);
  await get('a');
  expect(state.loads).toBe(5);
});
