// What a broken or hostile client makes of a request.

const LONG = 'x'.repeat(20_000);
const deep = (depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
const ODD = [
  null,
  '',
  ' ',
  0,
  -1,
  1.5,
  2 ** 53,
  -(2 ** 63),
  1e308,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  [{}],
  { value: null },
  { value: { value: [] } },
  'True',
  'false',
  'null',
  'undefined',
  'NaN',
  '\u0000',
  'a\u0000b',
  '\ud83d',
  '\udc00x',
  '\u202eabc',
  '\u200b',
  'İıſK',
  'Zoe\u0308'.repeat(20),
  '\u0301'.repeat(3_000),
  LONG,
  "' or 1=1 --",
  '$1',
  '%00',
  '../../etc/passwd',
  '${7*7}',
  '=1+1',
  'bulkId:x',
  'bulkId:',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-12:00',
  '2024-02-30T00:00:00Z',
  'usr_01m00000000000000000000000',
  'usr_',
  deep(20),
  deep(40),
  { __proto__x: 1, constructor: 1 },
  Array.from({ length: 50 }, (_, i) => ({ value: `v${i}`, primary: true })),
];
const KEYS = [
  'id',
  'schemas',
  'meta',
  '__proto__',
  'constructor',
  'value',
  'Value',
  'active',
  'userName',
  'USERNAME',
  'x',
  '',
];
const FILTERS = [
  'userName eq "a"',
  'userName pr',
  'emails[type eq "work" and value co "@"]',
  'not (active eq true)',
  'meta.lastModified gt "2020-01-01T00:00:00Z"',
  'groups.display co "G"',
  'name.familyName sw "F" or displayName ew "e"',
  'externalId ne null',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value eq "x"',
  'members.value eq "usr_x"',
  'phoneNumbers[value pr]',
  'active eq "True"',
];
const TOKENS = [
  'eq',
  'ne',
  'co',
  'gt',
  'pr',
  'and',
  'or',
  'not',
  '(',
  ')',
  '[',
  ']',
  '"',
  '"x"',
  'null',
  'true',
  '1',
  '-1e9',
  'emails',
  'value',
  'a.b.c',
  'urn:x:',
  '\\',
  '\u0000',
  ' ',
  '$1',
  "'",
];
const HEADERS = [
  ['if-match', 'W/"1"'],
  ['if-match', '*'],
  ['if-match', '"'],
  ['if-none-match', '*'],
  ['accept', 'application/json'],
  ['accept', 'text/html'],
  ['accept', '*/*;q=0'],
  ['accept-encoding', 'gzip'],
  ['content-type', 'application/json'],
  ['content-type', 'text/plain'],
  ['content-type', 'application/scim+json; charset=utf-8'],
  ['content-type', 'application/json; charset=latin1'],
  ['content-encoding', 'gzip'],
  ['idempotency-key', 'k1'],
  ['idempotency-key', ''],
  ['authorization', 'Bearer'],
  ['authorization', 'Bearer Bearer x'],
  ['authorization', 'Basic eDp5'],
  ['x-request-id', '\u00e9'],
];

/** Every place in a JSON value: the holder and the key. */
function places(value, found = []) {
  if (value === null || typeof value !== 'object') return found;
  for (const key of Object.keys(value)) {
    found.push([value, key]);
    places(value[key], found);
  }
  return found;
}

function mutateBody(random, body) {
  const copy = structuredClone(body);
  const all = places(copy);
  if (all.length === 0) return copy;
  for (let i = 1 + random.below(3); i > 0; i--) {
    const [holder, key] = random.of(all);
    switch (random.below(5)) {
      case 0:
        if (Array.isArray(holder)) holder.splice(Number(key), 1);
        else delete holder[key];
        break;
      case 1:
        Object.defineProperty(holder, Array.isArray(holder) ? holder.length : random.of(KEYS), {
          value: random.of(ODD),
          enumerable: true,
          configurable: true,
          writable: true,
        });
        break;
      case 2:
        if (!Array.isArray(holder)) holder[key.toUpperCase()] = holder[key];
        break;
      default:
        holder[key] = random.of(ODD);
    }
  }
  return copy;
}

function formOf(fields) {
  const pairs = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : `${JSON.stringify(value)}`,
  ]);
  return new URLSearchParams(pairs).toString();
}

/** The text of a body, which may be no JSON any more. */
function mutateText(random, text) {
  switch (random.below(6)) {
    case 0:
      return text.slice(0, random.below(text.length + 1));
    case 1: {
      const at = random.below(text.length + 1);
      return text.slice(0, at) + random.of(['"', '{', '}', ',', '\\', '\u0000', '\ufeff', '𐀀', ':']) + text.slice(at);
    }
    case 2:
      return text.replace('{', '{"userName":"twice",');
    default:
      return text;
  }
}

function mutateQuery(random, query) {
  const copy = { ...query };
  const names = [
    'filter',
    'startIndex',
    'count',
    'sortBy',
    'sortOrder',
    'attributes',
    'excludedAttributes',
    'cursor',
    'limit',
    'since',
    'q',
    'x',
  ];
  for (let i = 1 + random.below(2); i > 0; i--) {
    const name = random.chance(0.6) && Object.keys(copy).length > 0 ? random.of(Object.keys(copy)) : random.of(names);
    if (random.chance(0.15)) delete copy[name];
    else if (name === 'filter') copy.filter = mutateFilter(random);
    else
      copy[name] = random.of([
        '',
        '0',
        '-1',
        '1',
        '7',
        '99999999999999999999',
        '1.5',
        'x',
        'userName',
        'id',
        'name.familyName',
        'meta',
        'emails.value',
        'a,b,c',
        'descending',
        '\u0000',
        'eyJhIjoxfQ',
        '2020-01-01',
        '9999-12-31T23:59:59-12:00',
        'é'.repeat(300),
        "'",
      ]);
  }
  return copy;
}

function mutateFilter(random) {
  let text = random.of(FILTERS);
  for (let i = random.below(4); i > 0; i--) {
    const at = random.below(text.length + 1);
    const cut = random.chance(0.4) ? random.below(6) : 0;
    text = `${text.slice(0, at)} ${random.of(TOKENS)} ${text.slice(at + cut)}`;
  }
  return text;
}

function mutatePath(random, path) {
  const parts = path.split('/');
  const at = 1 + random.below(Math.max(1, parts.length - 1));
  switch (random.below(4)) {
    case 0:
      parts[at] = random.of([
        '%00',
        '%ff',
        '%2e%2e',
        '.',
        'x'.repeat(3_000),
        'usr_x',
        'Users',
        '.search',
        '%E2%80%8B',
        "'",
      ]);
      break;
    case 1:
      parts.splice(at, 0, '');
      break;
    case 2:
      parts[at] = (parts[at] ?? '').toUpperCase();
      break;
    default:
      parts.push(random.of(['', 'x', 'history', '..']));
  }
  return parts.join('/');
}

/**
 * A request with one to three things wrong with it, or, one time in ten, unchanged.
 *
 * @param request `{ method, path, query, body or form, headers }`
 * @returns the same with the body as text
 */
export function mutated(random, { method, path, query = {}, body: json, form, headers = {} }) {
  const body = json ?? form;
  const textOf = form === undefined ? JSON.stringify : formOf;
  const made = {
    method,
    path,
    query,
    headers: { ...headers },
    text: body === undefined ? undefined : textOf(body),
  };
  if (random.chance(0.1)) return made;
  for (let i = 1 + random.below(2); i > 0; i--) {
    const what = random.next();
    if (what < 0.55 && body !== undefined) made.text = textOf(mutateBody(random, body));
    else if (what < 0.65 && made.text !== undefined) made.text = mutateText(random, made.text);
    else if (what < 0.85 && (method === 'GET' || random.chance(0.3))) made.query = mutateQuery(random, query);
    else if (what < 0.92) made.path = mutatePath(random, made.path);
    else if (what < 0.97) made.headers = { ...made.headers, ...Object.fromEntries([random.of(HEADERS)]) };
    else made.method = random.of(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
  }
  return made;
}
