import { trimOf } from '../../base/characters.js';

/** An attribute with its namespace resolved; `ns` is empty for one without a prefix. */
export interface XmlAttribute {
  readonly ns: string;
  readonly name: string;
  readonly value: string;
}

/** The prefixes that an element declares, and the scope around it. */
export interface NamespaceScope {
  readonly own: ReadonlyMap<string, string>;
  readonly outer: NamespaceScope | null;
}

/** The place of an element in the text; `to` is behind its end tag. */
export interface ElementPlace {
  readonly document: string;
  readonly scope: NamespaceScope;
  readonly from: number;
  readonly to: number;
}

/** An element as read by `scanXml`: namespaces resolved, references replaced, nothing trimmed. */
export interface XmlElement {
  readonly ns: string;
  /** The local name. */
  readonly name: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  readonly parent: XmlElement | null;
  /** All text that is directly in it, joined. */
  readonly text: string;
  readonly place: ElementPlace;
}

/** Whether an element has this namespace and local name, with any prefix. */
export function is(element: XmlElement, ns: string, name: string): boolean {
  return element.name === name && element.ns === ns;
}

/** Returns the direct children of that name, in order. */
export function childrenOf(element: XmlElement, ns: string, name: string): XmlElement[] {
  return element.children.filter((child) => is(child, ns, name));
}

/** Returns the value of an attribute without a namespace; null: there is none. */
export function attributeOf(element: XmlElement, name: string): string | null {
  return element.attributes.find((one) => one.name === name && one.ns === '')?.value ?? null;
}

/** Walks an element and its descendants in document order, without recursion. */
export function* everyElement(root: XmlElement): Generator<XmlElement> {
  const open: XmlElement[] = [root];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    yield element;
    for (let i = element.children.length - 1; i >= 0; i--) open.push(element.children[i] as XmlElement);
  }
}

/** Whether a text is white space as XML defines it. */
export function isBlank(text: string): boolean {
  return /^[\t\n\r ]*$/.test(text);
}

/**
 * Collapses white space, as the type `xs:anyURI` of an Issuer or Audience demands (XML Schema 2 §4.3.6): pretty-printed
 * messages have line ends there. Blanks of other alphabets stay.
 */
export function collapsed(text: string): string {
  return trimOf(text, ' \t\r\n').replace(/[\t\n\r ]+/g, ' ');
}
