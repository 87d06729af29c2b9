import { SignInRefused } from '../sign-in-refused.js';
import { NS } from './names.js';
import { attributeOf, childrenOf, is, type XmlElement } from './xml-tree.js';

/** Names that an object would take for something else than a field. */
const NOT_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * SAML attributes as claims: by `Name`, and by `FriendlyName` where no attribute has that as its name. One value is a
 * string, several are a list; an attribute that comes twice has the values of both. A value is the text of its element,
 * or of the one NameID in it; other structures are passed over.
 *
 * In: the AttributeStatements of a verified assertion. Out: an object without a prototype.
 *
 * @throws SignInRefused claims_invalid for a name that JavaScript reserves
 */
export function readClaims(statements: readonly XmlElement[]): Readonly<Record<string, unknown>> {
  const named = new Map<string, string[]>();
  const friendly = new Map<string, string[]>();
  for (const attribute of statements.flatMap((statement) => childrenOf(statement, NS.assertion, 'Attribute'))) {
    const values = childrenOf(attribute, NS.assertion, 'AttributeValue')
      .map(valueOf)
      .filter((value) => value !== null);
    collect(named, attributeOf(attribute, 'Name'), values);
    collect(friendly, attributeOf(attribute, 'FriendlyName'), values);
  }
  const claims = Object.create(null) as Record<string, unknown>;
  for (const [name, values] of [...friendly, ...named]) claims[name] = values.length === 1 ? values[0] : values;
  return claims;
}

function collect(into: Map<string, string[]>, name: string | null, values: readonly string[]): void {
  if (name === null || name === '' || values.length === 0) return;
  if (NOT_NAMES.has(name)) throw new SignInRefused('claims_invalid', `An attribute must not be called ${name}.`);
  const known = into.get(name);
  if (known === undefined) into.set(name, [...values]);
  else known.push(...values);
}

function valueOf(element: XmlElement): string | null {
  const [only, second] = element.children;
  if (only === undefined) return element.text;
  return second === undefined && is(only, NS.assertion, 'NameID') && only.children.length === 0 ? only.text : null;
}
