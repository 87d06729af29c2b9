import { EVENTS } from '../../../src/engine/events/catalogue.js';
import type { AttentionFacts, Now } from '../../../src/overview/now/attention.js';
import { attentionOf, deliveryLines, nearest } from '../../../src/overview/now/attention.rules.js';

describe('attention', () => {
  const AT = new Date('2026-03-05T12:00:00Z');
  const SINCE = '2026-03-05T10:00:00+00:00';
  const NEXT = '2026-03-05T12:01:00+00:00';

  const NOTHING: AttentionFacts = {
    destinations: [],
    ats: [],
    held: [],
    refused: [],
    refused_token: null,
    refused_keys: [],
    quiet: [],
    metadata: [],
    domains: [],
    storage: null,
    drift: null,
  };
  const WELL: Parameters<typeof attentionOf>[1] = {
    destination: { state: 'ok', message: 'The platform takes calls.', since: null, last_success_at: null },
    interview_engine: { state: 'ok', message: 'The engine takes calls.', waiting: 0, not_taken: 0 },
    parked: {},
    seats: { used: 1, limit: null, waiting: 0 },
    expiries: [],
  };
  const destination = (more: Partial<AttentionFacts['destinations'][number]>): Partial<AttentionFacts> => ({
    destinations: [
      {
        channel: 'platform',
        id: 'main',
        name: null,
        state: 'open',
        reason: 'status_503',
        since: SINCE,
        next: NEXT,
        failing_since: null,
        ...more,
      },
    ],
  });
  const expiry = (kind: string, days: number): Partial<typeof WELL> => ({
    expiries: [{ kind, id: 'x_1', name: 'Entra', expires_at: new Date(AT.getTime() + days * 86_400_000) }],
  });
  const down = { destination: { ...WELL.destination, state: 'open', message: 'Away.' } };

  const CASES: [string, Partial<AttentionFacts>, Partial<typeof WELL>, object[]][] = [
    ['nothing when all is well', {}, {}, []],
    [
      'a platform that is down, with its next probe',
      destination({}),
      down,
      [
        {
          severity: 'critical',
          code: 'destination.open',
          words: 'Away.',
          since: new Date(SINCE),
          next_try_at: new Date(NEXT),
        },
      ],
    ],
    [
      'a platform that is paused',
      destination({ state: 'paused' }),
      down,
      [{ severity: 'critical', code: 'destination.paused' }],
    ],
    [
      'a platform that a person has paused',
      destination({ state: 'paused', reason: 'by_hand' }),
      down,
      [{ severity: 'warning' }],
    ],
    [
      'a failing webhook since its first failure',
      destination({
        channel: 'webhook',
        id: 'whk_1',
        name: 'https://h.example',
        failing_since: '2026-03-04T10:00:00Z',
      }),
      {},
      [
        {
          severity: 'warning',
          code: 'webhook.failing',
          id: 'whk_1',
          since: new Date('2026-03-04T10:00:00Z'),
          next_try_at: new Date(NEXT),
        },
      ],
    ],
    [
      'a disabled webhook',
      destination({ channel: 'webhook', state: 'paused', reason: 'failing' }),
      {},
      [{ severity: 'critical', code: 'webhook.disabled' }],
    ],
    [
      'no webhook that a person has paused',
      destination({ channel: 'webhook', state: 'paused', reason: 'by_hand' }),
      {},
      [],
    ],
    [
      'an interview engine that is away',
      destination({ channel: 'interviews' }),
      {},
      [{ code: 'interview_engine.open', next_try_at: new Date(NEXT) }],
    ],
    [
      'an interview engine that is paused',
      destination({ channel: 'interviews', state: 'paused' }),
      {},
      [{ severity: 'critical', code: 'interview_engine.paused' }],
    ],
    [
      'plans that the engine did not take',
      {},
      { interview_engine: { ...WELL.interview_engine, not_taken: 2 } },
      [{ code: 'interview_engine.not_taken' }],
    ],
    [
      'an ATS that is degraded, with its next run',
      { ats: [{ id: 'ats_1', name: 'Lever', state: 'degraded', reason: 'rate_limited', since: SINCE, next: NEXT }] },
      {},
      [{ severity: 'warning', code: 'ats.degraded', id: 'ats_1', next_try_at: new Date(NEXT) }],
    ],
    [
      'an ATS that has to be connected again',
      {
        ats: [
          { id: 'ats_1', name: 'Lever', state: 'reconnect_needed', reason: 'grant_revoked', since: SINCE, next: NEXT },
        ],
      },
      {},
      [{ severity: 'critical', code: 'ats.reconnect_needed', next_try_at: null }],
    ],
    [
      'users that the guard holds once, and no user of a preview',
      {
        held: [
          { reason: 'guard', directory_id: 'dir_1', directory: 'Entra', n: 12, since: SINCE },
          { reason: 'preview', directory_id: 'dir_2', directory: 'Okta', n: 9, since: SINCE },
        ],
      },
      {},
      [
        {
          severity: 'critical',
          code: 'provisioning.held',
          kind: 'directory',
          id: 'dir_1',
          words: 'The guard of Entra holds 12 users that would leave.',
        },
      ],
    ],
    [
      'held users of two directories as one line of their reason',
      {
        held: [
          { reason: 'no_role', directory_id: 'dir_1', directory: 'Entra', n: 2, since: SINCE },
          { reason: 'no_role', directory_id: 'dir_2', directory: 'Okta', n: 1, since: '2026-03-01T10:00:00+00:00' },
        ],
      },
      {},
      [{ code: 'held.no_role', words: '3 users are held: no role.', since: new Date('2026-03-01T10:00:00Z') }],
    ],
    [
      'parked changes',
      {},
      { parked: { refused: 1 } },
      [{ code: 'change.parked', id: 'refused', words: 'The change of 1 user is parked: refused.' }],
    ],
    [
      'a refused token at its directory',
      { refused: [{ id: 'dir_1', name: 'Entra', at: SINCE, reason: 'expired' }] },
      {},
      [{ code: 'directory.refused', id: 'dir_1' }],
    ],
    [
      'a token that belongs to no directory, with its address',
      { refused_token: { at: SINCE, reason: 'unknown', prefix: 'tbs_1_Ab', address: '203.0.113.9' } },
      {},
      [{ code: 'tenant.refused_token', kind: 'tenant', words: expect.stringContaining('203.0.113.9') }],
    ],
    [
      'a refused API key',
      { refused_keys: [{ id: 'key_1', name: 'CI', at: SINCE, address: '203.0.113.9' }] },
      {},
      [{ code: 'api_key.refused', id: 'key_1' }],
    ],
    [
      'a quiet directory',
      { quiet: [{ id: 'dir_1', name: 'Entra', since: SINCE }] },
      {},
      [{ code: 'directory.quiet', since: new Date(SINCE) }],
    ],
    [
      'a token that ends soon',
      {},
      expiry('scim_token', 20),
      [{ severity: 'warning', code: 'credential.expiring', kind: 'credential' }],
    ],
    ['a token that ends in days', {}, expiry('scim_token', 2), [{ severity: 'critical', code: 'credential.expiring' }]],
    ['a certificate', {}, expiry('certificate', 20), [{ code: 'connection.certificate_expiring', kind: 'connection' }]],
    [
      'metadata that wait',
      { metadata: [{ id: 'con_1', name: 'Okta', problem: 'another entity id', since: null }] },
      {},
      [{ code: 'connection.metadata_waiting' }],
    ],
    [
      'a lost domain',
      { domains: [{ domain: 'e.example', problem: null, since: SINCE }] },
      {},
      [{ code: 'domain.lost', id: 'e.example' }],
    ],
    ['storage', { storage: { state: 'exhausted' } }, {}, [{ severity: 'critical', code: 'storage.exhausted' }]],
    [
      'storage that is nearly used',
      { storage: { state: 'approaching' } },
      {},
      [{ severity: 'warning', code: 'storage.approaching' }],
    ],
    [
      'seats near the limit',
      {},
      { seats: { used: 9, limit: 10, waiting: 0 } },
      [{ severity: 'warning', code: 'seat.limit_approaching' }],
    ],
    [
      'seats at the limit once, with the users who wait',
      { held: [{ reason: 'no_seat', directory_id: null, directory: null, n: 1, since: SINCE }] },
      { seats: { used: 10, limit: 10, waiting: 1 } },
      [
        {
          severity: 'critical',
          code: 'seat.limit_reached',
          words: '10 of 10 seats are used, and 1 user waits for one.',
        },
      ],
    ],
    [
      'drift',
      { drift: { id: 'tsk_1', at: SINCE, differences: 3 } },
      {},
      [{ code: 'drift.found', kind: 'drift', id: 'tsk_1' }],
    ],
  ];

  test.each(CASES)('shows %s', (_, facts, now, lines) => {
    const shown = attentionOf({ ...NOTHING, ...facts }, { ...WELL, ...now }, AT);
    expect(shown).toMatchObject(lines);
    expect(shown).toHaveLength(lines.length);
    for (const line of shown) expect(line.act).toMatch(/\.$/);
  });

  test('puts the worst first, then what has lasted longest', () => {
    const facts = {
      ...NOTHING,
      ...destination({}),
      quiet: [{ id: 'dir_1', name: 'Entra', since: '2026-03-01T10:00:00Z' }],
    };
    const lines = attentionOf(
      { ...facts, domains: [{ domain: 'e', problem: null, since: SINCE }] },
      { ...WELL, ...down },
      AT,
    );
    expect(lines.map(({ code }) => code)).toEqual(['destination.open', 'directory.quiet', 'domain.lost']);
  });

  /** Critical and warning events that tell of an act, not of a state that lasts. */
  const ACTS = new Set([
    'administrator.added',
    'administrator.identity_changed',
    'sign_in.email_claimed',
    'ledger.corrected',
    'ats.webhook_missing',
  ]);

  test('has a line for each critical and warning event that tells of a state', () => {
    const codes = new Set(CASES.flatMap(([, , , lines]) => lines.map((line) => ('code' in line ? line.code : ''))));
    const states = Object.entries(EVENTS).flatMap(([name, { severity }]) =>
      severity === 'info' || ACTS.has(name) ? [] : [name],
    );
    expect(states.filter((name) => !codes.has(name))).toEqual([]);
  });
});

describe('attention delivery', () => {
  const SINCE = '2026-03-05T10:00:00+00:00';
  const NOW = {
    destination: { state: 'ok' },
    interview_engine: { state: 'open', message: 'Away.', waiting: 1, not_taken: 2 },
    parked: { refused: 2, rejected: 1 },
  } as unknown as Now;
  const FACTS = { destinations: [], ats: [], drift: null } as unknown as AttentionFacts;
  const destination = (channel: string) => ({
    channel,
    id: 'main',
    name: null,
    state: 'open' as const,
    reason: 'status_503',
    since: SINCE,
    next: null,
    failing_since: null,
  });

  test('names each reason of parked changes once', () => {
    expect(deliveryLines(FACTS, NOW).map(({ code, id }) => [code, id])).toEqual([
      ['change.parked', 'refused'],
      ['change.parked', 'rejected'],
    ]);
  });

  test('says of an engine that is away once that it is, and nothing of a channel that it does not know', () => {
    const destinations = [destination('interviews'), destination('another')];
    const codes = deliveryLines({ ...FACTS, destinations }, { ...NOW, parked: {} }).map(({ code }) => code);
    expect(codes).toEqual(['interview_engine.open']);
  });

  test('says nothing of a platform that is back since its row was read', () => {
    expect(deliveryLines({ ...FACTS, destinations: [destination('platform')] }, { ...NOW, parked: {} })).toEqual([]);
  });
});

describe('expiries', () => {
  it('returns what ends first, of credentials and certificates', () => {
    const one = (kind: string, at: Date | string) => ({ kind, id: 'x', name: kind, expires_at: at as Date });
    const found = nearest(
      [
        one('api_key', '2026-03-02T00:00:00+00:00'),
        one('scim_token', '2026-03-04T00:00:00+00:00'),
        one('certificate', new Date('2026-03-01T00:00:00Z')),
      ],
      2,
    );
    expect(found.map(({ kind }) => kind)).toEqual(['certificate', 'api_key']);
    expect(found[1]!.expires_at).toEqual(new Date('2026-03-02T00:00:00Z'));
  });
});
