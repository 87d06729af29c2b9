import type { Verdict } from '../../../src/engine/delivery/retry.rules.js';
import {
  findingOf,
  problemOfCreate,
  problemOfGone,
  problemOfList,
  problemOfResolve,
  problemOfWrite,
  trialUser,
} from '../../../src/forwarding/platform/platform.rules.js';

describe('platform test', () => {
  describe('findingOf', () => {
    const find = (verdict: Verdict) => findingOf(verdict, 'https://p.example', '/v1/resolve');
    it.each<[Verdict, boolean, RegExp]>([
      [{ kind: 'ok', status: 200, body: { found: false } }, true, /as it should/],
      [{ kind: 'ok', status: 200, body: { hello: 1 } }, false, /not as the platform's users API/],
      [{ kind: 'missing', status: 404, words: '' }, false, /nothing at \/v1\/resolve \(404\)/],
      [{ kind: 'refused', status: 400, words: 'type?' }, false, /400: type\?/],
      [{ kind: 'stopped', status: 401, reason: 'credential_refused', words: '' }, false, /does not accept the key/],
      [
        { kind: 'stopped', status: 301, reason: 'redirect', words: 'https://x' },
        false,
        /leads elsewhere \(301 to https:\/\/x\)/,
      ],
      [{ kind: 'stopped', status: null, reason: 'address_refused', words: '' }, false, /not a public one/],
      [
        { kind: 'unavailable', status: 200, reason: 'html', ownFault: true, retryAfterMs: null, words: '' },
        false,
        /web page/,
      ],
      [
        { kind: 'unavailable', status: null, reason: 'tls', ownFault: false, retryAfterMs: null, words: '' },
        false,
        /certificate/,
      ],
      [
        { kind: 'unavailable', status: 500, reason: 'status_500', ownFault: true, retryAfterMs: null, words: '' },
        false,
        /trouble \(500\)/,
      ],
    ])('%j', (verdict, ok, message) => {
      expect(find(verdict).ok).toBe(ok);
      expect(find(verdict).message).toMatch(message);
    });
  });
});

describe('platform trial', () => {
  const ok = (body: unknown): Verdict => ({ kind: 'ok', status: 200, body });
  const refused: Verdict = { kind: 'refused', status: 422, words: 'no' };
  const gone: Verdict = { kind: 'missing', status: 404, words: '' };

  it.each<[string, string | null, string | RegExp | null]>([
    ['an unknown user', problemOfResolve(ok({ found: false }), null), null],
    ['a known user', problemOfResolve(ok({ found: true, id: 7 }), '7'), null],
    ['a user that is not found', problemOfResolve(ok({ found: false }), '7'), /needs "found": true/],
    ['a user that should not be found', problemOfResolve(ok({ found: true, id: '7' }), null), /needs "found": false/],
    ['another user', problemOfResolve(ok({ found: true, id: '8' }), '7'), /needs the id 7/],
    ['a refused question', problemOfResolve(refused, null), 'The answer is 422, 200 is needed: no'],
    ['a create', problemOfCreate(ok({ id: '7' }), null), null],
    ['a create without an id', problemOfCreate(ok({}), null), /needs the id of the user/],
    ['a repeated create', problemOfCreate(ok({ id: '7' }), '7'), null],
    ['a repeated create of a second user', problemOfCreate(ok({ id: '8' }), '7'), /made a second user/],
    ['a repeated create that is refused', problemOfCreate(refused, '7'), /same Idempotency-Key needs the first answer/],
    ['a list with the user', problemOfList(ok({ data: [{ id: '7', external_id: 'x' }] }), '7', 'x'), null],
    ['a list as an array', problemOfList(ok([{ id: '7', external_id: 'x' }]), '7', 'x'), null],
    ['a list without the user', problemOfList(ok({ data: [] }), '7', 'x'), /does not hold the user/],
    ['a list without external_id', problemOfList(ok([{ id: '7' }]), '7', 'x'), /needs its external_id/],
    ['no list', problemOfList(ok({}), '7', 'x'), /needs a list of users/],
    ['an update', problemOfWrite(ok(null)), null],
    ['a refused update', problemOfWrite(refused), /200 or 204 is needed/],
    ['a second deletion', problemOfGone(gone), null],
    ['a refused second deletion', problemOfGone(refused), /404, 410 or 204 is needed/],
  ])('judges %s', (_, problem, expected) => {
    if (expected === null || typeof expected === 'string') expect(problem).toBe(expected);
    else expect(problem).toMatch(expected);
  });

  it('makes a user that no mail can reach', () => {
    expect(trialUser('1')).toMatchObject({ email: 'talent-bridge-test-1@example.invalid' });
  });
});
