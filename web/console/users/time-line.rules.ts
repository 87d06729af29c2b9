import type { text } from '../../text/text.js';

/** An entry of the history of a user; its other fields depend on `kind`. */
export interface Entry {
  id: string;
  at: string;
  kind: keyof typeof text.users.one.kinds;
  /** What happened, in the words that the command line has too. */
  words: string;
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

const OWN = new Set(['id', 'at', 'kind', 'words', 'cause']);
const words = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : JSON.stringify(value);
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
    sentence: entry.words,
    cause: cause?.words ?? null,
    facts: Object.entries(entry).flatMap(([name, value]): [string, string][] =>
      OWN.has(name) || value == null ? [] : [[name, words(value)]],
    ),
  };
}
