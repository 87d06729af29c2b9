import { NS } from './names.js';
import { SamlRefused } from './saml-refused.js';
import { demandName } from './parts.rules.js';
import { shown } from './signature.rules.js';
import { attributeOf, childrenOf, is, type XmlElement } from './xml-tree.js';

/** Names that an object would take for something else than a field. */
const NOT_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/** More than any directory sends; what comes after them is left out. */
const MAX_ATTRIBUTES = 500;
const MAX_NAME = 1024;
const MAX_VALUE_BYTES = 16 * 1024;
/** As many as a page shows. */
const MAX_NAMED = 20;

/** Attributes as claims. */
export interface SamlClaims {
  /** Without a prototype. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The claims that came by a FriendlyName alone. */
  readonly unsureNames: ReadonlySet<string>;
  /** The attributes that were left out, each with the reason; at most 20. */
  readonly leftOut: readonly string[];
}

/**
 * SAML attributes as claims: by `Name`, and by `FriendlyName` where no attribute has that as its name. One value is a
 * string, several are a list; an attribute that comes twice has the values of both. A value is the text of its element,
 * or of the one NameID in it, letter by letter; other structures are passed over.
 *
 * A FriendlyName is there for people to read and identifies nothing (Core §2.7.3.1): it will do for a name or an e-mail
 * address to show, and whatever decides who somebody is must not be taken from `unsureNames`.
 *
 * Left out as a whole, and not cut, is an attribute with a name that JavaScript reserves or that is too long, with a value that is
 * too long, or beyond the 500th: an IdP sends whatever its directory holds (photos, keys), which must not keep a user out.
 *
 * @param statements the AttributeStatements of a verified assertion
 */
export function readClaims(statements: readonly XmlElement[]): SamlClaims {
  const named = new Attributes();
  const friendly = new Attributes();
  const all = statements.flatMap((statement) => childrenOf(statement, NS.assertion, 'Attribute'));
  for (const attribute of all.slice(0, MAX_ATTRIBUTES)) {
    const values = childrenOf(attribute, NS.assertion, 'AttributeValue')
      .map(valueOf)
      .filter((value) => value !== null);
    named.add(attributeOf(attribute, 'Name'), values);
    friendly.add(attributeOf(attribute, 'FriendlyName'), values);
  }
  const claims = Object.create(null) as Record<string, unknown>;
  for (const [name, values] of [...friendly.taken(), ...named.taken()]) {
    claims[name] = values.length === 1 ? values[0] : values;
  }
  const unsureNames = new Set(friendly.taken().flatMap(([name]) => (named.has(name) ? [] : [name])));
  const beyond =
    all.length > MAX_ATTRIBUTES ? [`${all.length - MAX_ATTRIBUTES} beyond the first ${MAX_ATTRIBUTES}`] : [];
  return { claims, unsureNames, leftOut: [...named.leftOut(), ...beyond].slice(0, MAX_NAMED) };
}

/**
 * Returns the one value of the attribute that a connection takes as the subject.
 *
 * @throws SamlRefused name_id_missing: the attribute did not come by its Name, or not with one value that names somebody
 */
export function subjectIn({ claims, unsureNames }: SamlClaims, name: string): string {
  const value = Object.hasOwn(claims, name) && !unsureNames.has(name) ? claims[name] : undefined;
  if (value === undefined) throw noSubject(name, 'did not come, or only as a FriendlyName');
  if (typeof value !== 'string') throw noSubject(name, 'has several values');
  return demandName(value, `The IdP sent as subject_claim ${shown(name)}`);
}

function noSubject(name: string, why: string): SamlRefused {
  const words = `The attribute ${shown(name)}, which this connection takes as the subject (subject_claim), ${why}.`;
  return new SamlRefused('name_id_missing', words);
}

/** Values by name, and what is wrong with those that are not taken. */
class Attributes {
  private readonly values = new Map<string, string[]>();
  private readonly problems = new Map<string, string>();

  add(name: string | null, values: readonly string[]): void {
    if (name === null || name === '' || values.length === 0) return;
    const problem = problemOf(name, values);
    // Of an attribute that comes twice no half is taken: one value would be left of several.
    if (problem !== null) this.problems.set(name, problem);
    this.values.set(name, [...(this.values.get(name) ?? []), ...values]);
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  taken(): [string, string[]][] {
    return [...this.values].filter(([name]) => !this.problems.has(name));
  }

  leftOut(): string[] {
    return [...this.problems].map(([name, problem]) => `${name.slice(0, 100)}: ${problem}`);
  }
}

function problemOf(name: string, values: readonly string[]): string | null {
  if (NOT_NAMES.has(name)) return 'its name is reserved';
  if (name.length > MAX_NAME) return `its name has more than ${MAX_NAME} characters`;
  const isLong = values.some((value) => Buffer.byteLength(value) > MAX_VALUE_BYTES);
  return isLong ? `a value has more than ${MAX_VALUE_BYTES} bytes` : null;
}

function valueOf(element: XmlElement): string | null {
  const [only, second] = element.children;
  if (only === undefined) return element.text;
  return second === undefined && is(only, NS.assertion, 'NameID') && only.children.length === 0 ? only.text : null;
}
