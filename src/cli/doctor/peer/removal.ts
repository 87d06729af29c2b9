import { setTimeout as sleep } from 'node:timers/promises';
import { recordId, listedRecords, valueAt, type Answer } from '../forms/answer.js';
import { NoAnswer } from './http-call.js';
import type { MadeRecord, ScimService } from './scim-service.js';

const ATTEMPTS = 3;
const PAUSE_MS = 500;
const OF_REMOVAL = { isRemoval: true };

/**
 * Deletes all that a run has made, groups first. A record whose id is not known is looked up by its name, which no other record has.
 *
 * @returns the records that are left, or may be
 */
export async function removeMade(service: ScimService): Promise<MadeRecord[]> {
  const left: MadeRecord[] = [];
  const groupsFirst = [...service.made].sort((a, b) => a.type.localeCompare(b.type));
  const firsts = groupsFirst.filter((one, place) => groupsFirst.findIndex((other) => isSame(one, other)) === place);
  for (const first of firsts) {
    const records = service.made.filter((other) => isSame(first, other));
    const ids = new Set(records.flatMap(({ id }) => id ?? []));
    if (records.some(({ id }) => id === undefined)) {
      const looked = await lookUp(service, first);
      for (const id of looked ?? []) ids.add(id);
      if (looked === null && records.some(({ id, isRefused }) => id === undefined && !isRefused))
        left.push({ ...first, id: undefined });
    }
    for (const id of ids) if (!(await remove(service, first, id))) left.push({ ...first, id });
  }
  return left;
}

/** Records of one name: made again after a deletion, or refused as a duplicate. */
function isSame(one: MadeRecord, other: MadeRecord): boolean {
  return one.type === other.type && one.name === other.name;
}

/** Returns the ids of the records of this name; null: that cannot be known. */
async function lookUp(service: ScimService, { type, name }: MadeRecord): Promise<string[] | null> {
  const attribute = type === 'User' ? 'userName' : 'displayName';
  const query = encodeURIComponent(`${attribute} eq ${JSON.stringify(name)}`);
  const answer = await answered(() => service.get(`/${type}s?filter=${query}`, OF_REMOVAL));
  if (answer?.status !== 200) return null;
  // A service that ignores the filter answers with other records.
  return listedRecords(answer)
    .filter((record) => String(record[attribute]).toLowerCase() === name.toLowerCase())
    .flatMap(({ id }) => (typeof id === 'string' ? id : []));
}

async function remove(service: ScimService, { type }: MadeRecord, id: string): Promise<boolean> {
  const path = `/${type}s/${encodeURIComponent(id)}`;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await answered(() => service.send('DELETE', path, undefined, OF_REMOVAL));
    const after = await answered(() => service.get(path, OF_REMOVAL));
    if (after !== null && isGone(after)) return true;
    await sleep(PAUSE_MS);
  }
  return false;
}

function isGone(answer: Answer): boolean {
  return (
    answer.status === 404 ||
    (answer.status === 200 && recordId(answer) === undefined && valueAt(answer.body, 'totalResults') === 0)
  );
}

async function answered(call: () => Promise<Answer>): Promise<Answer | null> {
  return call().catch((error: unknown) => {
    if (error instanceof NoAnswer) return null;
    throw error;
  });
}
