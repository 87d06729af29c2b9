const REMOVED = '(removed)';

/** Names of attributes whose values are secrets. */
const SECRET = /passw|secret|token|credential|authorization|api.?key|private.?key/i;

/** A name that is written with escapes is not seen by the expression above. */
const ESCAPE = '\\u';

/** Returns the JSON of a body without the values of secrets; their names stay. */
export function storedBody(text: string): string {
  if (!SECRET.test(text) && !text.includes(ESCAPE)) return text;
  return JSON.stringify(withoutSecrets(JSON.parse(text)));
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  // An operation of a PATCH names the attribute in its path (RFC 7644 §3.5.2).
  const isSecret = entries.some(
    ([name, path]) => /^path$/i.test(name) && typeof path === 'string' && SECRET.test(path),
  );
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      const isValue = isSecret && /^value$/i.test(name);
      return [name, isValue || SECRET.test(name) ? REMOVED : withoutSecrets(inner)];
    }),
  );
}
