import { isDeepStrictEqual } from 'node:util';
import { isLongerThan } from '../../base/characters.js';
import { MAX_EXTERNAL_ID, isTidy } from '../../base/http/fields.js';
import { hasMember, jsonMemberText, jsonMembers } from '../../base/json-text.js';
import type { Metadata, CandidateChange, CandidateRow } from './candidate.js';

/** Bytes, as JSON in UTF-8. */
const MAX_METADATA_BYTES = 16 * 1024;

export const NO_METADATA: Metadata = { text: '{}', openingId: null, priority: null };

/** A member `__proto__` at any depth would change the prototype of the object in programs that copy it. */
export function metadataProblem(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be an object';
  return hasMember(value, '__proto__') ? 'must hold no member "__proto__"' : null;
}

export function metadataTextProblem(text: string): string | null {
  // No character has more than three bytes for each of its units.
  if (3 * text.length <= MAX_METADATA_BYTES) return null;
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_METADATA_BYTES ? `must have at most ${MAX_METADATA_BYTES} bytes, and has ${bytes}` : null;
}

export function readCandidateMetadata(text: string, value: object): Metadata {
  const { job_opening_id: opening, ats_priority: priority } = value as Record<string, unknown>;
  return {
    text,
    openingId: keyOf(typeof opening === 'number' ? wholeNumber(text) : opening),
    priority: keyOf(priority),
  };
}

/** Returns a whole number as written: parsing loses digits after the sixteenth (Zoho ids have eighteen). */
function wholeNumber(text: string): string | null {
  const written = jsonMemberText(text, 'job_opening_id');
  return written !== null && /^(0|[1-9]\d*)$/.test(written) ? written : null;
}

/** Returns a text that a filter can name and the database can store; other values stay in the metadata alone. */
function keyOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  return isTidy(value) && !isLongerThan(value, MAX_EXTERNAL_ID) ? value : null;
}

interface MergedMetadata {
  text: string;
  keys: readonly string[];
  /** The ATS sends all members: no other writer has set one. */
  isWhole: boolean;
}

/**
 * Returns metadata with the values of an ATS. Other members keep their text letter for letter; where nothing changes,
 * the whole text stays.
 *
 * @param text the metadata as stored
 * @param owned the keys that the ATS owns so far
 * @param values by key; null when the ATS has no such value: a key that it owned is removed
 */
export function mergedMetadata(
  text: string,
  owned: readonly string[],
  values: Readonly<Record<string, string | null>>,
): MergedMetadata {
  const fresh = freshMetadata(values);
  if (text === '{}') return fresh;
  // Most records of a list have not changed.
  if (text === fresh.text && sameNames(owned, fresh.keys)) return fresh;
  const before = jsonMembers(text);
  const keys = new Set(owned);
  const rest = new Map(Object.entries(values).filter(([name]) => name !== '__proto__'));
  let changed = false;
  const after: string[] = [];
  for (const { name, value, whole } of before) {
    const said = rest.get(name);
    rest.delete(name);
    if (said === undefined || (said === null && !keys.has(name))) {
      after.push(whole);
    } else if (said === null) {
      keys.delete(name);
      changed = true;
    } else {
      keys.add(name);
      const same = JSON.parse(value) === said;
      changed ||= !same;
      after.push(same ? whole : memberText(name, said));
    }
  }
  for (const [name, said] of rest) {
    if (said === null) {
      keys.delete(name);
      continue;
    }
    keys.add(name);
    changed = true;
    after.push(memberText(name, said));
  }
  return { text: changed ? `{${after.join(',')}}` : text, keys: [...keys].sort(), isWhole: false };
}

function freshMetadata(values: Readonly<Record<string, string | null>>): MergedMetadata {
  const said: Record<string, string> = {};
  for (const name of Object.keys(values)) {
    const value = values[name];
    if (typeof value === 'string' && name !== '__proto__') said[name] = value;
  }
  return { text: JSON.stringify(said), keys: Object.keys(said).sort(), isWhole: true };
}

/**
 * Returns metadata that a caller sent for a record of an ATS: keys of the ATS that were left out are added.
 *
 * @param before the metadata as stored
 * @param owned the keys that the ATS owns
 * @returns with the keys of the ATS whose value the caller would change
 */
export function withOwnedKeys(
  before: string,
  owned: readonly string[],
  sent: Metadata,
): { metadata: Metadata; wrong: string[] } {
  const stored = jsonMembers(before).filter(({ name }) => owned.includes(name));
  const members = jsonMembers(sent.text);
  const byName = new Map(members.map((member) => [member.name, member.value]));
  const wrong = owned.filter((name) => {
    const value = byName.get(name);
    const held = stored.find((member) => member.name === name)?.value;
    return value !== undefined && (held === undefined || !isDeepStrictEqual(JSON.parse(value), JSON.parse(held)));
  });
  const missing = stored.filter(({ name }) => !byName.has(name));
  if (missing.length === 0) return { metadata: sent, wrong };
  const text = `{${[...members, ...missing].map(({ whole }) => whole).join(',')}}`;
  return { metadata: readCandidateMetadata(text, JSON.parse(text) as object), wrong };
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, place) => name === other[place]);
}

function memberText(name: string, value: string): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

/** The fields that the ATS owns of a candidate that it brought; of the metadata it owns keys. */
const OWNED = ['first_name', 'last_name', 'email', 'external_id', 'job_title'] as const;

interface ManagedChange {
  /** The change with the keys of the ATS that the caller left out. */
  change: CandidateChange;
  /** What the caller would change of the ATS, such as `email` and `metadata.ats`. */
  wrong: string[];
}

/** Returns a change of a candidate that an ATS manages. A value that is sent back unchanged is no change. */
export function managedChange(before: CandidateRow, change: CandidateChange): ManagedChange {
  const wrong: string[] = OWNED.filter((name) => change[name] !== undefined && change[name] !== before[name]);
  if (change.metadata === undefined) return { change, wrong };
  const kept = withOwnedKeys(before.metadata, before.ats_keys ?? [], change.metadata);
  return {
    change: { ...change, metadata: kept.metadata },
    wrong: [...wrong, ...kept.wrong.map((name) => `metadata.${name}`)],
  };
}
