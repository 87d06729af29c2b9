import { isDeepStrictEqual } from 'node:util';
import { jsonMembers } from '../../base/json-text.js';
import type { Metadata } from './candidate.js';
import { readCandidateMetadata } from './metadata.rules.js';

/** Metadata after a write, and the keys that the ATS owns from then on. */
export interface MergedMetadata {
  text: string;
  keys: readonly string[];
  /** The ATS sends all of it: no other writer has set a member. */
  isWhole: boolean;
}

/**
 * Returns metadata with the values of an ATS. Other members keep their text letter for letter; where nothing changes, the
 * whole text stays.
 *
 * @param text the metadata as it is stored
 * @param owned the keys that the ATS owns so far
 * @param values what the ATS says by key; null: it has no such value, and a key that it owned goes
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
 * @param before the metadata as it is stored
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
