import type { text } from '../../text/text.js';

/** An entry of the history of a user; its other fields depend on `kind`. */
export interface Entry {
  id: string;
  at: string;
  kind: keyof typeof text.users.one.kinds;
  [field: string]: unknown;
}

/** An entry in words. */
export interface Line {
  tone: 'good' | 'attention' | 'problem' | 'neutral';
  sentence: string;
  cause: string | null;
  /** What else is known of it, as names and values. */
  facts: [name: string, value: string][];
}

const OWN = new Set(['id', 'at', 'kind', 'cause']);
const words = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : JSON.stringify(value);
const parts = (...values: unknown[]): string =>
  values
    .filter((value) => value != null && value !== '')
    .map(words)
    .join(' ');

function sentenceOf(entry: Entry): string {
  const of = (field: string): unknown => entry[field];
  const changed = Array.isArray(of('changed')) ? (of('changed') as string[]).join(', ') : '';
  switch (entry.kind) {
    case 'request':
      return parts(of('method'), of('path'), of('status'), of('outcome'), of('detail'));
    case 'change':
      return parts(of('event'), changed === '' ? null : `(${changed})`);
    case 'delivery':
      return parts(of('method'), of('path'), of('status'), of('outcome'), of('detail'));
    case 'seat':
      return parts(of('event'), of('role'), of('reason'));
    case 'held':
      return parts(of('event'), of('reason'));
    case 'linked':
      return parts('by', of('by'));
    case 'sign_in':
      return parts(of('event'), of('outcome'), of('reason'), of('connection'));
    case 'session':
      return parts(of('connection'), of('ip'), of('end_reason'));
    case 'binding':
      return parts(of('connection'), of('subject'), of('end_reason'));
    case 'audit':
      return parts(of('event'));
    case 'removed':
      return parts(of('user_name'));
  }
}

function toneOf(entry: Entry): Line['tone'] {
  const status = typeof entry['status'] === 'number' ? entry['status'] : null;
  switch (entry.kind) {
    case 'request':
      return status !== null && status >= 400 ? 'problem' : 'good';
    case 'delivery':
      return entry['outcome'] === 'delivered' ? 'good' : 'problem';
    case 'sign_in':
      return entry['outcome'] === 'success' ? 'good' : 'problem';
    case 'held':
      return entry['event'] === 'held' ? 'attention' : 'neutral';
    default:
      return 'neutral';
  }
}

/** Returns an entry of a history in words. */
export function lineOf(entry: Entry): Line {
  const cause = entry['cause'] as { words?: string } | null | undefined;
  return {
    tone: toneOf(entry),
    sentence: sentenceOf(entry),
    cause: cause?.words ?? null,
    facts: Object.entries(entry).flatMap(([name, value]): [string, string][] =>
      OWN.has(name) || value == null ? [] : [[name, words(value)]],
    ),
  };
}
