import type { Verdict } from '../../../src/engine/delivery/retry.rules.js';
import { findingOf } from '../../../src/forwarding/platform/platform-test.rules.js';

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
