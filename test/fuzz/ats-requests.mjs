// What honest clients send about ATSs: connections, links, webhooks, interviews, pages of integrations.
import { createHash } from 'node:crypto';

/** A port at which nothing listens: an ATS that is away. */
const AWAY = 'http://127.0.0.1:9/v1';
const PROVIDERS = ['lever', 'greenhouse', 'ashby', 'zoho_recruit'];
const tokenOf = (seed) => `whk_${createHash('sha256').update(`fuzz ${seed}`).digest('hex')}`;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };

const CREDENTIALS = [
  { kind: 'api_key', key: 'k-0123456789' },
  { kind: 'client_credentials', client_id: 'c', client_secret: 's', sub: '1' },
];

const PLAN = {
  starts_at: '2030-01-01T10:00:00Z',
  ends_at: '2030-01-01T11:00:00Z',
  time_zone: 'Europe/Berlin',
  interviewers: ['Ada'],
};
const CARD = {
  overall: 4,
  recommendation: 'advance',
  summary: 'Knows SQL.',
  criteria: [{ name: 'SQL', score: 4, scale: { min: 1, max: 5 }, evidence: 'Wrote a window function.' }],
  link: 'https://results.example/1',
};
const TAKES = {
  postings: 'all',
  candidates: 'active',
  stages: ['s1'],
  since: '2026-01-01T00:00:00Z',
  backfill_events: true,
};
const WRITES = { as_user: 'u1', visibility: 'private', link_target: 'note', scorecard_target: 'note' };

/** What ATSs send. */
const EVENTS = {
  lever: (n) => ({
    id: `e${n}`,
    event: 'candidateStageChange',
    triggeredAt: 1_760_000_000_000,
    token: `t${n}`,
    data: { opportunityId: `o${n}`, toStageId: 's' },
  }),
  ashby: (n) => ({
    action: 'applicationSubmit',
    webhookActionId: `w${n}`,
    data: {
      application: {
        id: `a${n}`,
        status: 'Active',
        updatedAt: '2026-03-01T21:06:38.093Z',
        candidate: { id: `c${n}`, name: 'Amara Okonkwo', primaryEmailAddress: { value: `a${n}@x.example` } },
        job: { id: 'j1', title: 'Engineer' },
      },
    },
  }),
  zoho_recruit: (n) => ({
    server_time: 1_760_000_000_000 + n,
    module: 'Candidates',
    ids: ['480912000001234567', '480912000001234568'],
    operation: 'update',
    channel_id: '1000000068001',
    token: `t${n}`,
  }),
  greenhouse: (n) => ({
    action: 'candidate_stage_change',
    payload: {
      application: {
        id: 7,
        status: 'active',
        candidate: { id: 8, first_name: 'P', last_name: `V${n}`, email_addresses: [{ value: 'p@x.example' }] },
        jobs: [{ id: 9, name: 'Engineer' }],
        current_stage: { id: 1, name: 'Offer' },
      },
    },
  }),
};

/**
 * A request about ATSs.
 *
 * @param known what exists or did: `{ candidates, interviews, connections, links, tokens }`; tokens by provider
 */
export function atsRequest(random, known, n) {
  const one = (kind, none) => (known[kind].length > 0 ? random.of(known[kind]) : none);
  const connection = () => `/api/v1/ats-connections/${one('connections', 'ats_none')}`;
  const candidate = () => `/api/v1/candidates/${one('candidates', 'cand_none')}`;
  const interview = () => `/api/v1/interviews/${one('interviews', 'int_none')}`;
  const json = (method, path, body) => ({ method, path, body, headers: JSON_TYPE });
  const made = [
    ...connectionRequests(random, { connection, json, n }),
    () =>
      json('POST', '/api/v1/candidates', {
        email: `c${n}@x.example`,
        first_name: 'C',
        last_name: 'D',
        external_id: `own${n}`,
      }),
    () => json('POST', `${candidate()}/interviews`, PLAN),
    () => json('POST', `${candidate()}/interviews`, { ...PLAN, job_id: null }),
    () =>
      json(
        'PATCH',
        interview(),
        random.of([{ ends_at: '2030-01-01T12:00:00Z' }, { state: 'completed' }, { state: 'cancelled' }]),
      ),
    () => json('PUT', `${interview()}/scorecard`, CARD),
    () => ({ method: 'GET', path: `${interview()}/scorecard`, query: { version: '1' } }),
    () => ({ method: 'GET', path: random.of([interview(), `${candidate()}/interviews`]), query: {} }),
    () => ({
      method: 'GET',
      path: '/api/v1/interviews',
      query: { state: 'scheduled', limit: '5', updated_since: '2026-01-01T00:00:00Z' },
    }),
    ...[1, 2, 3].map(() => () => inbound(random, known, n)),
    ...pageRequests(random, n),
  ];
  return random.of(made)();
}

function connectionRequests(random, { connection, json, n }) {
  const provider = random.of(PROVIDERS);
  return [
    () =>
      json('POST', '/api/v1/ats-connections', {
        provider,
        name: `A${n}`,
        marker: `m${random.below(30)}_`,
        takes: TAKES,
      }),
    () =>
      json('POST', '/api/v1/ats-connections', {
        provider,
        base_url: AWAY,
        api_token: tokenOf(n),
        signing_secret: 'a signing secret',
        credential: random.of(CREDENTIALS),
        writes: WRITES,
      }),
    () =>
      json(
        'PATCH',
        connection(),
        random.of([{ name: `B${n}` }, { takes: TAKES }, { writes: WRITES }, { credential: random.of(CREDENTIALS) }]),
      ),
    () => json('POST', `${connection()}/tokens`, random.of([{}, { api_token: tokenOf(`second ${n}`) }])),
    () => ({ method: 'DELETE', path: `${connection()}/tokens/atk_none` }),
    () => json('PUT', `${connection()}/signing-secret`, { secret: 'another secret' }),
    () => json('POST', `${connection()}/${random.of(['pause', 'resume', 'test'])}`, {}),
    () => json('POST', `${connection()}/sync`, { full: true }),
    () => json('POST', `${connection()}/test-write`, { candidate_id: 'cand_none', confirm: true }),
    () => (random.chance(0.2) ? json('POST', `${connection()}/disconnect`, {}) : { method: 'GET', path: connection() }),
    () => ({ method: 'DELETE', path: connection() }),
    () => ({
      method: 'GET',
      path: `${connection()}/${random.of(['runs', 'events', 'writes'])}`,
      query: { limit: '5', state: 'failed' },
    }),
    () => json('POST', `${connection()}/events/retry`, {}),
    () => json('POST', `${connection()}/events/aev_none/dismiss`, { reason: 'A test.' }),
    () => json('POST', `${connection()}/writes/awr_none/${random.of(['retry', 'dismiss'])}`, { reason: 'A test.' }),
    () => ({
      method: 'GET',
      path: random.of(['/api/v1/ats-connections', '/api/v1/ats-connections/providers', '/api/v1/ats-connect-links']),
      query: { limit: '5' },
    }),
    () => json('POST', '/api/v1/ats-connect-links', { provider: 'lever' }),
    () => ({ method: 'DELETE', path: '/api/v1/ats-connect-links/alk_none' }),
  ];
}

function inbound(random, known, n) {
  const provider = random.of(PROVIDERS);
  const token = known.tokens[provider];
  const query = random.chance(0.8) ? { api_token: token } : {};
  const event = EVENTS[provider](random.below(50) + (random.chance(0.3) ? Number(n.split('-')[1]) : 0));
  const as = random.chance(0.15)
    ? { form: { action: 'x', data: JSON.stringify(event) }, headers: FORM }
    : { body: event, headers: JSON_TYPE };
  return { method: 'POST', path: `/api/webhooks/${random.chance(0.95) ? provider : 'unknown'}`, query, ...as };
}

function pageRequests(random, n) {
  const at = (page) => `/api/integrations/${random.of(['lever', 'lever', 'ashby', 'unknown'])}/${page}`;
  return [
    () => ({ method: 'GET', path: at(random.of(['start', 'connect'])), headers: { accept: 'text/html' } }),
    () => ({ method: 'GET', path: at('callback'), query: { state: `tbg_${n}`, code: 'c', error: 'access_denied' } }),
    () => ({ method: 'POST', path: at('start'), form: { connection: '' }, headers: FORM }),
    () => ({
      method: 'POST',
      path: at('connect'),
      form: { code: `tbi_${n}`, confirmed: 'yes', connection: '' },
      headers: FORM,
    }),
  ];
}
