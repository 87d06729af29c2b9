import type { AtsApi } from '../../api/ats-api.js';
import {
  NotUnderstood,
  type InboundReading,
  type InboundRequest,
  type InboundRules,
  type SignatureVerdict,
  hmacVerdictOf,
  type MadeWebhook,
  type WebhookRules,
} from '../connector.js';
import { idOf, objectOf, textOf, timeOf, objectsIn, requiredId, unexpected } from '../remote-json.js';
import { part, leverRows, LEVER } from './lever-reads.js';

const OF_CANDIDATES = new Set([
  'applicationCreated',
  'candidateHired',
  'candidateStageChange',
  'candidateArchiveChange',
  'candidateDeleted',
]);

/** Events of records that are not taken from Lever. */
const OF_OTHERS = new Set([
  'interviewCreated',
  'interviewUpdated',
  'interviewDeleted',
  'contactCreated',
  'contactUpdated',
]);

/**
 * Webhooks of Lever. The signature covers the token and the time, not the data. So every event is a hint, and the
 * opportunity is read from Lever: a missing one was deleted.
 */
export const leverInbound: InboundRules = {
  ack: 200,

  verify({ body }: InboundRequest, secrets: readonly string[]): SignatureVerdict {
    const event = objectOf(body);
    const signature = event?.['signature'];
    if (event === null || signature === undefined || signature === null || signature === '') return 'absent';
    const { token, triggeredAt } = event;
    const isWhole = typeof token === 'string' && (typeof triggeredAt === 'number' || typeof triggeredAt === 'string');
    if (typeof signature !== 'string' || !isWhole) return 'invalid';
    return hmacVerdictOf(signature, `${token}${triggeredAt}`, secrets);
  },

  read({ body }: InboundRequest): InboundReading {
    const event = objectOf(body);
    const name = textOf(event?.['event']);
    if (event === null || name === null) throw new NotUnderstood('The body names no event.');
    const reading = { dedupeKey: textOf(event['token']), name, occurredAt: timeOf(event['triggeredAt']) };
    const data = objectOf(event['data']);
    if (data === null) throw new NotUnderstood('The event has no data.');
    // The Test button of Lever sends an event without data.
    if (Object.keys(data).length === 0 || OF_OTHERS.has(name)) return { ...reading, effect: { kind: 'none' } };
    const remoteId = idOf(data['opportunityId']) ?? idOf(data['candidateId']);
    if (!OF_CANDIDATES.has(name)) throw new NotUnderstood('The event is not one of those that Lever documents.');
    if (remoteId === null) throw new NotUnderstood('The event names no opportunity.');
    return { ...reading, effect: { kind: 'read_back', of: 'candidate', remoteId } };
  },
};

/** Webhooks of Lever are made one for each event; Lever makes the secret, and shows it once. */
export const leverWebhooks: WebhookRules = {
  events: [
    'applicationCreated',
    'candidateStageChange',
    'candidateArchiveChange',
    'candidateHired',
    'candidateDeleted',
  ],

  async create(api: AtsApi, event: string, url: string): Promise<MadeWebhook> {
    // A webhook that was made and not stored is made anew: its secret is not shown again.
    for (const known of objectsIn(await leverRows(api, '/webhooks'))) {
      if (known['event'] === event && known['url'] === url) await this.remove(api, requiredId(known['id'], 'The id'));
    }
    const { json } = await api.call({ method: 'POST', path: '/webhooks', json: { url, event } });
    const made = objectOf(objectOf(json)?.['data']);
    const secret = textOf(objectOf(made?.['configuration'])?.['signatureToken']);
    if (made === null || secret === null) throw unexpected(LEVER, 'signature token');
    return { remoteId: requiredId(made['id'], 'The id of the webhook'), event, secret };
  },

  async list(api: AtsApi): Promise<{ remoteId: string; url: string }[]> {
    return objectsIn(await leverRows(api, '/webhooks')).flatMap(({ id, url }) => {
      const remoteId = idOf(id);
      return remoteId === null || typeof url !== 'string' ? [] : { remoteId, url };
    });
  },

  async remove(api: AtsApi, remoteId: string): Promise<void> {
    await api.call({ method: 'DELETE', path: `/webhooks/${part(remoteId)}`, accepts: [404, 410] });
  },
};
