import type { AtsAnswer, Credential } from '../../api/ats-api.js';
import type { Connector, OAuthRules } from '../connector.js';
import { greenhouseInbound } from './greenhouse-inbound.js';
import { GREENHOUSE, greenhouseReads } from './greenhouse-reads.js';
import { greenhouseWrites } from './greenhouse-writes.js';

const V1_ENDED =
  'Harvest v1 and v2 ended on 31 August 2026. Use https://harvest.greenhouse.io/v3 and a credential for Harvest v3.';

const OAUTH: OAuthRules = {
  scopes: [
    'harvest:jobs:list',
    'harvest:candidates:list',
    'harvest:candidates:update',
    'harvest:applications:list',
    'harvest:sources:list',
    'harvest:users:list',
    'harvest:notes:list',
    'harvest:notes:create',
  ],
  authorizeParameters: () => ({}),
  clientAuth: 'basic',
  refreshIdleMs: 24 * 3_600_000,
  revokePath: () => null,
};

export const greenhouse: Connector = {
  provider: 'greenhouse',
  title: GREENHOUSE,
  marker: 'gh_',
  regions: {
    production: {
      api: 'https://harvest.greenhouse.io/v3',
      authorize: 'https://auth.greenhouse.io/authorize',
      token: 'https://auth.greenhouse.io/token',
    },
  },
  credentials: ['client_credentials', 'oauth'],
  // Fifty requests in any window of thirty seconds: a burst, and what comes after it.
  pace: { perSecond: 1.3, burst: 10 },
  abilities: {
    jobs: true,
    candidates: true,
    link: false,
    note: true,
    field: true,
    webhooksByApi: false,
    oauth: true,
    deleted: 'event',
    merged: 'event',
    signature: 'body',
  },
  limits: [
    'Greenhouse makes webhooks by hand, in Configure, Dev Center, Web Hooks: its API cannot.',
    'Keys of Harvest v1 and v2 are not taken: these versions ended on 31 August 2026.',
    'Connecting in the browser needs a partner agreement with Greenhouse. Without it a client of Harvest v3 is used.',
    'A grant in the browser ends after 24 hours without use: it is kept alive.',
    'Profiles take no links: a link is written to a custom field or a note.',
    'Notes cannot be deleted through Harvest v3: a test note stays.',
    'Deleted and merged candidates become known by webhooks alone.',
    'Departments and offices of a job are in its webhooks, not in the lists that are polled.',
  ],
  keptHeaders: ['x-ratelimit-reset'],
  addressProblem: ({ pathname }) => (/^\/v[12](\/|$)/.test(pathname) ? V1_ENDED : null),
  authorization,
  retryAfter,
  ...greenhouseReads,
  inbound: greenhouseInbound,
  webhooks: null,
  oauth: OAUTH,
  writes: greenhouseWrites,
};

function authorization(credential: Credential): Readonly<Record<string, string>> {
  const token = credential.kind === 'api_key' ? null : credential.accessToken;
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** From here on a number of seconds is a time since 1970, and not a wait. */
const EPOCH_SECONDS = 1_000_000_000;

/** `X-RateLimit-Reset` is the end of the window, in seconds since 1970. */
function retryAfter({ headers }: Pick<AtsAnswer, 'headers'>, now: Date): number | null {
  const reset = Number(headers['x-ratelimit-reset'] ?? NaN);
  if (!Number.isFinite(reset) || reset < 0) return null;
  return reset < EPOCH_SECONDS ? reset * 1_000 : Math.max(0, reset * 1_000 - now.getTime());
}
