import type { PatchPath } from '../../protocols/scim/filter/ast.js';
import { parsePatchPath } from '../../protocols/scim/filter/parse.js';
import { lookUp, type Attribute } from '../../protocols/scim/schema/attribute.js';
import {
  findAttribute,
  findSchema,
  GROUP_TYPE,
  type ResourceTypeDef,
} from '../../protocols/scim/schema/resource-types.js';
import { isSecretName, withoutSecretsInText } from './secret-names.rules.js';

const REMOVED = '(removed)';

type Members = Readonly<Record<string, unknown>>;

/** What is declared about a member of an object, by its name; null: no schema declares it. */
type Declared = (name: string, object: Members) => Declared | null;

/** A value without members, or with members that no schema declares. */
const plain: Declared = () => null;
/** JSON inside of a text, which no schema describes. */
const anything: Declared = () => anything;
/** A path of which the name alone is kept: its filter has the value of a secret. */
const nameAlone: Declared = () => null;

/** Members of messages (RFC 7644 §3.4.3, §3.5.2, §3.7) that are no attributes. */
const MESSAGE = new Set(
  'schemas failonerrors attributes excludedattributes sortby sortorder startindex count cursor'.split(' '),
);
const OPERATION = new Set(['op', 'method', 'bulkid', 'version']);

/**
 * Returns the JSON of a body without the values of secrets and of attributes that no schema declares, since those may be
 * anything. The names stay. A body without either stays letter for letter.
 *
 * @param userType the users of the directory, with its own attributes
 */
export function storedBody(text: string, userType: ResourceTypeDef): string {
  const body: unknown = JSON.parse(text);
  const stored = JSON.stringify(stripped(body, ofMessage([userType, GROUP_TYPE])));
  return stored === JSON.stringify(body) ? text : stored;
}

function stripped(value: unknown, declared: Declared): unknown {
  if (typeof value === 'string') return declared === nameAlone ? value.split('[')[0] : strippedText(value);
  if (Array.isArray(value)) return value.map((one) => stripped(one, declared));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    const member = isSecretName(name) ? null : declared(name, value as Members);
    return [name, member === null ? REMOVED : stripped(inner, member)];
  });
  return Object.fromEntries(entries);
}

/** Returns a text without the secrets of JSON or of addresses in it. */
function strippedText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return withoutSecretsInText(text, REMOVED);
  let inner: unknown;
  try {
    inner = JSON.parse(text);
  } catch {
    return isSecretName(text) ? REMOVED : withoutSecretsInText(text, REMOVED);
  }
  const stored = JSON.stringify(stripped(inner, anything));
  return stored === JSON.stringify(inner) ? text : stored;
}

function ofMessage(types: readonly ResourceTypeDef[]): Declared {
  return (name, message) => {
    const known = name.toLowerCase();
    if (known === 'operations') return ofOperation(types);
    if (known === 'filter') return isSecretName(String(message[name])) ? null : plain;
    return MESSAGE.has(known) ? plain : ofResource(types, name);
  };
}

function ofOperation(types: readonly ResourceTypeDef[]): Declared {
  return (name, operation) => {
    const known = name.toLowerCase();
    if (known === 'data') return ofMessage(types);
    if (OPERATION.has(known)) return plain;
    if (known !== 'value' && known !== 'path') return null;
    const path = Object.entries(operation).find(([member]) => /^path$/i.test(member))?.[1];
    if (typeof path !== 'string') return (member) => ofResource(types, member);
    const value = isSecretName(path) ? null : ofResource(types, path);
    if (known === 'value') return value;
    return value === null ? nameAlone : plain;
  };
}

/** What schemas declare about a member of a resource, or about a path: Entra ID writes paths as names of members. */
function ofResource(types: readonly ResourceTypeDef[], name: string): Declared | null {
  const path = pathOf(name) ?? pathOf(name.split('[')[0]!);
  for (const type of types) {
    const schema = findSchema(type, name);
    if (schema !== undefined) return (member) => ofAttribute(lookUp(schema.byName, member));
    const top = path === null ? undefined : findAttribute(type, path.path.urn, path.path.attr);
    if (top === undefined) continue;
    const sub = path!.sub ?? path!.path.sub;
    return ofAttribute(sub === null ? top : lookUp(top.subByName, sub));
  }
  return null;
}

function ofAttribute(attribute: Attribute | undefined): Declared | null {
  if (attribute === undefined) return null;
  return attribute.type === 'complex' ? (name) => ofAttribute(lookUp(attribute.subByName, name)) : plain;
}

function pathOf(text: string): PatchPath | null {
  try {
    return parsePatchPath(text);
  } catch {
    return null;
  }
}
