import { parsedUrl } from '../../../../base/url.js';
import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import type { AtsWrite, WriteRules } from '../connector.js';
import { idOf, listOf, objectOf, objectsIn, textOf, unexpected, type RemoteObject } from '../remote-json.js';
import { part, leverRecord, leverRows, LEVER } from './lever-reads.js';

/** Notes and links of opportunities. Each write is made as a user of Lever (`perform_as`). */
export const leverWrites: WriteRules = {
  targets: ['note', 'link'],
  needsUser: true,

  async find(api: AtsApi, write: AtsWrite): Promise<string | null> {
    if (write.target === 'link') return linkIn(await opportunityOf(api, write), write.marker);
    const notes = objectsIn(await leverRows(api, notesOf(write)));
    const found = notes.find((note) => holds(note, write.marker));
    return found === undefined ? null : noteId(found);
  },

  async write(api: AtsApi, write: AtsWrite): Promise<string> {
    if (write.target === 'link') return addLink(api, write);
    const { json } = await api.call({
      method: 'POST',
      path: notesOf(write),
      query: asUser(write),
      json: { value: write.text, secret: write.visibility === 'private', notifyFollowers: false },
    });
    const note = objectOf(objectOf(json)?.['data']);
    if (note === null) throw unexpected(LEVER, 'note');
    return noteId(note);
  },

  async undo(api: AtsApi, write: AtsWrite, ref: string): Promise<boolean> {
    if (write.target === 'link') {
      await removeLink(api, write, ref);
      return true;
    }
    // Lever deletes notes that were made through its API, and no others.
    const path = `${notesOf(write)}/${part(ref)}`;
    await api.call({ method: 'DELETE', path, query: asUser(write), accepts: [404, 410] });
    return true;
  },
};

async function addLink(api: AtsApi, write: AtsWrite): Promise<string> {
  const path = `${opportunity(write)}/addLinks`;
  await api.call({ method: 'POST', path, query: asUser(write), json: { links: [write.text] } });
  // The former link is removed last: a crash in between leaves one link too many, not too few.
  if (write.replaces !== null && write.replaces !== write.text) await removeLink(api, write, write.replaces);
  return write.text;
}

async function removeLink(api: AtsApi, write: AtsWrite, link: string): Promise<void> {
  const path = `${opportunity(write)}/removeLinks`;
  await api.call({ method: 'POST', path, query: asUser(write), json: { links: [link] } });
}

async function opportunityOf(api: AtsApi, write: AtsWrite): Promise<RemoteObject> {
  const found = await leverRecord(api, opportunity(write));
  if (found === null) throw new AtsFailure('not_found', 'status_404', 'Lever has no such opportunity (any more).');
  return found;
}

/** Lever keeps a link as an address, or as an object with one. */
function linkIn(found: RemoteObject, marker: string): string | null {
  const links = listOf(found['links']).map((link) => textOf(objectOf(link)?.['url'] ?? link));
  return links.find((link) => link !== null && endsWith(link, marker)) ?? null;
}

/** The address of one meeting can be the beginning of another: the marker is the end of its link. */
function endsWith(link: string, marker: string): boolean {
  const normal = (text: string): string => (parsedUrl(text)?.href ?? text).replace(/\/$/, '');
  return normal(link).endsWith(normal(marker));
}

function holds(note: RemoteObject, marker: string): boolean {
  if (note['deletedAt'] !== null && note['deletedAt'] !== undefined) return false;
  return objectsIn(note['fields']).some(({ value }) => typeof value === 'string' && value.includes(marker));
}

function noteId(note: RemoteObject): string {
  const id = idOf(note['noteId']) ?? idOf(note['id']);
  if (id === null) throw unexpected(LEVER, 'id of the note');
  return id;
}

function opportunity({ candidateRemoteId }: AtsWrite): string {
  return `/opportunities/${part(candidateRemoteId)}`;
}

function notesOf(write: AtsWrite): string {
  return `${opportunity(write)}/notes`;
}

function asUser({ asUser: user }: AtsWrite): Readonly<Record<string, string>> {
  return user === null ? {} : { perform_as: user };
}
