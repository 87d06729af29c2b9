import {
  ENTRY_COLUMNS,
  entryBody,
  entryCells,
  whatHappened,
  whyItHappened,
  type EntryRow,
  changeEntry,
  wordsOfChange,
  type EntryKind,
  ENTRY_KINDS,
  keyBound,
  timelineMoment,
  readTimelinePlace,
  timelinePlaceText,
  type TimelinePlace,
} from '../../../src/overview/history/entry.mapping.js';

describe('entry', () => {
  describe('entry', () => {
    const row = (kind: EntryKind, fields: Record<string, unknown>): EntryRow => ({
      kind,
      at: '2026-01-31T12:00:00.000001Z',
      key: 'k',
      id: 'e1',
      fields,
    });
    const ann = { kind: 'user', id: 'usr_1', name: 'Ann' };

    it('returns an entry with its fields and without its key', () => {
      expect(entryBody(row('audit', { event: 'directory.created' }))).toEqual({
        id: 'e1',
        at: '2026-01-31T12:00:00.000001Z',
        kind: 'audit',
        words: 'directory.created',
        event: 'directory.created',
      });
    });

    it.each<[string, Record<string, unknown>, unknown[]]>([
      ['its own actor', { actor: ann, request_id: 'req_1' }, ['user', 'usr_1', 'Ann', 'req_1']],
      ['the actor of its source', { source: { actor: ann, request_id: 'req_2' } }, ['user', 'usr_1', 'Ann', 'req_2']],
      ['no actor', {}, [undefined, undefined, undefined, undefined]],
    ])('fills the cells of an entry with %s', (_, fields, expected) => {
      const cells = entryCells(row('audit', fields));
      expect(cells).toHaveLength(ENTRY_COLUMNS.length);
      expect(cells.slice(4, 8)).toEqual(expected);
      expect(cells[8]).toEqual(fields);
      expect(cells.at(-1)).toBeUndefined();
    });

    it.each<[EntryKind, Record<string, unknown>, string]>([
      [
        'change',
        { event: 'updated', changed: ['role'], from: { role: 'User' }, to: { role: 'Admin' } },
        'updated role User → Admin',
      ],
      ['delivery', { method: 'PATCH', path: '/v1/users/1', status: 200, detail: null }, 'PATCH /v1/users/1 200'],
      ['seat', { event: 'claimed', role: 'User', reason: '' }, 'claimed User'],
      ['session', { ended_at: null }, 'began'],
      ['session', { ended_at: '2026-02-01', end_reason: 'logout' }, 'began, ended 2026-02-01 logout'],
      ['linked', { by: 'email', directory_id: 'dir_1' }, 'linked with a resource of the directory by the e-mail'],
      ['held', { event: 'released', reason: 'guard' }, 'released, was held: the guard of the directory'],
      ['removed', { user_name: 'ann' }, 'ann'],
    ])('describes an entry of the kind %s %j', (kind, fields, expected) => {
      expect(whatHappened({ kind, fields })).toBe(expected);
    });

    it.each<[string, EntryKind, Record<string, unknown>, string | undefined]>([
      ['the cause of a change', 'change', { cause: { words: 'a seat became free' } }, 'a seat became free'],
      ['that the cause of an old change was not recorded', 'change', { cause: null }, 'not recorded'],
      ['nothing of another entry', 'seat', {}, undefined],
    ])('describes %s', (_, kind, fields, expected) => {
      expect(whyItHappened({ kind, fields })).toBe(expected);
    });
  });

  describe('change entry', () => {
    const person = { email: 'ann@example.com', first_name: 'Ann', last_name: 'Byron', role: null, external_id: 'x' };
    const source = { request_id: 'req_1', surface: 'scim', directory_id: null, actor: {} };
    const change = (more: object): Record<string, unknown> =>
      changeEntry({
        event: 'updated',
        user: person,
        source,
        status: 'active',
        before: null,
        cause: null,
        changed: [],
        ...more,
      });
    const before = { ...person, last_name: 'King', role: 'User', status: 'active' };

    it.each<[string, object, object, string]>([
      [
        'the changed fields alone',
        { changed: ['last_name', 'role'], before },
        { from: { last_name: 'King', role: 'User' }, to: { last_name: 'Byron', role: null } },
        'updated last_name King → Byron, role User → none',
      ],
      [
        'the status of a departure',
        { event: 'deactivated', changed: ['status'], status: 'inactive', before },
        { from: { status: 'active' }, to: { status: 'inactive' } },
        'deactivated',
      ],
      [
        'the status that the event tells, for a change without one',
        { event: 'deleted', changed: ['status'], status: null, before: { ...before, status: null } },
        { from: { status: null }, to: { status: 'deleted' } },
        'deleted',
      ],
      [
        'no former values of a new user',
        { event: 'created', changed: ['email', 'status'] },
        { from: null, to: { email: 'ann@example.com', status: 'active' } },
        'created email ann@example.com',
      ],
      ['nothing', { before }, { from: {}, to: {} }, 'updated, nothing in force'],
    ])('shows %s', (_, fields, expected, words) => {
      const entry = change(fields);
      expect(entry).toMatchObject({ ...expected, cause: null });
      expect(entry).not.toHaveProperty('before');
      expect(wordsOfChange(entry)).toBe(words);
    });

    it('shows the cause with its words', () => {
      expect(change({ cause: { kind: 'written' } })).toMatchObject({
        cause: { kind: 'written', words: 'written by the directory' },
      });
    });
  });
});

describe('timeline', () => {
  const place: TimelinePlace = { at: '2026-01-31T12:00:00.123456Z', kind: 'change', key: '0000000000000000042' };

  it('reads a place back from its cursor', () => {
    for (const key of ['7', '', 'con_1_ab', 'with blanks in it']) {
      expect(readTimelinePlace(timelinePlaceText({ ...place, key }))).toEqual({ ...place, key });
    }
    expect(readTimelinePlace(null)).toBeNull();
  });

  it('begins a list at the end of its order', () => {
    expect([timelineMoment(null, 'desc'), timelineMoment(null, 'asc')]).toEqual(['infinity', '-infinity']);
    expect([timelineMoment(place, 'desc'), timelineMoment(place, 'asc')]).toEqual([place.at, place.at]);
  });

  describe('entries of the same moment as the place', () => {
    const later = ENTRY_KINDS.slice(ENTRY_KINDS.indexOf('change') + 1);
    const earlier = ENTRY_KINDS.slice(0, ENTRY_KINDS.indexOf('change'));
    const some = ['0', 'con_x', 'usr_x', 'ses_zzz'];

    it('downwards, keys below are still to come, and keys above are read', () => {
      for (const kind of earlier) for (const key of some) expect(key < keyBound(place, kind, 'desc')).toBe(true);
      for (const kind of later) for (const key of some) expect(key < keyBound(place, kind, 'desc')).toBe(false);
    });

    it('upwards, keys above are still to come, and keys below are read', () => {
      for (const kind of later) for (const key of some) expect(key > keyBound(place, kind, 'asc')).toBe(true);
      for (const kind of earlier) for (const key of some) expect(key > keyBound(place, kind, 'asc')).toBe(false);
    });

    it('of the same kind, the key decides; without a place no key is read', () => {
      expect([keyBound(place, 'change', 'desc'), keyBound(place, 'change', 'asc')]).toEqual([place.key, place.key]);
      for (const key of some) {
        expect([key < keyBound(null, 'change', 'desc'), key > keyBound(null, 'change', 'asc')]).toEqual([true, true]);
      }
    });
  });

  it.each([
  ['change', { event: 'updated', changed: ['role'], from: null, to: { role: 'User' } }, 'updated role User'],
  ['delivery', { method: 'PATCH', path: '/v1/users/1', status: null, outcome: 'unavailable', detail: 'timeout' }, 'PATCH /v1/users/1 unavailable timeout'],
  ['seat', { event: 'claim', role: 'User', reason: 'created' }, 'claim User created'],
  ['sign_in', { event: 'sign-in', outcome: 'refused', reason: 'no_seat', account: 'a@e.com' }, 'sign-in refused no_seat a@e.com'],
  ['session', { ended_at: null, end_reason: null }, 'began'],
  ['session', { ended_at: '2026-01-31T12:00:00.000Z', end_reason: 'deactivated' }, 'began, ended 2026-01-31T12:00:00.000Z deactivated'],
  ['binding', { made_by: 'claim', made_of: 'x' }, 'claim x'],
  ['audit', { event: 'sessions.ended' }, 'all sessions ended by an admin'],
  ['removed', { user_name: 'a@e.com' }, 'a@e.com'],
] as const)('describes an entry in a few words: %s %j', (kind, fields, words) => {
  expect(whatHappened({ kind, fields })).toBe(words);
}); // prettier-ignore
});
