import { estimatedEnd, MOST_FAILURES, pauseAfter } from '../../../src/engine/work/task.js';

it.each([
  [1, 10],
  [2, 20],
  [3, 40],
  [6, 320],
  [7, 600],
  [23, 600],
  [MOST_FAILURES, null],
])('after %i failures in a row a task rests %s seconds', (failures, seconds) => {
  expect(pauseAfter(failures)).toBe(seconds);
});

describe('the estimated end', () => {
  const half = { state: 'running', done: 100, total: 200, startedAt: 1_000, now: 61_000 };

  it('is as far away as the first half took, when half is done', () => {
    expect(estimatedEnd(half)).toBe(121_000);
  });

  it('is now when more is done than was expected', () => {
    expect(estimatedEnd({ ...half, done: 300 })).toBe(half.now);
  });

  it.each([
    ['the task is over', { state: 'done' }],
    ['the task was cancelled', { state: 'cancelled' }],
    ['the total is not known', { total: null }],
    ['no batch has begun', { startedAt: null }],
    ['too little is done', { done: 5 }],
    ['the clock was set back', { now: 500 }],
  ])('is unknown when %s', (_, more) => {
    expect(estimatedEnd({ ...half, ...more })).toBeNull();
  });
});
