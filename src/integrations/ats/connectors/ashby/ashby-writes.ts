import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import type { AtsWrite, MadeWebhook, WebhookRules, WriteRules } from '../connector.js';
import { idOf, objectOf, objectsIn, requiredId, textOf, unexpected, readOne } from '../remote-json.js';
import { ashbyRecord, resultsOf, ashbyRows, ASHBY } from './ashby-calls.js';

/** Notes and custom fields of candidates. All writes are made as the API key. */
export const ashbyWrites: WriteRules = {
  targets: ['note', 'field'],
  lasting: ['note'],
  needsUser: false,

  async find(api: AtsApi, write: AtsWrite): Promise<string | null> {
    const { candidateRemoteId: candidateId, marker } = write;
    if (write.target === 'field') return fieldValue(api, write);
    const notes = objectsIn(await ashbyRows(api, 'candidate.listNotes', { candidateId }));
    return idOf(notes.find(({ content }) => typeof content === 'string' && content.includes(marker))?.['id']);
  },

  async write(api: AtsApi, write: AtsWrite): Promise<string> {
    if (write.target === 'field') {
      await setField(api, write, write.text);
      return write.text;
    }
    const made = await resultsOf(api, 'candidate.createNote', {
      candidateId: write.candidateRemoteId,
      note: write.text,
      sendNotifications: false,
      isPrivate: write.visibility === 'private',
    });
    const id = idOf(objectOf(made)?.['id']);
    if (id === null) throw unexpected(ASHBY, 'id of the note');
    return id;
  },

  async undo(api: AtsApi, write: AtsWrite): Promise<boolean> {
    if (write.target !== 'field') return false;
    await setField(api, write, write.replaces);
    return true;
  },
};

/** Webhooks of Ashby are made one for each type, with a secret of ours. */
export const ashbyWebhooks: WebhookRules = {
  events: ['applicationSubmit', 'applicationUpdate', 'candidateStageChange', 'candidateDelete', 'candidateMerge'],

  async create(api: AtsApi, event: string, url: string, secret: string): Promise<MadeWebhook> {
    const json = { webhookType: event, requestUrl: url, secretToken: secret };
    const made = objectOf(await resultsOf(api, 'webhook.create', json));
    const remoteId = readOne(() => requiredId(made?.['id'], 'The id of the webhook'));
    // Ashby sends a ping first, and keeps a webhook that did not answer it switched off.
    if (made?.['enabled'] === false) {
      await this.remove(api, remoteId);
      throw new AtsFailure('rejected', 'webhook_disabled', 'Ashby’s ping of the webhook address was not answered.');
    }
    return { remoteId, event, secret };
  },

  async remove(api: AtsApi, webhookId: string): Promise<void> {
    try {
      await resultsOf(api, 'webhook.delete', { webhookId });
    } catch (error) {
      if (!(error instanceof AtsFailure) || error.kind !== 'not_found') throw error;
    }
  },
};

async function fieldValue(api: AtsApi, write: AtsWrite): Promise<string | null> {
  const found = await ashbyRecord(api, 'candidate.info', { id: write.candidateRemoteId });
  if (found === null)
    throw new AtsFailure('not_found', 'candidate_not_found', 'Ashby has no such candidate (any more).');
  const fields = objectsIn(found['customFields']).filter(
    ({ id, title }) => id === write.field || title === write.field,
  );
  const values = fields.map(({ value }) => textOf(value));
  return values.find((value) => value?.includes(write.marker) === true) ?? null;
}

async function setField(api: AtsApi, write: AtsWrite, fieldValue: string | null): Promise<void> {
  const fieldId = await fieldIdOf(api, write.field);
  const json = { objectType: 'Candidate', objectId: write.candidateRemoteId, fieldId, fieldValue };
  await resultsOf(api, 'customField.setValue', json);
}

async function fieldIdOf(api: AtsApi, field: string | null): Promise<string> {
  const all = objectsIn(await ashbyRows(api, 'customField.list', {}));
  const own = all.filter(({ objectType }) => objectType === undefined || objectType === 'Candidate');
  const found = own.find(({ id }) => id === field) ?? own.find(({ title }) => title === field);
  const id = idOf(found?.['id']);
  if (id === null) throw new AtsFailure('rejected', 'unknown_field', 'Ashby has no such custom field for candidates.');
  return id;
}
