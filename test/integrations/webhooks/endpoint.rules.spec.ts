import type { OutboundAnswer, OutboundFailure } from '../../../src/base/http/outbound.js';
import {
  retryAfterMs,
  endpointVerdictOf,
  endpointStateOf,
  PACE,
  webhookRules,
} from '../../../src/integrations/webhooks/endpoint.rules.js';

describe('verdict', () => {
  const NOW = new Date('2026-03-02T09:15:30.000Z');
  const DAY = 86_400_000;

  const answer = (status: number, more: Partial<Extract<OutboundAnswer, { kind: 'answer' }>> = {}): OutboundAnswer => ({
    kind: 'answer',
    status,
    contentType: 'text/html',
    retryAfter: null,
    location: null,
    body: '<html>hello</html>',
    truncated: false,
    ms: 3,
    address: '192.0.2.1',
    ...more,
  });
  const failure = (reason: OutboundFailure, detail = 'E'): OutboundAnswer => ({
    kind: 'failed',
    reason,
    detail,
    ms: 3,
    address: null,
  });

  it.each([
    [200, 'delivered', 'delivered', null],
    [204, 'delivered', 'delivered', null],
    [299, 'delivered', 'delivered', null],
    [301, 'failed', 'redirect', 'theirs'],
    [307, 'failed', 'redirect', 'theirs'],
    [308, 'failed', 'redirect', 'theirs'],
    [400, 'failed', 'status_400', 'theirs'],
    [401, 'failed', 'status_401', 'theirs'],
    [403, 'failed', 'status_403', 'theirs'],
    [404, 'failed', 'status_404', 'theirs'],
    [410, 'gone', 'gone', 'theirs'],
    [429, 'failed', 'status_429', 'theirs'],
    [500, 'failed', 'status_500', 'theirs'],
    [503, 'failed', 'status_503', 'theirs'],
  ])('status %s is %s with each body', (status, kind, reason, fault) => {
    expect(endpointVerdictOf(answer(status), NOW)).toMatchObject({ kind, status, reason, fault });
  });

  it.each<[OutboundFailure, string, string, string]>([
    ['blocked', 'BLOCKED_ADDRESS', 'refused_address', 'theirs'],
    ['timeout', 'no complete answer within 15000 ms', 'failed', 'theirs'],
    ['timeout', 'UND_ERR_CONNECT_TIMEOUT', 'failed', 'theirs'],
    ['refused', 'ECONNREFUSED', 'failed', 'theirs'],
    ['refused', 'EHOSTUNREACH', 'failed', 'network'],
    ['refused', 'ENETUNREACH', 'failed', 'network'],
    ['refused', 'EADDRNOTAVAIL', 'failed', 'ours'],
    ['reset', 'ECONNRESET', 'failed', 'theirs'],
    ['reset', 'EMFILE', 'failed', 'ours'],
    ['tls', 'CERT_HAS_EXPIRED', 'failed', 'theirs'],
    ['dns', 'ENOTFOUND', 'failed', 'theirs'],
    ['dns', 'ETIMEOUT', 'failed', 'network'],
    ['dns', 'ESERVFAIL', 'failed', 'network'],
    ['dns', 'ECONNREFUSED', 'failed', 'network'],
    ['dns', 'ETOOMANY', 'failed', 'ours'],
  ])('a failure by %s (%s) is %s, and the fault is %s', (reason, detail, kind, fault) => {
    expect(endpointVerdictOf(failure(reason, detail), NOW)).toMatchObject({ kind, status: null, fault, answer: null });
  });

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['99999999', DAY],
    ['99999999999999999999999', DAY],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['', null],
    [null, null],
    ['Mon, 02 Mar 2026 09:16:30 GMT', 60_000],
    ['Monday, 02-Mar-26 09:16:30 GMT', 60_000],
    ['Mon, 02 Mar 2020 09:16:30 GMT', 0],
    ['Mon, 02 Mar 2036 09:16:30 GMT', DAY],
    ['2026-03-02T09:16:30Z', null],
  ])('reads Retry-After %p as %p ms', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
    expect(endpointVerdictOf(answer(503, { retryAfter: header }), NOW).retryAfterMs).toBe(ms);
  });

  it('keeps the first 4 KiB of an answer, cut between characters, without U+0000', () => {
    expect(endpointVerdictOf(answer(500, { body: 'a\0b' }), NOW).answer).toBe('a\ufffdb');
    const long = endpointVerdictOf(answer(500, { body: 'é'.repeat(5_000) }), NOW).answer!;
    expect(Buffer.byteLength(long)).toBe(4096);
    expect(long).toBe('é'.repeat(2048));
    const odd = endpointVerdictOf(answer(500, { body: `a${'🧪'.repeat(5_000)}` }), NOW).answer!;
    expect(odd).toBe(`a${'🧪'.repeat(1023)}`);
  });
});

describe('endpoint state', () => {
  const well = { state: 'ok' as const, stateReason: null, failingSince: null, failingStage: 0 };

  it.each([
    ['one that takes events', well, false, 'active', null],
    ['a single failure', { ...well, failingSince: new Date(), failingStage: 0 }, false, 'active', null],
    ['a streak of failures', { ...well, failingSince: new Date(), failingStage: 1 }, false, 'degraded', 'failing'],
    [
      'one that is away',
      { ...well, state: 'open' as const, stateReason: 'status_500' },
      false,
      'degraded',
      'status_500',
    ],
    ['a pause by hand', { ...well, state: 'paused' as const, stateReason: 'by_hand' }, false, 'paused', 'by_hand'],
    ['410', { ...well, state: 'paused' as const, stateReason: 'gone' }, false, 'disabled', 'gone'],
    ['five days', { ...well, state: 'paused' as const, stateReason: 'failing' }, false, 'disabled', 'failing'],
    ['an unreadable secret', well, true, 'disabled', 'secret_unreadable'],
  ])('%s', (_, destination, unreadable, state, reason) => {
    expect(endpointStateOf(destination, unreadable)).toEqual({ state, reason });
  });
});

describe('retries', () => {
  const PAUSES = [5_000, 300_000, 1_800_000];
  const rules = webhookRules({ ...PACE, pauses: PAUSES });

  describe('the pauses of a webhook message', () => {
    it.each(PAUSES.map((planned, i) => [i + 1, planned]))(
      'after failure %i: %i ms, give or take a fifth',
      (n, planned) => {
        expect(rules.pause(n, null, 0)).toBe(planned * 0.8);
        expect(rules.pause(n, null, 0.5)).toBe(planned);
        expect(rules.pause(n, null, 0.999_999)).toBeLessThanOrEqual(planned * 1.2);
      },
    );

    it('end with the list, and the message is given up then', () => expect(rules.pause(4, null, 0.5)).toBeNull());

    it('are none when the list is empty', () => {
      expect(webhookRules({ ...PACE, pauses: [] }).pause(1, null, 0.5)).toBeNull();
    });

    it.each([
      ['longer than planned', 60_000, 60_000],
      ['shorter than planned', 1_000, 5_000],
      ['longer than a day', 7 * 86_400_000, 86_400_000],
    ])('wait for a Retry-After that is %s', (_, retryAfterMs, expected) => {
      expect(rules.pause(1, retryAfterMs, 0.5)).toBe(expected);
    });
  });
});
