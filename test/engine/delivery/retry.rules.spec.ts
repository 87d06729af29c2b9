import type { OutboundAnswer } from '../../../src/base/http/outbound.js';
import { DeliveryOptions } from '../../../src/engine/delivery/delivery.options.js';
import {
  backoff,
  judge,
  retryAfter,
  WORDS,
  wordsOf,
  steadyPause,
  steadyRules,
  STAGES,
  stageOf,
} from '../../../src/engine/delivery/retry.rules.js';

describe('retry', () => {
  const NOW = new Date('2026-01-01T00:00:00Z');
  const HTML = '<!doctype html><p>Be right back</p>';

  const answer = (status: number, body = '', more: object = {}): OutboundAnswer => ({
    kind: 'answer',
    status,
    contentType: 'application/json',
    retryAfter: null,
    location: null,
    body,
    truncated: false,
    ms: 1,
    address: null,
    ...more,
  });
  const failed = (reason: 'timeout' | 'refused' | 'reset' | 'dns' | 'tls' | 'blocked'): OutboundAnswer => ({
    kind: 'failed',
    reason,
    detail: reason,
    ms: 1,
    address: null,
  });

  describe('judge', () => {
    it.each<[string, OutboundAnswer, object]>([
      ['200 with JSON', answer(200, '{"id":"1"}'), { kind: 'ok', body: { id: '1' } }],
      ['201 without a body', answer(201), { kind: 'ok', body: null }],
      ['204', answer(204, '', { contentType: '' }), { kind: 'ok', body: null }],
      ['200 with JSON of another type', answer(200, '{}', { contentType: 'text/plain' }), { kind: 'ok' }],
      ['200 with text', answer(200, 'OK', { contentType: 'text/plain' }), { kind: 'unavailable', reason: 'not_json' }],
      ['200 with half a JSON', answer(200, '{"id":'), { kind: 'unavailable', reason: 'not_json', ownFault: true }],
      ['200 that is too long', answer(200, '{}', { truncated: true }), { kind: 'unavailable', reason: 'not_json' }],
      ['200 with a page', answer(200, HTML, { contentType: 'text/html' }), { kind: 'unavailable', reason: 'html' }],
      ['200 with a page that says it is JSON', answer(200, HTML), { kind: 'unavailable', reason: 'html' }],
      [
        '404 with a page',
        answer(404, HTML, { contentType: 'text/html; charset=utf-8' }),
        { kind: 'unavailable', reason: 'html' },
      ],
      [
        '403 with a page (a firewall)',
        answer(403, HTML, { contentType: 'text/html' }),
        { kind: 'unavailable', reason: 'html' },
      ],
      ['422 with a page', answer(422, HTML, { contentType: 'text/html' }), { kind: 'unavailable', reason: 'html' }],
      ['301', answer(301, '', { location: 'https://x' }), { kind: 'stopped', reason: 'redirect', words: 'https://x' }],
      ['307', answer(307), { kind: 'stopped', reason: 'redirect' }],
      ['400', answer(400, '{"detail":"no"}'), { kind: 'refused', status: 400, words: '{"detail":"no"}' }],
      ['401', answer(401, '{}'), { kind: 'stopped', reason: 'credential_refused' }],
      ['403', answer(403, '{}'), { kind: 'stopped', reason: 'credential_refused' }],
      ['404', answer(404, '{}'), { kind: 'missing', status: 404 }],
      ['405', answer(405, '{}'), { kind: 'refused', status: 405 }],
      ['408', answer(408), { kind: 'unavailable', ownFault: false }],
      ['409', answer(409, '{"id":"7"}'), { kind: 'conflict', body: { id: '7' } }],
      ['410', answer(410, '{}'), { kind: 'missing', status: 410 }],
      ['413', answer(413, '{}'), { kind: 'refused' }],
      ['422', answer(422, '{}'), { kind: 'refused', status: 422 }],
      ['425', answer(425), { kind: 'unavailable', ownFault: false }],
      ['429', answer(429, '{}', { retryAfter: '7' }), { kind: 'unavailable', ownFault: false, retryAfterMs: 7_000 }],
      ['500', answer(500, '{}'), { kind: 'unavailable', reason: 'status_500', ownFault: true }],
      ['501', answer(501), { kind: 'unavailable', ownFault: true }],
      [
        '503',
        answer(503, '', { retryAfter: 'Thu, 01 Jan 2026 00:00:30 GMT' }),
        { kind: 'unavailable', retryAfterMs: 30_000 },
      ],
      ['no answer in time', failed('timeout'), { kind: 'unavailable', reason: 'timeout', ownFault: true }],
      ['a broken connection', failed('reset'), { kind: 'unavailable', reason: 'reset', ownFault: true }],
      ['a refused connection', failed('refused'), { kind: 'unavailable', reason: 'refused', ownFault: false }],
      ['an unknown name', failed('dns'), { kind: 'unavailable', reason: 'dns', ownFault: false }],
      ['a bad certificate', failed('tls'), { kind: 'unavailable', reason: 'tls', ownFault: false }],
      ['an address that we refuse', failed('blocked'), { kind: 'stopped', reason: 'address_refused' }],
    ])('%s', (_, given, verdict) => expect(judge(given, NOW)).toMatchObject(verdict));
  });

  describe('retryAfter', () => {
    it.each<[string | null, number | null]>([
      [null, null],
      ['0', 0],
      ['120', 120_000],
      [' 5 ', 5_000],
      ['999999999', 3_600_000],
      ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
      ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
      ['Fri, 01 Jan 2027 00:00:00 GMT', 3_600_000],
      ['soon', null],
      ['', null],
    ])('%p is %p', (header, ms) => expect(retryAfter(header, NOW)).toBe(ms));
  });

  describe('backoff', () => {
    const times = { firstMs: 1_000, maxMs: 60_000 };
    it.each([
      [1, 500, 1_000],
      [2, 1_000, 2_000],
      [5, 8_000, 16_000],
      [7, 30_000, 60_000],
      [1_000, 30_000, 60_000],
      [0, 500, 1_000],
    ])('after %p failures is between %p and %p', (tries, least, most) => {
      expect(backoff(tries, times, 0)).toBe(least);
      expect(backoff(tries, times, 1)).toBe(most);
    });
  });

  it('keeps 1 KiB of the answer, on one line', () => {
    expect(wordsOf(' a\r\n\tb\0c ')).toBe('a b c');
    expect(wordsOf('x'.repeat(5_000))).toHaveLength(WORDS);
  });
});

describe('failure', () => {
  const { backoff: times } = new DeliveryOptions();
  const { pause } = steadyPause(times);

  test('waits the pause of the failure count when the destination names none', () => {
    for (const count of [1, 2, 5, 100]) expect(pause(count, null, 0.5)).toBe(backoff(count, times, 0.5));
  });

  test('waits as long as Retry-After asks when that is longer', () => {
    expect(pause(1, 120_000, 0)).toBe(120_000);
  });

  test('waits at most five minutes for Retry-After, because the destination waits out a longer one', () => {
    expect(pause(1, 3_600_000, 0)).toBe(300_000);
  });

  test('never gives a message up, and never ends a destination', () => {
    const rules = steadyRules(new DeliveryOptions());
    expect(rules.pause(10_000, null, 0.99)).toBeGreaterThan(0);
    expect(rules).toMatchObject({ endsAfterMs: null, retryAfterHolds: true, waitsAside: false, probesEarly: true });
  });
});

describe('failing', () => {
  const NOW = new Date('2026-01-10T00:00:00.000Z');
  const DAY = 86_400_000;
  const ago = (ms: number): Date => new Date(NOW.getTime() - ms);

  it.each([
    ['the first failure', null, false, STAGES.none],
    ['a streak', null, true, STAGES.streak],
    ['a day of failures', ago(DAY), false, STAGES.none],
    ['just under half of the time', ago(2.5 * DAY - 1), true, STAGES.streak],
    ['half of the time', ago(2.5 * DAY), false, STAGES.halfTime],
    ['just under the time', ago(5 * DAY - 1), true, STAGES.halfTime],
    ['the time', ago(5 * DAY), false, STAGES.ended],
  ])('%s', (_, since, away, stage) => expect(stageOf(since, 5 * DAY, away, NOW)).toBe(stage));
});
