const MOST_HEADERS = 10;
const MOST_BYTES = 4 * 1024;

/** A name of RFC 9110 §5.1. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Visible ASCII and blanks: no control characters, and no byte that depends on an encoding. */
const VALUE = /^[\x20-\x7e]*$/;

/** Headers that this service sets, and those of the connection (RFC 9110 §7.6.1). */
const OURS = new Set([
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
  'accept-encoding',
  'user-agent',
  'cookie',
  '__proto__',
]);
const OUR_PREFIXES = ['content-', 'webhook-', 'proxy-'];

/** Returns why a value cannot be the headers of an endpoint, or null. */
export function headersProblem(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be an object of texts';
  const entries = Object.entries(value);
  if (entries.length > MOST_HEADERS) return `must have at most ${MOST_HEADERS} headers`;
  const names = new Set<string>();
  let bytes = 0;
  for (const [name, text] of entries) {
    const lower = name.toLowerCase();
    if (!NAME.test(name)) return 'must have names of letters, digits and hyphens';
    if (OURS.has(lower) || OUR_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
      return `must not set ${lower}`;
    }
    if (typeof text !== 'string' || !VALUE.test(text)) return `must have visible ASCII text as the value of ${lower}`;
    if (names.has(lower)) return `must name ${lower} once`;
    names.add(lower);
    bytes += name.length + text.length;
  }
  return bytes > MOST_BYTES ? `must have at most ${MOST_BYTES} bytes together` : null;
}

export function headersOf(value: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name.toLowerCase(), text.trim()]));
}

/** Shorter values occur in any text. */
const TELLING = 6;

/** Returns a text without the values of an endpoint's own headers, which can be credentials. */
export function withoutHeaders(text: string | null, headers: Readonly<Record<string, string>>): string | null {
  if (text === null) return null;
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(' ')]);
  return values
    .filter((value) => value.length >= TELLING)
    .sort((a, b) => b.length - a.length)
    .reduce((shown, value) => shown.replaceAll(value, '[header]'), text);
}
