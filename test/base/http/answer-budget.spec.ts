import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Unavailable } from '../../../src/base/errors/domain-error.js';
import { AnswerBudget, SMALL_ANSWER } from '../../../src/base/http/answer-budget.js';

const MIB = 1024 * 1024;
const response = () => Object.assign(new EventEmitter(), { closed: false }) as unknown as ServerResponse;

it('gives a tenant its share of 2 MiB, and lets the next one of another tenant pass those who wait', async () => {
  const budget = new AnswerBudget(64 * MIB);
  const first = await budget.take('a', MIB);
  await budget.take('a', MIB);
  let third = false;
  const waits = budget.take('a', MIB).then(() => (third = true));
  await budget.take('b', MIB);
  expect([third, budget.size]).toEqual([false, 3 * MIB]);
  first();
  await waits;
  expect(budget.size).toBe(3 * MIB);
});

it('refuses with Retry-After what does not come free in time, and those that would be too many waiting', async () => {
  const budget = new AnswerBudget(64 * MIB, 20);
  await budget.take('a', 2 * MIB);
  const refused = (await Promise.allSettled(
    Array.from({ length: 40 }, () => budget.take('a', MIB)),
  )) as PromiseRejectedResult[];
  expect(refused.every(({ reason }) => reason instanceof Unavailable)).toBe(true);
  expect((refused[0]!.reason as Unavailable).extras.headers).toEqual({ 'Retry-After': '2' });
  await expect(budget.take('b', 2 * MIB)).resolves.toBeDefined();
});

it('lets one answer through that is larger than a share', async () => {
  const budget = new AnswerBudget(64 * MIB);
  const release = await budget.take('a', 100 * MIB);
  expect(budget.size).toBe(2 * MIB);
  release();
  release();
  expect(budget.size).toBe(0);
});

it('a share counts what an answer holds once, and ends with the answer', async () => {
  const budget = new AnswerBudget(64 * MIB);
  const res = response();
  const share = budget.shareOf(res, 'a');
  await share.grow(SMALL_ANSWER);
  expect(budget.size).toBe(0);
  await share.grow(MIB);
  await share.grow(1.5 * MIB);
  await share.grow(MIB);
  expect(budget.size).toBe(1.5 * MIB);
  // More than a share: it waits for nothing that it has itself.
  await share.grow(9 * MIB);
  expect(budget.size).toBe(2 * MIB);
  res.emit('close');
  expect(budget.size).toBe(0);
});

it('a share of an answer whose reader has gone meanwhile holds nothing', async () => {
  const budget = new AnswerBudget(64 * MIB);
  const res = Object.assign(response(), { closed: true });
  await budget.shareOf(res, 'a').grow(8 * MIB);
  expect(budget.size).toBe(0);
});
