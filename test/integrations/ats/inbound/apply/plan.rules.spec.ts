import {
  faultOf,
  groupsOf,
  recordStepOf,
  type Group,
  type ReadEvent,
} from '../../../../../src/integrations/ats/inbound/apply/plan.rules.js';
import type { AtsCandidate } from '../../../../../src/integrations/ats/connectors/ats-records.js';
import type { InboundEffect } from '../../../../../src/integrations/ats/connectors/connector.js';
import type { AtsRecordRow } from '../../../../../src/integrations/ats/records/record.js';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute));
let ids = 0;

function event(effect: InboundEffect, minute = 0, occurredAt: Date | null = null): ReadEvent {
  const reading = { dedupeKey: null, name: 'x', occurredAt, effect };
  return { id: `aev_${++ids}`, at: at(minute), tries: 0, reading, signed: true };
}
function candidate(changedAt: Date | null, more: Partial<AtsCandidate> = {}): InboundEffect {
  const person = { firstName: 'A', lastName: 'B', email: 'a@x.example', jobRemoteId: 'j1' };
  return { kind: 'candidate', candidate: { remoteId: '1', ...person, changedAt, ...more } };
}
function withoutOpening(effect: InboundEffect): InboundEffect {
  if (effect.kind !== 'candidate') return effect;
  const { jobRemoteId: _, ...person } = effect.candidate;
  return { kind: 'candidate', candidate: person };
}
const unsigned = (signed: ReadEvent): ReadEvent => ({ ...signed, signed: false });
const READ: InboundEffect = { kind: 'read_back', of: 'candidate', remoteId: '1' };
const GONE: InboundEffect = { kind: 'gone', gone: { kind: 'candidate', remoteId: '1', at: at(1), survivorId: null } };
const known = (changedAt: Date): AtsRecordRow => ({
  remote_id: '1',
  record_id: 'cand_1',
  state: 'live',
  survivor_id: null,
  changed_at: changedAt,
  person_at: null,
  brought_by: 'webhook',
  seen_in: null,
});
const group = (...events: ReadEvent[]): Group => ({ kind: 'candidate', remoteId: '1', events });

describe('stepOf', () => {
  it('keeps fields of an older event of the batch when the newest leaves them out and cannot be read', () => {
    const opening = event(candidate(at(3), { status: 'active', metadata: { application_id: '7' } }));
    const { candidate: person } = candidate(at(5), { email: 'new@x.example' }) as { candidate: AtsCandidate };
    const { jobRemoteId: _, ...thin } = person;
    const step = recordStepOf(group(opening, event({ kind: 'candidate', candidate: thin })), undefined, false);
    expect(step).toMatchObject({
      do: 'write',
      item: {
        candidate: { email: 'new@x.example', jobRemoteId: 'j1', status: 'active', metadata: { application_id: '7' } },
      },
    });
  });

  it.each<[string, Group, AtsRecordRow | undefined, boolean, string]>([
    ['reads where the data is not signed', group(event(READ)), undefined, true, 'read'],
    ['gives up where it cannot read', group(event(READ)), undefined, false, 'give_up'],
    ['writes what an event holds', group(event(candidate(at(5)))), undefined, true, 'write'],
    ['reads where the time of the change is missing', group(event(candidate(null))), undefined, true, 'read'],
    ['applies with the time of receipt where it cannot read', group(event(candidate(null))), undefined, false, 'write'],
    [
      'reads where two changes name one time',
      group(event(candidate(at(5))), event(candidate(at(5)))),
      undefined,
      true,
      'read',
    ],
    ['reads where the stored change has the same time', group(event(candidate(at(5)))), known(at(5)), true, 'read'],
    [
      'reads where an unknown candidate has no opening',
      group(event(withoutOpening(candidate(at(5))))),
      undefined,
      true,
      'read',
    ],
    ['reads once for several events', group(event(READ), event(candidate(at(5)))), known(at(1)), true, 'read'],
    ['asks the ATS after a deletion without a signature', group(unsigned(event(GONE))), known(at(1)), true, 'read'],
    ['does not end a record without a signature', group(unsigned(event(GONE))), known(at(1)), false, 'give_up'],
    [
      'ends the record, also with later events',
      group(event(GONE), event(candidate(at(9)))),
      known(at(1)),
      true,
      'write',
    ],
  ])('%s', (_, events, record, canRead, expected) => {
    expect(recordStepOf(events, record, canRead).do).toBe(expected);
  });

  it('takes the newest change, not the last to arrive', () => {
    const newest = event(candidate(at(7)), 1);
    const step = recordStepOf(group(event(candidate(at(3)), 0), newest, event(candidate(at(5)), 2)), undefined, true);
    expect(step).toMatchObject({ do: 'write', by: newest, item: { changedAt: at(7) } });
  });
});

it('groups events by record, in their order', () => {
  const first = event(READ);
  const second = event({ ...READ, remoteId: '2' });
  const third = event(GONE);
  expect(groupsOf([first, second, third]).map(({ remoteId, events }) => [remoteId, events.length])).toEqual([
    ['1', 2],
    ['2', 1],
  ]);
});

describe('faultOf', () => {
  it.each<[string, ReadEvent, string | null]>([
    ['a ping', event({ kind: 'none' }), 'no_data'],
    ['an id with control characters', event({ ...READ, remoteId: 'a\u0000' }), 'bad_id'],
    ['a change that is ahead', event(candidate(at(30))), 'from_the_future'],
    ['an event that is ahead', event(candidate(at(1)), 0, at(30)), 'from_the_future'],
    ['an event that is ahead and is read back', event(READ, 0, at(30)), null],
    ['a clock that differs a little', event(candidate(at(14))), null],
  ])('%s', (_, one, expected) => {
    expect(faultOf(one, at(10))).toBe(expected);
  });
});
