import { isFromTheFuture, subjectOf } from '../../../../src/integrations/ats/inbound/inbound.rules.js';
import type { InboundEffect } from '../../../../src/integrations/ats/connectors/connector.js';

const gone = (remoteId: string): InboundEffect => ({
  kind: 'gone',
  gone: { kind: 'candidate', remoteId, at: null, survivorId: null },
});

test.each<[InboundEffect, string | null, string | null]>([
  [{ kind: 'none' }, null, null],
  [{ kind: 'read_back', of: 'job', remoteId: '7' }, 'job', '7'],
  [{ kind: 'candidate', candidate: { remoteId: '8' } as never }, 'candidate', '8'],
  [{ kind: 'job', job: { remoteId: '9' } as never }, 'job', '9'],
  [gone('10'), 'candidate', '10'],
])('names the record of %j', (effect, kind, remoteId) => {
  expect(subjectOf(effect)).toEqual({ kind, remoteId });
});

test.each(['', 'a\u0000b', 'x'.repeat(256)])('names no record when its id is %j', (id) => {
  expect(subjectOf(gone(id))).toEqual({ kind: null, remoteId: null });
});

test('takes a time of more than five minutes ahead for one of the future', () => {
  const now = new Date('2026-03-02T09:00:00Z');
  const ahead = (minutes: number) => isFromTheFuture(new Date(now.getTime() + minutes * 60_000), now);
  expect([ahead(-1), ahead(5), ahead(6), isFromTheFuture(null, now)]).toEqual([false, false, true, false]);
});
