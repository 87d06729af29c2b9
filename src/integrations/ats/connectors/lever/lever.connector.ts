import type { Credential } from '../../api/ats-api.js';
import { type Connector, type OAuthRules, type Region, basicKey } from '../connector.js';
import { leverInbound, leverWebhooks } from './lever-inbound.js';
import { LEVER, leverReads } from './lever-reads.js';
import { leverWrites } from './lever-writes.js';

const REGIONS: Readonly<Record<string, Region>> = {
  production: {
    api: 'https://api.lever.co/v1',
    authorize: 'https://auth.lever.co/authorize',
    token: 'https://auth.lever.co/oauth/token',
    audience: 'https://api.lever.co/v1/',
  },
  eu: { api: 'https://api.eu.lever.co/v1' },
  sandbox: {
    api: 'https://api.sandbox.lever.co/v1',
    authorize: 'https://sandbox-lever.auth0.com/authorize',
    token: 'https://sandbox-lever.auth0.com/oauth/token',
    audience: 'https://api.sandbox.lever.co/v1/',
  },
};

const OAUTH: OAuthRules = {
  scopes: [
    'offline_access',
    'postings:read:admin',
    'opportunities:write:admin',
    'contact:read:admin',
    'applications:read:admin',
    'stages:read:admin',
    'notes:write:admin',
    'users:read:admin',
    'webhooks:write:admin',
  ],
  authorizeParameters: ({ audience }) => ({ prompt: 'consent', ...(audience === undefined ? {} : { audience }) }),
  clientAuth: 'body',
  refreshIdleMs: 90 * 86_400_000,
  revokePath: ({ token }) => (token === undefined ? null : new URL('/oauth/revoke', token).href),
};

/** Lever: an opportunity, which is one candidacy of a person, is a candidate here. */
export const lever: Connector = {
  provider: 'lever',
  title: LEVER,
  marker: 'lv_',
  regions: REGIONS,
  credentials: ['oauth', 'api_key'],
  pace: { perSecond: 10, burst: 10 },
  abilities: {
    jobs: true,
    candidates: true,
    link: true,
    note: true,
    field: false,
    webhooksByApi: true,
    oauth: true,
    deleted: 'both',
    merged: 'no',
    signature: 'token_and_time',
  },
  limits: [
    'Lever sends no webhooks for postings: they are polled.',
    'Lever does not tell of merged contacts. The opportunities of both stay, each as a candidate.',
    'Opportunities have no custom fields that the API can write: links and notes are used.',
    'The signature of Lever’s webhooks does not cover their data: each opportunity is read from Lever.',
    'Deleted records are listed for thirty days.',
    'In the region eu the connection is made with an API key.',
    'Confidential postings and opportunities are not read.',
  ],
  authorization,
  ...leverReads,
  inbound: leverInbound,
  webhooks: leverWebhooks,
  oauth: OAUTH,
  writes: leverWrites,
};

function authorization(credential: Credential): Readonly<Record<string, string>> {
  if (credential.kind === 'api_key') return basicKey(credential.key);
  return credential.kind === 'oauth' ? { authorization: `Bearer ${credential.accessToken}` } : {};
}
