import { SignInRefused } from '../sign-in-refused.js';
import { NS } from './names.js';
import { attributeOf, childrenOf, is, type XmlElement } from './xml-tree.js';

/** Names that an object would take for something else than a field. */
const NOT_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/** More than any directory sends; beyond them is no sign-in. */
const MAX_ATTRIBUTES = 500;
const MAX_NAME = 1024;
const MAX_VALUE_BYTES = 16 * 1024;

/** Attributes as claims. */
export interface SamlClaims {
  /** Without a prototype. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The claims that came by a FriendlyName alone. */
  readonly unsureNames: ReadonlySet<string>;
}

/**
 * SAML attributes as claims: by `Name`, and by `FriendlyName` where no attribute has that as its name. One value is a
 * string, several are a list; an attribute that comes twice has the values of both. A value is the text of its element,
 * or of the one NameID in it, letter by letter; other structures are passed over.
 *
 * A FriendlyName is there for people to read and identifies nothing (Core §2.7.3.1): it will do for a name or an e-mail
 * address to show, and whatever decides who somebody is must not be taken from `unsureNames`.
 *
 * In: the AttributeStatements of a verified assertion.
 *
 * @throws SignInRefused claims_invalid for a name that JavaScript reserves, for too many attributes and too long ones
 */
export function readClaims(statements: readonly XmlElement[]): SamlClaims {
  const named = new Map<string, string[]>();
  const friendly = new Map<string, string[]>();
  const attributes = statements.flatMap((statement) => childrenOf(statement, NS.assertion, 'Attribute'));
  if (attributes.length > MAX_ATTRIBUTES) throw invalid(`There are more than ${MAX_ATTRIBUTES} attributes.`);
  for (const attribute of attributes) {
    const values = childrenOf(attribute, NS.assertion, 'AttributeValue')
      .map(valueOf)
      .filter((value) => value !== null);
    collect(named, attributeOf(attribute, 'Name'), values);
    collect(friendly, attributeOf(attribute, 'FriendlyName'), values);
  }
  const claims = Object.create(null) as Record<string, unknown>;
  for (const [name, values] of [...friendly, ...named]) claims[name] = values.length === 1 ? values[0] : values;
  return { claims, unsureNames: new Set([...friendly.keys()].filter((name) => !named.has(name))) };
}

function collect(into: Map<string, string[]>, name: string | null, values: readonly string[]): void {
  if (name === null || name === '' || values.length === 0) return;
  if (NOT_NAMES.has(name)) throw invalid(`An attribute must not be called ${name}.`);
  if (name.length > MAX_NAME) throw invalid(`The name of an attribute has more than ${MAX_NAME} characters.`);
  if (values.some((value) => Buffer.byteLength(value) > MAX_VALUE_BYTES)) {
    throw invalid(`An attribute has a value of more than ${MAX_VALUE_BYTES} bytes.`);
  }
  const known = into.get(name);
  if (known === undefined) into.set(name, [...values]);
  else known.push(...values);
}

function valueOf(element: XmlElement): string | null {
  const [only, second] = element.children;
  if (only === undefined) return element.text;
  return second === undefined && is(only, NS.assertion, 'NameID') && only.children.length === 0 ? only.text : null;
}

function invalid(message: string): SignInRefused {
  return new SignInRefused('claims_invalid', message);
}
