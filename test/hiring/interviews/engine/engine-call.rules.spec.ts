import type { Verdict } from '../../../../src/engine/delivery/retry.rules.js';
import {
  callFor,
  createCall,
  engineResultOf,
  engineFinding,
} from '../../../../src/hiring/interviews/engine/engine-call.rules.js';
import type { InterviewRow } from '../../../../src/hiring/interviews/interview.js';
import { ASKED_MEETING, NO_MEETING, readyMeeting } from '../../../../src/hiring/interviews/meeting.rules.js';

describe('engine call', () => {
  const PLAN = {
    id: 'int_1',
    state: 'scheduled',
    starts_at: new Date('2030-01-01T10:00:00Z'),
    ends_at: new Date('2030-01-01T11:00:00Z'),
    time_zone: 'Europe/Berlin',
    interviewers: ['Ada'],
  };
  const interview = (more: object): InterviewRow => ({ ...PLAN, ...ASKED_MEETING, ...more }) as unknown as InterviewRow;
  const NONE = { candidate: undefined, job: undefined };
  const kindOf = (row: InterviewRow | undefined) => callFor('int_1', row, NONE)?.kind ?? null;

  test.each<[string, InterviewRow | undefined, string | null]>([
    ['makes an interview that the engine does not have', interview({}), 'create'],
    ['changes one that the engine has', interview({ at_engine: true }), 'change'],
    ['cancels one that was removed with its candidate', undefined, 'cancel'],
    [
      'cancels one that is cancelled, also when the answer to its making was lost',
      interview({ state: 'cancelled' }),
      'cancel',
    ],
    ['cancels one that was not attended', interview({ state: 'no_show', at_engine: true }), 'cancel'],
    [
      'cancels one whose link comes from the caller now',
      interview({ ...readyMeeting('https://a.example', 'caller'), at_engine: true }),
      'cancel',
    ],
    ['sends nothing of one that never was at the engine', interview(NO_MEETING), null],
    ['sends nothing of one that is completed', interview({ state: 'completed', at_engine: true }), null],
  ])('%s', (_what, row, kind) => {
    expect(kindOf(row)).toBe(kind);
  });

  test('sends candidate, job and plan, with a key that follows the bytes', () => {
    const candidate = { id: 'cand_1', external_id: 'gh_7', first_name: 'Ana', last_name: 'Cruz', email: 'a@e.com' };
    const job = { id: 'job_1', external_id: 'gh_4', title: 'Cook' };
    const call = createCall(interview({}), { candidate: candidate as never, job: job as never });
    expect(JSON.parse(call.body)).toEqual({
      id: 'int_1',
      candidate,
      job,
      starts_at: '2030-01-01T10:00:00.000Z',
      ends_at: '2030-01-01T11:00:00.000Z',
      time_zone: 'Europe/Berlin',
      interviewers: ['Ada'],
    });
    const renamed = createCall(interview({}), {
      candidate: { ...candidate, first_name: 'Anna' } as never,
      job: undefined,
    });
    expect(call.idempotencyKey).toMatch(/^int_1_create_[0-9a-f]{16}$/);
    expect(renamed.idempotencyKey).not.toBe(call.idempotencyKey);
    expect(JSON.parse(createCall(interview({}), NONE).body)).toMatchObject({ candidate: null, job: null });
  });

  const LINK = 'https://meet.example.com/1';

  test.each<['create' | 'change' | 'cancel', object, object]>([
    ['create', { kind: 'ok', body: { meeting_url: LINK } }, { kind: 'link', url: LINK }],
    [
      'create',
      { kind: 'ok', body: {} },
      { kind: 'unusable', detail: expect.stringContaining('meeting_url must be text') },
    ],
    ['create', { kind: 'ok', body: { meeting_url: 'ftp://x' } }, { kind: 'unusable' }],
    ['change', { kind: 'ok', body: {} }, { kind: 'taken' }],
    ['change', { kind: 'ok', body: { meeting_url: LINK } }, { kind: 'link' }],
    ['cancel', { kind: 'ok', body: null }, { kind: 'taken' }],
    ['change', { kind: 'missing', status: 404, words: '' }, { kind: 'unknown' }],
    [
      'create',
      { kind: 'missing', status: 404, words: 'page' },
      { kind: 'again', reason: 'status_404', detail: 'It said: 404 page' },
    ],
    ['create', { kind: 'refused', status: 422, words: 'no' }, { kind: 'refused', detail: 'It said: 422 no' }],
    ['create', { kind: 'stopped', reason: 'redirect', words: 'x' }, { kind: 'stopped', reason: 'redirect' }],
    [
      'create',
      { kind: 'unavailable', reason: 'timeout', words: '', retryAfterMs: 7 },
      { kind: 'again', retryAfterMs: 7 },
    ],
    [
      'create',
      { kind: 'unavailable', status: null, reason: 'unreachable', words: 'UND_ERR_SOCKET', retryAfterMs: null },
      { kind: 'again', detail: 'It does not answer.' },
    ],
  ])('reads the answer to %s %j', (kind, verdict, result) => {
    expect(engineResultOf({ kind }, verdict as Verdict)).toMatchObject(result);
  });
});

describe('engine test', () => {
  const URL = 'https://engine.example.com';

  test.each<[object, boolean, RegExp]>([
    [{ kind: 'missing', status: 404, words: '' }, true, /address and the key are good/],
    [{ kind: 'ok', status: 200, body: {} }, true, /address and the key are good/],
    [{ kind: 'refused', status: 422, words: 'no' }, false, /with 422, where 404 is expected: no/],
    [{ kind: 'conflict', status: 409, words: 'taken' }, false, /with 409/],
    [
      { kind: 'stopped', reason: 'credential_refused', status: 401, words: '' },
      false,
      /does not accept the key \(401\)/,
    ],
    [{ kind: 'stopped', reason: 'redirect', status: 301, words: 'https://other' }, false, /leads to https:\/\/other/],
    [{ kind: 'stopped', reason: 'address_refused', words: '' }, false, /not a public one/],
    [{ kind: 'unavailable', reason: 'html', words: '' }, false, /answers with a web page/],
    [{ kind: 'unavailable', reason: 'timeout', words: '' }, false, /engine.example.com cannot be reached.*\(timeout\)/],
    [{ kind: 'unavailable', reason: 'status_503', status: 503, words: '' }, false, /\(503\)/],
  ])('explains %j', (verdict, ok, message) => {
    expect(engineFinding(verdict as Verdict, URL)).toEqual({ ok, message: expect.stringMatching(message) });
  });
});
