import { randomInt } from 'node:crypto';
import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import type { MadeWebhook, WebhookRules } from '../connector.js';
import { idOf, objectOf, objectsIn } from '../remote-json.js';
import { timeText } from './zoho-recruit-calls.js';

const PATH = '/actions/watch';

/** A channel lives for a day at most. */
const LIFE_MS = 23 * 3_600_000;

/** Channels of the notification API, one for each module. Zoho sends our secret back in the body. */
export const zohoRecruitWebhooks: WebhookRules = {
  events: ['Candidates.all', 'Job_Openings.all'],
  renewEveryMs: 6 * 3_600_000,

  async create(api: AtsApi, event: string, url: string, secret: string): Promise<MadeWebhook> {
    const remoteId = String(randomInt(1e12, 1e13 - 1));
    await api.call({ method: 'POST', path: PATH, json: watch(remoteId, event, { token: secret, notify_url: url }) });
    return { remoteId, event, secret };
  },

  async renew(api: AtsApi, remoteId: string, event: string): Promise<boolean> {
    try {
      await api.call({ method: 'PATCH', path: PATH, json: watch(remoteId, event) });
      return true;
    } catch (error) {
      if (isUnknown(error)) return false;
      throw error;
    }
  },

  async list(api: AtsApi): Promise<{ remoteId: string; url: string }[]> {
    const { json } = await api.call({ method: 'GET', path: PATH });
    return objectsIn(objectOf(json)?.['watch']).flatMap(({ channel_id: id, notify_url: url }) => {
      const remoteId = idOf(id);
      return remoteId === null || typeof url !== 'string' ? [] : { remoteId, url };
    });
  },

  async remove(api: AtsApi, remoteId: string): Promise<void> {
    try {
      await api.call({ method: 'DELETE', path: PATH, query: { channel_ids: remoteId } });
    } catch (error) {
      if (!isUnknown(error)) throw error;
    }
  },
};

function watch(channelId: string, event: string, more: object = {}): object {
  const expiry = timeText(new Date(Date.now() + LIFE_MS));
  return { watch: [{ channel_id: channelId, events: [event], channel_expiry: expiry, ...more }] };
}

/** A channel that has ended is refused with a code that differs by version. */
function isUnknown(error: unknown): boolean {
  return error instanceof AtsFailure && (error.kind === 'not_found' || error.kind === 'rejected');
}
