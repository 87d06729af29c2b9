import {
  codeIn,
  judgeStatus,
  readAtsAnswer,
  retryAfterOf,
} from '../../../../src/integrations/ats/api/ats-answer.rules.js';
import { AtsFailure } from '../../../../src/integrations/ats/api/ats-api.js';
import type { OutboundAnswer } from '../../../../src/base/http/outbound.js';

const answer = (status: number, body = '', more: object = {}): OutboundAnswer =>
  ({
    kind: 'answer',
    status,
    body,
    truncated: false,
    contentType: 'application/json',
    kept: {},
    ...more,
  }) as OutboundAnswer;

function failureOf(act: () => unknown): AtsFailure {
  try {
    act();
  } catch (error) {
    if (error instanceof AtsFailure) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

test('reads JSON, and whole numbers of more than fifteen digits as text', () => {
  expect(readAtsAnswer('Lever', answer(200, '{"id":480912000001234567}'))).toMatchObject({
    status: 200,
    json: { id: '480912000001234567' },
    size: 25,
  });
  expect(readAtsAnswer('Lever', answer(204)).json).toBeUndefined();
});

test.each<[string, OutboundAnswer, string, string]>([
  ['no answer', { kind: 'failed', reason: 'timeout' } as OutboundAnswer, 'away', 'timeout'],
  ['a page', answer(200, '<html>', { contentType: 'text/html' }), 'malformed', 'not_json'],
  ['a body that is cut off', answer(200, '{', { truncated: true }), 'malformed', 'answer_too_large'],
])('fails when there is %s', (_what, raw, kind, reason) => {
  expect(failureOf(() => readAtsAnswer('Lever', raw))).toMatchObject({ kind, reason });
});

test('reads a refusal without its body when that is no JSON', () => {
  expect(readAtsAnswer('Lever', answer(502, '<html>')).json).toBeUndefined();
});

test.each<[number, unknown, string, string]>([
  [429, undefined, 'away', 'rate_limited'],
  [503, undefined, 'away', 'status_503'],
  [408, undefined, 'away', 'status_408'],
  [401, undefined, 'refused', 'status_401'],
  [403, { code: 'Forbidden' }, 'forbidden', 'Forbidden'],
  [404, undefined, 'not_found', 'status_404'],
  [410, undefined, 'not_found', 'status_410'],
  [422, { errors: ['invalid_input'] }, 'rejected', 'invalid_input'],
  [302, undefined, 'malformed', 'status_302'],
])('takes status %d with %j for %s', (status, json, kind, reason) => {
  const failure = failureOf(() => judgeStatus('Lever', { status, headers: {}, json, size: 0 }, 7_000));
  expect(failure).toMatchObject({ kind, reason, retryAfterMs: kind === 'away' ? 7_000 : null });
});

test('takes a 2xx as success', () => {
  expect(() => judgeStatus('Lever', { status: 201, headers: {}, json: {}, size: 2 }, null)).not.toThrow();
});

test('shows a code of the vendor, and no other text', () => {
  expect([{ code: 'ResourceNotFound' }, { error: 'invalid_grant' }, { errors: ['not_found'] }].map(codeIn)).toEqual([
    'ResourceNotFound',
    'invalid_grant',
    'not_found',
  ]);
  expect([{ code: 'ana@example.com' }, { error: 'Ana Cruz was refused' }, null, 'text'].map(codeIn)).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

test('reads Retry-After in seconds and as a date', () => {
  const now = new Date('2026-03-02T09:00:00Z');
  expect(retryAfterOf('7', now)).toBe(7_000);
  expect(retryAfterOf('Mon, 02 Mar 2026 09:00:30 GMT', now)).toBe(30_000);
  expect(retryAfterOf('Mon, 02 Mar 2026 08:00:00 GMT', now)).toBe(0);
  expect([undefined, null, 'soon'].map((text) => retryAfterOf(text, now))).toEqual([null, null, null]);
});
