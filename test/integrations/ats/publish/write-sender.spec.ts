import type { AtsFailureKind } from '../../../../src/integrations/ats/api/ats-api.js';
import { writeAfterFailure, mayComeLate } from '../../../../src/integrations/ats/publish/write-sender.js';

const NEW = { attempts: 1, provedSince: false };

it.each([
  ['away', 'status_503', null, NEW, { kind: 'wait', problem: null, retryAfterMs: null }],
  ['away', 'rate_limited', 7, NEW, { kind: 'wait', problem: null, retryAfterMs: 7 }],
  ['away', 'timeout', null, NEW, { kind: 'wait', problem: null, retryAfterMs: null }],
  ['refused', 'status_401', null, NEW, { kind: 'wait', problem: 'grant', retryAfterMs: null }],
  ['forbidden', 'status_403', null, NEW, { kind: 'wait', problem: 'writes', retryAfterMs: null }],
  ['forbidden', 'status_403', null, { ...NEW, provedSince: true }, { kind: 'fail' }],
  ['malformed', 'not_json', null, NEW, { kind: 'wait', problem: null, retryAfterMs: null }],
  ['malformed', 'not_json', null, { ...NEW, attempts: 80 }, { kind: 'wait', problem: null, retryAfterMs: null }],
  ['malformed', 'unexpected', null, { ...NEW, attempts: 7 }, { kind: 'wait', problem: null, retryAfterMs: null }],
  ['malformed', 'unexpected', null, { ...NEW, attempts: 8 }, { kind: 'fail' }],
  ['not_found', 'status_404', null, NEW, { kind: 'gone' }],
  ['rejected', 'status_400', null, NEW, { kind: 'fail' }],
] as const)('%s (%s, %j) with %j: %j', (kind, reason, retryAfterMs, context, verdict) => {
  expect(writeAfterFailure({ kind, reason, retryAfterMs }, context)).toEqual(verdict);
});

it.each<[AtsFailureKind, string, boolean]>([
  ['away', 'timeout', true],
  ['away', 'reset', true],
  ['away', 'status_503', false],
  ['away', 'rate_limited', false],
  ['away', 'dns', false],
  ['away', 'refused', false],
  ['rejected', 'status_400', false],
])('a call that failed as %s (%s) may still take effect: %s', (kind, reason, late) => {
  expect(mayComeLate({ kind, reason })).toBe(late);
});
