import { engineFinding } from '../../../../src/hiring/interviews/engine/engine-test.rules.js';
import type { Verdict } from '../../../../src/engine/delivery/retry.rules.js';

const URL = 'https://engine.example.com';

test.each<[object, boolean, RegExp]>([
  [{ kind: 'missing', status: 404, words: '' }, true, /address and the key are good/],
  [{ kind: 'ok', status: 200, body: {} }, true, /address and the key are good/],
  [{ kind: 'refused', status: 422, words: 'no' }, false, /with 422, where 404 is expected: no/],
  [{ kind: 'conflict', status: 409, words: 'taken' }, false, /with 409/],
  [{ kind: 'stopped', reason: 'credential_refused', status: 401, words: '' }, false, /does not accept the key \(401\)/],
  [{ kind: 'stopped', reason: 'redirect', status: 301, words: 'https://other' }, false, /leads to https:\/\/other/],
  [{ kind: 'stopped', reason: 'address_refused', words: '' }, false, /not a public one/],
  [{ kind: 'unavailable', reason: 'html', words: '' }, false, /answers with a web page/],
  [{ kind: 'unavailable', reason: 'timeout', words: '' }, false, /engine.example.com cannot be reached.*\(timeout\)/],
  [{ kind: 'unavailable', reason: 'status_503', status: 503, words: '' }, false, /\(503\)/],
])('explains %j', (verdict, ok, message) => {
  expect(engineFinding(verdict as Verdict, URL)).toEqual({ ok, message: expect.stringMatching(message) });
});
