import { type Connector, basicKey } from '../connector.js';
import { judgeAshbyAnswer, ASHBY } from './ashby-calls.js';
import { ashbyInbound } from './ashby-inbound.js';
import { ashbyReads } from './ashby-reads.js';
import { ashbyWebhooks, ashbyWrites } from './ashby-writes.js';

/** Ashby: every call is a POST, and a failure is a 200 with `success: false`. */
export const ashby: Connector = {
  provider: 'ashby',
  title: ASHBY,
  marker: 'as_',
  regions: { production: { api: 'https://api.ashbyhq.com' } },
  credentials: ['api_key'],
  pace: { perSecond: 15, burst: 50 },
  abilities: {
    jobs: true,
    candidates: true,
    link: false,
    note: true,
    field: true,
    webhooksByApi: true,
    oauth: false,
    deleted: 'event',
    merged: 'event',
    signature: 'body',
  },
  limits: [
    'Ashby has no OAuth: the connection is made with an API key.',
    'Profiles in Ashby take no links: a link is written to a custom field or a note.',
    'Notes cannot be deleted through Ashby’s API: a test note stays.',
    'Ashby sends no webhooks for candidates that were imported in bulk: the poll brings them.',
    'Ashby’s API lists no webhooks: one that an interrupted set-up left is removed by hand. Its events are answered with 401.',
    'Webhooks for jobs are made by hand; without them jobs are polled.',
    'Ashby sends no webhook again after a wrong secret: the poll brings what was lost.',
    'Draft jobs are not read. Departments and locations are ids in Ashby’s answers, and are not shown.',
    'Notes are written as the API key, not as a user.',
  ],
  authorization: (credential) => (credential.kind === 'api_key' ? basicKey(credential.key) : {}),
  judge: judgeAshbyAnswer,
  ...ashbyReads,
  inbound: ashbyInbound,
  webhooks: ashbyWebhooks,
  oauth: null,
  writes: ashbyWrites,
};
