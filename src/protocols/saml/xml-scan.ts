import { trimEndOf } from '../../base/characters.js';
import { SamlRefused } from './saml-refused.js';
import { attributesOf, OUTERMOST, resolve, scopeOf } from './xml-namespaces.js';
import { readReferences, readTag, type RawTag } from './xml-tokens.js';
import { isBlank, type ElementPlace, type XmlElement } from './xml-tree.js';

/** The limits of an XML document, and whether comments are skipped or refused. */
export interface XmlLimits {
  readonly bytes: number;
  readonly elements: number;
  readonly depth: number;
  /** Of one element, and altogether; namespace declarations count. */
  readonly attributes: number;
  readonly allAttributes: number;
  /** Many parsers split text at a comment, so messages must not have any. */
  readonly comments: 'refuse' | 'skip';
}

export const MESSAGE_LIMITS: XmlLimits = {
  bytes: 192 * 1024,
  elements: 4000,
  depth: 50,
  attributes: 50,
  allAttributes: 6000,
  comments: 'refuse',
};

/**
 * Decodes base64 as a form carries it; only white space may stand between its characters.
 *
 * @throws {SamlRefused} `message_malformed`; `message_too_large` for more than `maxBytes`
 */
export function decodeBase64(text: string, maxBytes = MESSAGE_LIMITS.bytes): Buffer {
  // Line breaks add a thirtieth; twice the length bounds the work below.
  if (text.length > maxBytes * 2) throw tooLarge(`more than ${maxBytes} bytes`);
  const compact = text.replace(/[\t\n\r ]+/g, '');
  if (compact === '' || compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) {
    throw malformed('it is not base64');
  }
  const bytes = Buffer.from(compact, 'base64');
  if (bytes.length > maxBytes) throw tooLarge(`more than ${maxBytes} bytes`);
  return bytes;
}

/**
 * Decodes UTF-8 strictly.
 *
 * @throws {SamlRefused} `message_malformed`
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed('it is not UTF-8');
  }
}

/**
 * Reads a message that has a signature to verify. Refuses U+0085 and U+2028 as literal characters: the DOM of the
 * verifier would read them as line ends (XML 1.1). As references they are permitted.
 *
 * @throws {SamlRefused} as `scanXml`
 */
export function scanMessage(source: Uint8Array | string): XmlElement {
  const root = scanXml(source);
  if (/[\u0085\u2028]/.test(root.place.document)) throw malformed('it has line ends that are none in XML 1.0');
  return root;
}

/**
 * Reads XML 1.0 with namespaces into a tree, in one linear pass without recursion. Refuses what a SAML message never
 * needs: document types, processing instructions, CDATA, and comments unless the limits permit them. Text stays as
 * signed, apart from the line ends and attribute white space of XML 1.0 §2.11 and §3.3.3.
 *
 * @throws {SamlRefused} `message_malformed`, `message_too_large`, `dtd_refused`, `structure_refused`
 */
export function scanXml(source: Uint8Array | string, limits: XmlLimits = MESSAGE_LIMITS): XmlElement {
  const size = typeof source === 'string' ? Buffer.byteLength(source) : source.length;
  if (size > limits.bytes) throw tooLarge(`more than ${limits.bytes} bytes`);
  const text = typeof source === 'string' ? source : decodeUtf8(source);
  // Text has no unescaped "<", so this finds declarations alone.
  if (/<!(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)/i.test(text)) {
    throw new SamlRefused('dtd_refused', 'The XML has a document type declaration.');
  }
  // The production Char of XML 1.0 §2.2.
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text)) {
    throw malformed('it has characters that XML does not allow');
  }
  return new Scan(text.replace(/\r\n?/g, '\n'), limits).run();
}

interface OpenElement extends XmlElement {
  readonly qualified: string;
  readonly place: ElementPlace & { to: number };
  children: OpenElement[];
  parent: OpenElement | null;
  text: string;
}

class Scan {
  private at = 0;
  private elements = 0;
  private attributes = 0;
  private depth = 0;
  private root: OpenElement | null = null;
  private open: OpenElement | null = null;

  constructor(
    private readonly text: string,
    private readonly limits: XmlLimits,
  ) {}

  run(): XmlElement {
    this.declaration();
    while (this.at < this.text.length) {
      const next = this.text.indexOf('<', this.at);
      this.characters(this.text.slice(this.at, next === -1 ? this.text.length : next));
      if (next === -1) break;
      this.at = next;
      this.markup();
    }
    if (this.root === null || this.open !== null) throw malformed('an element is not closed');
    return this.root;
  }

  /** The XML declaration may stand only at the start, and may only name UTF-8. */
  private declaration(): void {
    if (!/^<\?xml[\t\n ]/.test(this.text)) return;
    const found =
      /^<\?xml[\t\n ]+version[\t\n ]*=[\t\n ]*(?:"1\.0"|'1\.0')(?:[\t\n ]+encoding[\t\n ]*=[\t\n ]*(?:"utf-8"|'utf-8'))?(?:[\t\n ]+standalone[\t\n ]*=[\t\n ]*(?:"(?:yes|no)"|'(?:yes|no)'))?[\t\n ]*\?>/i.exec(
        this.text,
      );
    if (found === null) throw malformed('its XML declaration is not that of XML 1.0 in UTF-8');
    this.at = found[0].length;
  }

  private characters(raw: string): void {
    if (raw === '') return;
    if (this.open === null) {
      if (!isBlank(raw)) throw malformed('there is text outside the root element');
      return;
    }
    if (raw.includes(']]>')) throw malformed('text contains "]]>"');
    this.open.text += readReferences(raw);
  }

  private markup(): void {
    if (this.text.startsWith('</', this.at)) return this.close();
    if (this.text.startsWith('<!--', this.at)) return this.comment();
    if (this.text.startsWith('<![CDATA[', this.at)) throw structure('a CDATA section');
    if (this.text.startsWith('<?', this.at)) throw structure('a processing instruction');
    const from = this.at;
    const tag = readTag(this.text, from, this.limits.attributes);
    this.at = tag.end;
    this.begin(tag, from);
    if (tag.empty) this.finish();
  }

  private comment(): void {
    if (this.limits.comments === 'refuse') throw structure('a comment');
    const end = this.text.indexOf('--', this.at + 4);
    if (end === -1 || this.text[end + 2] !== '>') throw malformed('a comment is not closed');
    this.at = end + 3;
  }

  private begin(tag: RawTag, from: number): void {
    if (this.open === null && this.root !== null) throw malformed('it has more than one root element');
    if (++this.elements > this.limits.elements) throw tooLarge(`more than ${this.limits.elements} elements`);
    this.attributes += tag.attributes.length;
    if (this.attributes > this.limits.allAttributes) {
      throw tooLarge(`more than ${this.limits.allAttributes} attributes`);
    }
    if (++this.depth > this.limits.depth) throw tooLarge(`more than ${this.limits.depth} levels`);
    const scope = scopeOf(tag, this.open?.place.scope ?? OUTERMOST);
    const element: OpenElement = {
      ns: resolve(scope, tag.prefix, true),
      name: tag.name,
      qualified: tag.qualified,
      attributes: attributesOf(tag, scope),
      children: [],
      parent: this.open,
      text: '',
      place: { document: this.text, scope, from, to: from },
    };
    if (this.open === null) this.root = element;
    else this.open.children.push(element);
    this.open = element;
  }

  private close(): void {
    const end = this.text.indexOf('>', this.at);
    const name = trimEndOf(this.text.slice(this.at + 2, end === -1 ? this.at + 2 : end), '\t\n ');
    if (this.open === null || name !== this.open.qualified) throw malformed('its tags do not match');
    this.at = end + 1;
    this.finish();
  }

  private finish(): void {
    const element = this.open as OpenElement;
    element.place.to = this.at;
    this.depth--;
    this.open = element.parent;
  }
}

function malformed(what: string): SamlRefused {
  return new SamlRefused('message_malformed', `The message cannot be read: ${what}.`);
}

function tooLarge(what: string): SamlRefused {
  return new SamlRefused('message_too_large', `The message is too large: ${what}.`);
}

function structure(what: string): SamlRefused {
  return new SamlRefused('structure_refused', `The XML holds ${what}, which no SAML message needs.`);
}
