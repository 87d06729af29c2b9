import { NotJson, parseLossless } from '../../../base/json-text.js';

const MAX_FIELDS = 256;
/** Headers that carry a credential, or say how the request travelled. */
const DROPPED = /^(authorization|cookie|x-api-token|proxy-.*|connection|host|x-forwarded-.*|forwarded|via|x-real-ip)$/;
const MAX_HEADERS_BYTES = 4_096;

/** A body, or why it cannot be read. */
export type ReadBody = { body: unknown; fault: null } | { body: undefined; fault: string };

/** Reads a body as JSON, or as a form. Whole numbers of more than 15 digits become text: they are ids. */
export function readInboundBody(raw: Buffer, contentType: string, encoding: string | undefined): ReadBody {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return { body: undefined, fault: 'The body is compressed.' };
  }
  if (contentType.toLowerCase().includes('x-www-form-urlencoded')) return readForm(raw);
  try {
    return { body: parseLossless(raw), fault: null };
  } catch (error) {
    if (error instanceof NotJson) return { body: undefined, fault: error.message };
    throw error;
  }
}

/** Returns the headers that are kept beside the body: none that holds the token, wherever a proxy has put it. */
export function keptHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  token: string,
): Record<string, string> {
  const kept: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || DROPPED.test(name) || holds(value, token)) continue;
    bytes += name.length + value.length;
    if (bytes > MAX_HEADERS_BYTES) break;
    kept[name] = value;
  }
  return kept;
}

function holds(value: string, token: string): boolean {
  return value.includes(token) || value.includes(encodeURIComponent(token));
}

function readForm(raw: Buffer): ReadBody {
  const text = raw.toString('utf8');
  const pairs = text.split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) return { body: undefined, fault: `The form has more than ${MAX_FIELDS} fields.` };
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(text)) fields[name] ??= value;
  return { body: { ...fields }, fault: null };
}
