import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Unavailable } from '../../../src/base/errors/domain-error.js';
import { AnswerBudget, SMALL_ANSWER } from '../../../src/base/http/answer-budget.js';

const MIB = 1024 * 1024;
const response = () => Object.assign(new EventEmitter(), { closed: false }) as unknown as ServerResponse;

it('gives a tenant its share of 2 MiB, and serves another tenant before the ones that wait', async () => {
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

it('refuses with Retry-After when no share is free in time, or too many wait', async () => {
  const budget = new AnswerBudget(64 * MIB, 20);
  await budget.take('a', 2 * MIB);
  const refused = (await Promise.allSettled(
    Array.from({ length: 40 }, () => budget.take('a', MIB)),
  )) as PromiseRejectedResult[];
  expect(refused.every(({ reason }) => reason instanceof Unavailable)).toBe(true);
  expect((refused[0]!.reason as Unavailable).extras.headers).toEqual({ 'Retry-After': '2' });
  await expect(budget.take('b', 2 * MIB)).resolves.toBeDefined();
});

it('sends one answer that is larger than a share', async () => {
  const budget = new AnswerBudget(64 * MIB);
  const release = await budget.take('a', 100 * MIB);
  expect(budget.size).toBe(2 * MIB);
  release();
  release();
  expect(budget.size).toBe(0);
});

it('counts the bytes of an answer once, and frees them with the answer', async () => {
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

it('frees the share of an answer whose client has gone', async () => {
  const budget = new AnswerBudget(64 * MIB);
  const res = Object.assign(response(), { closed: true });
  await budget.shareOf(res, 'a').grow(8 * MIB);
  expect(budget.size).toBe(0);
});
