import { isLongerThan } from '../../base/characters.js';
import { MAX_EXTERNAL_ID, isTidy } from '../../base/http/fields.js';
import { hasMember, jsonMemberText } from '../../base/json-text.js';
import type { Metadata } from './candidate.js';

/** The most bytes of metadata, as JSON in UTF-8. */
const MAX_METADATA_BYTES = 16 * 1024;

/** The metadata of a candidate without any. */
export const NO_METADATA: Metadata = { text: '{}', openingId: null, priority: null };

/**
 * Returns what is wrong with parsed metadata, or null. A member `__proto__` would change the prototype of the
 * object in programs that copy it, wherever it stands.
 */
export function metadataProblem(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be an object';
  return hasMember(value, '__proto__') ? 'must hold no member "__proto__"' : null;
}

/** Returns what is wrong with the text of metadata, or null. */
export function metadataTextProblem(text: string): string | null {
  // No character has more than three bytes for each of its units.
  if (3 * text.length <= MAX_METADATA_BYTES) return null;
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_METADATA_BYTES ? `must have at most ${MAX_METADATA_BYTES} bytes, and has ${bytes}` : null;
}

/** Returns metadata with what is read from it. */
export function readCandidateMetadata(text: string, value: object): Metadata {
  const { job_opening_id: opening, ats_priority: priority } = value as Record<string, unknown>;
  return {
    text,
    openingId: keyOf(typeof opening === 'number' ? wholeNumber(text) : opening),
    priority: keyOf(priority),
  };
}

/** Returns a whole number as written: digits after the sixteenth are lost when it is parsed (Zoho ids have eighteen). */
function wholeNumber(text: string): string | null {
  const written = jsonMemberText(text, 'job_opening_id');
  return written !== null && /^(0|[1-9]\d*)$/.test(written) ? written : null;
}

/** A text that a filter can name, and the database can store; other values are kept in the metadata alone. */
function keyOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  return isTidy(value) && !isLongerThan(value, MAX_EXTERNAL_ID) ? value : null;
}
