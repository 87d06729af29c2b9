import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import type { AtsWrite, WriteRules } from '../connector.js';
import { idOf, objectOf, objectsIn, textOf, unexpected, type RemoteObject } from '../remote-json.js';
import { zohoRecord, zohoRows, ZOHO } from './zoho-recruit-calls.js';

const NOTE_TITLE = 'AI interview';

/** Notes and fields of candidates. All writes are made as the user who approved the connection. */
export const zohoRecruitWrites: WriteRules = {
  targets: ['note', 'field'],
  needsUser: false,

  async find(api: AtsApi, write: AtsWrite): Promise<string | null> {
    if (write.target === 'field') {
      const found = await candidateOf(api, write);
      const value = textOf(found[fieldIn(found, write.field)]);
      return value?.includes(write.marker) === true ? value : null;
    }
    const notes = objectsIn(await zohoRows(api, `${candidate(write)}/Notes`));
    const found = notes.find(({ Note_Content: text }) => typeof text === 'string' && text.includes(write.marker));
    return idOf(found?.['id']);
  },

  async write(api: AtsApi, write: AtsWrite): Promise<string> {
    if (write.target === 'field') {
      await setField(api, write, write.text);
      return write.text;
    }
    const note = {
      Note_Title: NOTE_TITLE,
      Note_Content: write.text,
      Parent_Id: write.candidateRemoteId,
      se_module: 'Candidates',
    };
    const { json } = await api.call({ method: 'POST', path: '/Notes', json: { data: [note] } });
    const [row] = objectsIn(objectOf(json)?.['data']);
    const id = idOf(objectOf(row?.['details'])?.['id']);
    if (id === null) throw unexpected(ZOHO, 'id of the note');
    return id;
  },

  async undo(api: AtsApi, write: AtsWrite, ref: string): Promise<boolean> {
    if (write.target === 'field') await setField(api, write, write.replaces);
    else await removeNote(api, ref);
    return true;
  },
};

async function removeNote(api: AtsApi, id: string): Promise<void> {
  try {
    await api.call({ method: 'DELETE', path: `/Notes/${encodeURIComponent(id)}`, accepts: [404] });
  } catch (error) {
    if (!(error instanceof AtsFailure) || error.kind !== 'not_found') throw error;
  }
}

async function setField(api: AtsApi, write: AtsWrite, value: string | null): Promise<void> {
  const name = fieldIn(await candidateOf(api, write), write.field);
  await api.call({ method: 'PUT', path: candidate(write), json: { data: [{ [name]: value }] } });
}

async function candidateOf(api: AtsApi, write: AtsWrite): Promise<RemoteObject> {
  const found = await zohoRecord(api, candidate(write));
  if (found !== null) return found;
  throw new AtsFailure('not_found', 'candidate_not_found', `${ZOHO} has no such candidate (any more).`);
}

/** A field is named by its API name, or by its label: a record has all fields of its layout, with or without a value. */
function fieldIn(found: RemoteObject, field: string | null): string {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  const name = Object.keys(found).find((one) => one === field || plain(one) === plain(field ?? ''));
  if (name !== undefined) return name;
  throw new AtsFailure('rejected', 'unknown_field', `${ZOHO} has no such field for candidates.`);
}

function candidate({ candidateRemoteId }: AtsWrite): string {
  return `/Candidates/${encodeURIComponent(candidateRemoteId)}`;
}
