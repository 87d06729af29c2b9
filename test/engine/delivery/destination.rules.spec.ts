import {
  afterFailure,
  afterSuccess,
  isAway,
  looksMisconfigured,
  newHealth,
  probePause,
  PROBE_TIMES,
  withRefusal,
  type Health,
  type SubjectRefusal,
} from '../../../src/engine/delivery/destination.rules.js';

/** Runs answers through: a name is a failure of that person, `+` a success. */
function run(answers: string, health: Health = { ...newHealth(), allowed: 16 }): Health {
  return answers
    .split(' ')
    .reduce((h, answer) => (answer === '+' ? afterSuccess(h, 16) : afterFailure(h, answer, false)), health);
}

describe('isAway', () => {
  it.each([
    ['six failures of three people', 'a b c a b c', true],
    ['six failures of six people', 'a b c d e f', true],
    ['five failures of five people', 'a b c d e', false],
    ['six failures of two people, three of one', 'a b a b a', true],
    ['a success between them', 'a b c + d e f', false],
    ['one person once', 'a', false],
    ['one person twice', 'a a', false],
    ['one person three times, over seconds, and no success', 'a a a', true],
    ['one bad record among good ones', 'a + a + a + a + a + a + a', false],
    ['a burst after many successes', '+ + + a b c d e f', true],
  ])('%s: %s', (_, answers, away) => expect(isAway(run(answers))).toBe(away));

  it('needs fewer failures while few calls are allowed', () => {
    expect(isAway(run('a b', newHealth()))).toBe(true);
    expect(isAway(run('a', newHealth()))).toBe(false);
    expect(isAway(run('a b', { ...newHealth(), allowed: 4 }))).toBe(false);
    expect(isAway(run('a b c d', { ...newHealth(), allowed: 4 }))).toBe(true);
  });

  it('is not reached by a fault that strikes each tenth call', () => {
    let seed = 42;
    const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
    let health: Health = { ...newHealth(), allowed: 16 };
    let opened = 0;
    for (let n = 0; n < 200_000; n++) {
      health = random() < 0.1 ? afterFailure(health, `u${n % 500}`, false) : afterSuccess(health, 16);
      if (isAway(health)) opened++;
    }
    expect(opened).toBeLessThanOrEqual(2);
  });
});

describe('the number of calls at the same time', () => {
  it('begins with one, and doubles with each round', () => {
    let health = newHealth();
    const rounds: number[] = [];
    for (let round = 0; round < 6; round++) {
      rounds.push(health.allowed);
      for (let n = rounds.at(-1)!; n > 0; n--) health = afterSuccess(health, 16);
    }
    expect(rounds).toEqual([1, 2, 4, 8, 16, 16]);
  });

  it('halves when the other side asks for less', () => {
    expect(afterFailure({ ...newHealth(), allowed: 16 }, 'a', true).allowed).toBe(8);
    expect(afterFailure(newHealth(), 'a', true).allowed).toBe(1);
  });
});

describe('probePause', () => {
  it.each([
    [0, 9, null, 1_000],
    [1, 9, null, 2_000],
    [5, 9, null, 32_000],
    [6, 9, null, 60_000],
    [50, 9, null, 60_000],
    [50, 1, null, 5_000],
    [0, 9, 120_000, 120_000],
    [6, 9, 500, 60_000],
  ])('after %p probes of %p people with Retry-After %p is %p', (probes, people, retryAfter, ms) =>
    expect(probePause(probes, people, retryAfter, PROBE_TIMES, 1)).toBe(ms),
  );
  it('spreads by a tenth', () => expect(probePause(0, 9, null, PROBE_TIMES, 0)).toBe(900));
});

describe('looksMisconfigured', () => {
  const refusal = (user_id: string, status = 422, at = '2026-01-01T00:00:00Z'): SubjectRefusal => ({
    user_id,
    status,
    at,
  });
  const all = (list: SubjectRefusal[], last: Date | null = null): SubjectRefusal[] =>
    list.reduce<SubjectRefusal[]>((refusals, next) => withRefusal(refusals, next, last), []);

  it.each<[string, SubjectRefusal[], boolean]>([
    ['five people alike', ['a', 'b', 'c', 'd', 'e'].map((u) => refusal(u)), true],
    ['four people alike', ['a', 'b', 'c', 'd'].map((u) => refusal(u)), false],
    ['one person five times', ['a', 'a', 'a', 'a', 'a'].map((u) => refusal(u)), false],
    [
      'five people, one with another status',
      [refusal('a'), refusal('b'), refusal('c', 400), refusal('d'), refusal('e')],
      false,
    ],
    ['five alike after another one', [refusal('x', 400), ...['a', 'b', 'c', 'd', 'e'].map((u) => refusal(u))], true],
  ])('%s: %#', (_, list, looks) => expect(looksMisconfigured(all(list))).toBe(looks));

  it('forgets failures before the last success', () => {
    const early = ['a', 'b', 'c', 'd'].map((u) => refusal(u));
    expect(
      looksMisconfigured(
        withRefusal(early, refusal('e', 422, '2026-01-01T00:00:02Z'), new Date('2026-01-01T00:00:01Z')),
      ),
    ).toBe(false);
  });
});
