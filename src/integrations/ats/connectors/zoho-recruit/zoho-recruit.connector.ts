import type { Credential } from '../../api/ats-api.js';
import type { Connector, OAuthRules, Region } from '../connector.js';
import { judgeZohoAnswer, ZOHO } from './zoho-recruit-calls.js';
import { zohoRecruitInbound, zohoRecruitWebhooks } from './zoho-recruit-inbound.js';
import { zohoRecruitReads } from './zoho-recruit-reads.js';
import { zohoRecruitWrites } from './zoho-recruit-writes.js';

const OAUTH: OAuthRules = {
  scopes: [
    'ZohoRecruit.modules.ALL',
    'ZohoRecruit.users.READ',
    'ZohoRecruit.notifications.READ',
    'ZohoRecruit.notifications.CREATE',
    'ZohoRecruit.notifications.UPDATE',
    'ZohoRecruit.notifications.DELETE',
  ],
  // Zoho separates scopes by commas, and gives a refresh token to who asks for one.
  authorizeParameters: () => ({ scope: OAUTH.scopes.join(','), access_type: 'offline', prompt: 'consent' }),
  regionParameter: 'accounts-server',
  clientAuth: 'body',
  refreshIdleMs: null,
  revokePath: ({ token }) => (token === undefined ? null : `${token}/revoke`),
};

/** Zoho Recruit, API v2. An account lives in one of ten data centres, each with hosts of its own. */
export const zohoRecruit: Connector = {
  provider: 'zoho_recruit',
  title: ZOHO,
  marker: 'zr_',
  regions: {
    us: region('zoho.com'),
    eu: region('zoho.eu'),
    in: region('zoho.in'),
    au: region('zoho.com.au'),
    jp: region('zoho.jp'),
    cn: region('zoho.com.cn'),
    sa: region('zoho.sa'),
    ca: region('zohocloud.ca'),
    sg: region('zoho.sg'),
    ae: region('zoho.ae'),
  },
  credentials: ['oauth'],
  // Zoho counts by the day, and calls at the same time: a list costs three of at least 5,000 credits a day.
  pace: { perSecond: 2, burst: 20 },
  abilities: {
    jobs: true,
    candidates: true,
    link: false,
    note: true,
    field: true,
    webhooksByApi: true,
    oauth: true,
    deleted: 'both',
    merged: 'no',
    signature: 'none',
  },
  limits: [
    'Zoho signs no webhooks: the token of the address and the token in the body are the only proof.',
    'A notification of Zoho names records and holds nothing of them: each record is read.',
    'Notifications of Zoho end within a day, and are renewed. A connection that is paused for longer makes them anew.',
    'Profiles in Zoho take no links: a link is written to a field or a note.',
    'Notes have no visibility of their own in Zoho: all users who see the candidate read them.',
    'Zoho does not tell of merged candidates: one of them is deleted.',
    'Names of states are the customer’s own: an opening is closed where its state says so in English words.',
    'A candidate without an application comes in while the state is New.',
    'Webhooks of workflow rules are made by hand, with the field names that the documentation lists.',
  ],
  authorization,
  judge: judgeZohoAnswer,
  ...zohoRecruitReads,
  inbound: zohoRecruitInbound,
  webhooks: zohoRecruitWebhooks,
  oauth: OAUTH,
  writes: zohoRecruitWrites,
};

function authorization(credential: Credential): Readonly<Record<string, string>> {
  return credential.kind === 'oauth' ? { authorization: `Zoho-oauthtoken ${credential.accessToken}` } : {};
}

function region(domain: string): Region {
  const accounts = `https://accounts.${domain}/oauth/v2`;
  return { api: `https://recruit.${domain}/recruit/v2`, authorize: `${accounts}/auth`, token: `${accounts}/token` };
}
