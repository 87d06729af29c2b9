import type { AtsApi } from '../../api/ats-api.js';
import type { MadeWebhook, WebhookRules } from '../connector.js';
import { idOf, objectOf, objectsIn, requiredId, textOf, unexpected } from '../remote-json.js';
import { part, leverRows, LEVER } from './lever-reads.js';

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
