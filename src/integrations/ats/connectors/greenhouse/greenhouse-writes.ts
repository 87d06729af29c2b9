import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import type { AtsWrite, WriteRules } from '../connector.js';
import { idOf, objectOf, textOf, unexpected, type RemoteObject } from '../remote-json.js';
import { customFieldOf, greenhouseRecord, recordsOf, GREENHOUSE } from './greenhouse-reads.js';

/** Notes and custom fields of candidates. A note is written as a user of Greenhouse (`user_id`). */
export const greenhouseWrites: WriteRules = {
  targets: ['note', 'field'],
  lasting: ['note'],
  needsUser: true,

  async find(api: AtsApi, write: AtsWrite): Promise<string | null> {
    if (write.target === 'field') {
      const value = textOf(customFieldOf(await personOf(api, write), write.field)?.['value']);
      return value?.includes(write.marker) === true ? value : null;
    }
    const notes = await recordsOf(api, '/notes', 'candidate_ids', [write.candidateRemoteId]);
    const found = notes.find(({ body }) => typeof body === 'string' && body.includes(write.marker));
    return found === undefined ? null : noteId(found);
  },

  async write(api: AtsApi, write: AtsWrite): Promise<string> {
    if (write.target === 'field') {
      await setField(api, write, write.text);
      return write.text;
    }
    const { json } = await api.call({
      method: 'POST',
      path: '/notes',
      json: {
        candidate_id: numeric(write.candidateRemoteId),
        ...(write.asUser === null ? {} : { user_id: numeric(write.asUser) }),
        visibility: write.visibility,
        note_type: 'NOTE',
        body: write.text,
      },
    });
    return noteId(objectOf(json) ?? {});
  },

  async undo(api: AtsApi, write: AtsWrite): Promise<boolean> {
    if (write.target !== 'field') return false;
    await setField(api, write, write.replaces);
    return true;
  },
};

async function personOf(api: AtsApi, { candidateRemoteId }: AtsWrite): Promise<RemoteObject> {
  const found = await greenhouseRecord(api, '/candidates', candidateRemoteId);
  if (found === null) throw new AtsFailure('not_found', 'status_404', 'Greenhouse has no such candidate (any more).');
  return found;
}

async function setField(api: AtsApi, write: AtsWrite, value: string | null): Promise<void> {
  const key = textOf(customFieldOf(await personOf(api, write), write.field)?.['name_key']);
  if (key === null) {
    throw new AtsFailure('rejected', 'unknown_field', 'Greenhouse has no such custom field for candidates.');
  }
  const path = `/candidates/${encodeURIComponent(write.candidateRemoteId)}`;
  await api.call({ method: 'PATCH', path, json: { custom_fields: [{ name_key: key, value }] } });
}

function noteId(note: RemoteObject): string {
  const id = idOf(note['id']);
  if (id === null) throw unexpected(GREENHOUSE, 'id of the note');
  return id;
}

/** Ids are numbers in Greenhouse. One that a number cannot hold exactly stays text. */
function numeric(id: string): number | string {
  const number = Number(id);
  return Number.isSafeInteger(number) ? number : id;
}
