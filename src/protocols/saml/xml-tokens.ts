import { SamlRefused } from './saml-refused.js';

/** An attribute as written, with the references in its value replaced. */
interface RawAttribute {
  readonly qualified: string;
  readonly prefix: string;
  readonly name: string;
  readonly value: string;
}

/** A start tag, and where it ends. */
export interface RawTag {
  readonly qualified: string;
  readonly prefix: string;
  readonly name: string;
  readonly attributes: readonly RawAttribute[];
  readonly empty: boolean;
  readonly end: number;
}

const START =
  'A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D' +
  '\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}';
/** A name without a colon (XML 1.0 §2.3, Namespaces in XML 1.0 §3). */
const NC_NAME = `[${START}][${START}\\-.0-9\\u00B7\\u0300-\\u036F\\u203F\\u2040]*`;
// Sticky: tried at one place, without searching ahead, so that reading stays linear.
const Q_NAME = new RegExp(`(?:(${NC_NAME}):)?(${NC_NAME})`, 'uy');
/** The same for ASCII names, which are nearly all, and several times as fast. */
const PLAIN_NAME = /(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)(?=[\t\n =/>])/y;
const EQUALS = /[\t\n ]*=[\t\n ]*(["'])/y;
const SPACE = /[\t\n ]+/y;

const PREDEFINED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * Reads the start tag at `at`, the place of a "<".
 *
 * @throws {SamlRefused} `message_malformed`; `message_too_large` with more than `maxAttributes`
 */
export function readTag(text: string, at: number, maxAttributes: number): RawTag {
  const element = readName(text, at + 1);
  const attributes: RawAttribute[] = [];
  let here = element.end;
  for (;;) {
    const spaced = skipSpace(text, here);
    const empty = text[spaced] === '/';
    if (text[empty ? spaced + 1 : spaced] === '>') {
      // Field by field: spreading these objects would take nine tenths of the time of a scan.
      const { qualified, prefix, name } = element;
      return { qualified, prefix, name, attributes, empty, end: spaced + (empty ? 2 : 1) };
    }
    if (spaced === here) throw malformed('a tag is broken');
    const name = readName(text, spaced);
    EQUALS.lastIndex = name.end;
    const quote = EQUALS.exec(text)?.[1];
    if (quote === undefined) throw malformed('an attribute has no value');
    const from = EQUALS.lastIndex;
    const to = text.indexOf(quote, from);
    if (to === -1) throw malformed('an attribute is not closed');
    const raw = text.slice(from, to);
    if (raw.includes('<')) throw malformed('an attribute contains "<"');
    // Literal white space becomes spaces before references are replaced (XML 1.0 §3.3.3).
    const value = readReferences(raw.replace(/[\t\n]/g, ' '));
    attributes.push({ qualified: name.qualified, prefix: name.prefix, name: name.name, value });
    if (attributes.length > maxAttributes) {
      throw new SamlRefused(
        'message_too_large',
        `The message is too large: more than ${maxAttributes} attributes in an element.`,
      );
    }
    here = to + 1;
  }
}

/**
 * Replaces character references and the five predefined entities. Without a document type there are no others.
 *
 * @throws {SamlRefused} `message_malformed`
 */
export function readReferences(raw: string): string {
  if (!raw.includes('&')) return raw;
  const replaced = raw.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]{2,4}));|&/g, (_all, dec, hex, name) => {
    if (typeof name === 'string') {
      const character = PREDEFINED.get(name);
      if (character !== undefined) return character;
    } else if (typeof dec === 'string') {
      return characterOf(Number.parseInt(dec, 10));
    } else if (typeof hex === 'string') {
      return characterOf(Number.parseInt(hex, 16));
    }
    throw malformed('it refers to an entity that does not exist');
  });
  return replaced;
}

/**
 * Returns a character of the production Char (XML 1.0 §2.2). Half of a surrogate pair is refused: in UTF-8 it would
 * become U+FFFD, and different names would become equal.
 */
function characterOf(code: number): string {
  const allowed =
    code === 0x9 ||
    code === 0xa ||
    code === 0xd ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff);
  if (!allowed) throw malformed('it refers to a character that XML does not allow');
  return String.fromCodePoint(code);
}

function readName(text: string, at: number): { qualified: string; prefix: string; name: string; end: number } {
  PLAIN_NAME.lastIndex = at;
  Q_NAME.lastIndex = at;
  const found = PLAIN_NAME.exec(text) ?? Q_NAME.exec(text);
  if (found === null) throw malformed('a name is expected');
  const end = at + found[0].length;
  if (text[end] === ':') throw malformed('a name has too many colons');
  return { qualified: found[0], prefix: found[1] ?? '', name: found[2] as string, end };
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  return SPACE.test(text) ? SPACE.lastIndex : at;
}

function malformed(what: string): SamlRefused {
  return new SamlRefused('message_malformed', `The message cannot be read: ${what}.`);
}
