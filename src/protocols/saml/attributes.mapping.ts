import { NS } from './names.js';
import { SamlRefused } from './saml-refused.js';
import { demandName } from './parts.rules.js';
import { shown } from './signature-form.rules.js';
import { attributeOf, childrenOf, is, isBlank, type XmlElement } from './xml-tree.js';

/** Names with a meaning of their own on a JavaScript object. */
const NOT_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/** Attributes beyond this number are left out. */
const MAX_ATTRIBUTES = 500;
const MAX_NAME = 1024;
const MAX_VALUE_BYTES = 16 * 1024;
/** The number of left-out attributes that a page shows. */
const MAX_NAMED = 20;

/** Attributes of an assertion as claims. */
export interface SamlClaims {
  /** An object without a prototype. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The claims that came by a FriendlyName alone. */
  readonly unsureNames: ReadonlySet<string>;
  /** The attributes that were left out, each with the reason; at most 20. */
  readonly leftOut: readonly string[];
}

/**
 * Maps SAML attributes to claims: by `Name`, and by `FriendlyName` where no attribute has that `Name`. One value is a
 * string, several are a list. An attribute that comes twice has the values of both. A value is the text of its element
 * or of the one NameID in it; other structures are ignored.
 *
 * A FriendlyName identifies nothing (SAML Core §2.7.3.1). It is good for a display name; a decision about the identity
 * must not use a claim in `unsureNames`.
 *
 * An attribute is left out as a whole when JavaScript reserves its name, when its name or a value is too long, or
 * beyond the 500th. IdPs send photos and keys, which must not make a sign-in fail.
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
 * @throws {SamlRefused} `name_id_missing` when the attribute did not come by its Name, or has no single usable value
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

/** Values by name, and the problems of the values that are not taken. */
class Attributes {
  private readonly values = new Map<string, string[]>();
  private readonly problems = new Map<string, string>();

  add(name: string | null, values: readonly string[]): void {
    if (name === null || name === '' || values.length === 0) return;
    const problem = problemOf(name, values);
    // An attribute with a problem is dropped as a whole: otherwise one of several values would remain.
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
  // Text beside the NameID could be taken for the value by one reader, and the NameID by another.
  const isAlone = second === undefined && isBlank(element.text);
  return isAlone && is(only, NS.assertion, 'NameID') && only.children.length === 0 ? only.text : null;
}
