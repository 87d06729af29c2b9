import { SamlRefused } from './saml-refused.js';
import { NS } from './names.js';
import type { RawTag } from './xml-tokens.js';
import type { NamespaceScope, XmlAttribute, XmlElement } from './xml-tree.js';

/** The namespaces that are in scope outside of a document. */
export const OUTERMOST: NamespaceScope = { own: new Map([['xml', NS.xml]]), outer: null };

/**
 * Returns the namespaces in scope within a tag (Namespaces in XML 1.0 §3, §6).
 *
 * @throws {SamlRefused} `message_malformed`
 */
export function scopeOf(tag: RawTag, outer: NamespaceScope): NamespaceScope {
  if (tag.attributes.length === 0) return outer;
  const own = new Map<string, string>();
  for (const one of tag.attributes) {
    if (one.prefix !== 'xmlns' && one.qualified !== 'xmlns') continue;
    const prefix = one.qualified === 'xmlns' ? '' : one.name;
    const reserved = prefix === 'xmlns' || one.value === NS.xmlns || (prefix === 'xml') !== (one.value === NS.xml);
    if (reserved || (prefix !== '' && one.value === '')) throw malformed('it declares a namespace that may not be');
    own.set(prefix, one.value);
  }
  return own.size === 0 ? outer : { own, outer };
}

/**
 * Returns the attributes of a tag without its namespace declarations.
 *
 * @throws {SamlRefused} `message_malformed`
 */
export function attributesOf(tag: RawTag, scope: NamespaceScope): XmlAttribute[] {
  if (tag.attributes.length === 0) return [];
  const attributes: XmlAttribute[] = [];
  const seen = new Set<string>();
  for (const one of tag.attributes) {
    const declares = one.prefix === 'xmlns' || one.qualified === 'xmlns';
    const ns = declares ? NS.xmlns : resolve(scope, one.prefix, false);
    const key = `${declares ? one.qualified : one.name} ${ns}`;
    if (seen.has(key)) throw malformed('an element has an attribute twice');
    seen.add(key);
    if (!declares) attributes.push({ ns, name: one.name, value: one.value });
  }
  return attributes;
}

/**
 * Returns the namespace of a prefix. An attribute without a prefix has none; an element has the default one.
 *
 * @throws {SamlRefused} `message_malformed`
 */
export function resolve(from: NamespaceScope, prefix: string, element: boolean): string {
  if (prefix === '' && !element) return '';
  for (let scope: NamespaceScope | null = from; scope !== null; scope = scope.outer) {
    const ns = scope.own.get(prefix);
    if (ns !== undefined) return ns;
  }
  if (prefix === '') return '';
  throw malformed('a prefix has no namespace');
}

/**
 * Returns an element with a few of its children as a document: the text as read, with all namespaces in scope,
 * so that canonicalization gives the same octets as within the message.
 */
export function excerptOf(element: XmlElement, children: readonly XmlElement[]): string {
  const { document, scope, from } = element.place;
  const inForce = new Map<string, string>();
  for (let each: NamespaceScope | null = scope; each?.outer; each = each.outer) {
    for (const [prefix, ns] of each.own) if (!inForce.has(prefix)) inForce.set(prefix, ns);
  }
  const declared = [...inForce].map(
    ([prefix, ns]) => ` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escaped(ns)}"`,
  );
  const name = /[^<\t\n />]+/.exec(document.slice(from + 1, element.place.to))?.[0] ?? '';
  const inner = children.map(({ place }) => document.slice(place.from, place.to));
  return `<${name}${declared.join('')}>${inner.join('')}</${name}>`;
}

function escaped(value: string): string {
  return value.replace(/[&<"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function malformed(what: string): SamlRefused {
  return new SamlRefused('message_malformed', `The message cannot be read: ${what}.`);
}
