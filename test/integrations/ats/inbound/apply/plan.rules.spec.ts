import { AtsFailure } from '../../../../../src/integrations/ats/api/ats-api.js';
import type { AtsCandidate, InboundEffect } from '../../../../../src/integrations/ats/connectors/connector.js';
import {
  faultOf,
  groupsOf,
  recordStepOf,
  type Group,
  type ReadEvent,
  upToMerge,
  settledVerdict,
  triedAgain,
  unreadable,
  verdictsOf,
} from '../../../../../src/integrations/ats/inbound/apply/plan.rules.js';
import type { AtsRecordRow, RecordResult } from '../../../../../src/integrations/ats/records/record.js';

describe('plan', () => {
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
      [
        'applies with the time of receipt where it cannot read',
        group(event(candidate(null))),
        undefined,
        false,
        'write',
      ],
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
});

describe('merges apart', () => {
  const event = (id: string, survivorId?: string) => ({
    id,
    reading: {
      effect: survivorId === undefined ? { kind: 'candidate' } : { kind: 'gone', gone: { remoteId: id, survivorId } },
    },
  });
  const batch = (...read: object[]) => ({ rows: read, read, verdicts: read }) as never;
  const idsOf = (given: ReturnType<typeof upToMerge>) =>
    [given.rows, given.read, given.verdicts].map((list) => list.map(({ id }) => id));

  test('leaves a batch whole when it has no merge', () => {
    const whole = upToMerge(batch(event('1'), event('2')));
    expect([whole.isCut, idsOf(whole)]).toEqual([
      false,
      [
        ['1', '2'],
        ['1', '2'],
        ['1', '2'],
      ],
    ]);
  });

  test('ends a batch before its first merge', () => {
    const cut = upToMerge(batch(event('1'), event('2'), event('3', '9'), event('4')));
    expect([cut.isCut, idsOf(cut)[1]]).toEqual([true, ['1', '2']]);
  });

  test('takes a merge alone when it comes first', () => {
    expect(idsOf(upToMerge(batch(event('1', '9'), event('2'))))).toEqual([['1'], ['1'], ['1']]);
  });
});

describe('verdict', () => {
  const AT = new Date('2026-03-02T09:00:00Z');
  const event = (id: string, effect = 'candidate', tries = 0): ReadEvent =>
    ({ id, at: AT, tries, signed: true, reading: { effect: { kind: effect } } }) as ReadEvent;
  const result = (outcome: RecordResult['outcome'], reason: RecordResult['reason'] = null): RecordResult => ({
    kind: 'candidate',
    remoteId: '7',
    outcome,
    reason,
    recordId: null,
  });
  const statesOf = (...given: Parameters<typeof verdictsOf>) =>
    verdictsOf(...given).map(({ state, reason, erase }) => [state, reason, erase]);

  test('erases the body of an event without an effect, and keeps that of a failed one', () => {
    expect(settledVerdict(event('1'), 'no_effect', 'no_data')).toMatchObject({ erase: true, tried: false });
    expect(settledVerdict(event('1'), 'failed', 'bad_id', 'why')).toMatchObject({ erase: false, detail: 'why' });
  });

  test('fails an event after three tries', () => {
    const states = [0, 1, 2].map((tries) => triedAgain(event('1', 'candidate', tries), 'r', 'd').state);
    expect(states).toEqual(['waiting', 'waiting', 'failed']);
  });

  test('names the failure of the ATS when a record cannot be read', () => {
    const failure = new AtsFailure('forbidden', 'code', 'The ATS refuses.');
    expect(unreadable(event('1'), failure)).toMatchObject({ reason: 'ats_forbidden', detail: 'The ATS refuses.' });
  });

  test('settles the events of one record by the result of the record', () => {
    const [older, newer] = [event('1'), event('2')];
    expect(statesOf([older, newer], result('updated'), newer)).toEqual([
      ['no_effect', 'older', true],
      ['applied', null, false],
    ]);
    expect(statesOf([newer], result('unchanged'), newer)).toEqual([['no_effect', 'unchanged', true]]);
    expect(statesOf([older, newer], result('created'), null)).toEqual([
      ['applied', null, false],
      ['applied', null, false],
    ]);
    expect(statesOf([newer], result('deleted'), newer)).toEqual([['applied', null, true]]);
  });

  test('reports that the record still exists when a deletion is not confirmed', () => {
    expect(statesOf([event('1', 'gone')], result('unchanged'), null)).toEqual([['no_effect', 'still_there', true]]);
  });

  test('fails an event that needs an admin, and no other one that is left out', () => {
    expect(statesOf([event('1')], result('left_out', 'bad_id'), null)).toEqual([['failed', 'bad_id', false]]);
    expect(statesOf([event('1')], result('left_out', 'no_open_job'), null)).toEqual([
      ['no_effect', 'no_open_job', true],
    ]);
  });
});
