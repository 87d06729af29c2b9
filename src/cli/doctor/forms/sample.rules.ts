import { GROUP_URN, USER_URN } from '../../../protocols/scim/urns.js';
import type { JsonRecord } from './answer.js';
import type { DeclaredAttribute } from './schema.rules.js';

/** Which of two values an attribute has. */
export type Variant = 'first' | 'second';

const SIMPLE = ['string', 'boolean', 'integer', 'decimal', 'dateTime', 'reference'];
/** Texts that a service may compare with a list of its own. */
const KNOWN: Record<string, readonly [string, string]> = {
  preferredLanguage: ['en-US', 'de-DE'],
  locale: ['en-US', 'de-DE'],
  timezone: ['Europe/Berlin', 'America/New_York'],
};

/** Returns the single-valued attributes that a client writes and reads: those that Entra ID maps directly. The name and `active` of a record are left to the caller. */
export function writable(declared: readonly DeclaredAttribute[]): DeclaredAttribute[] {
  return declared.filter(
    ({ type, isMultiValued, mutability, returned, names }) =>
      SIMPLE.includes(type) &&
      !isMultiValued &&
      mutability === 'readWrite' &&
      returned !== 'never' &&
      !['userName', 'displayName', 'active', 'manager'].includes(names[0]!),
  );
}

/** Returns a record with a value for each attribute. */
export function sampleRecord(attributes: readonly DeclaredAttribute[], variant: Variant): JsonRecord {
  const record: JsonRecord = {};
  for (const attribute of attributes) {
    const names = [...(isCore(attribute.schema) ? [] : [attribute.schema]), ...attribute.names];
    const place = names.slice(0, -1).reduce<JsonRecord>((parent, name) => (parent[name] ??= {}) as JsonRecord, record);
    place[names.at(-1)!] = sampleValue(attribute, variant);
  }
  return record;
}

/** Returns the path of an attribute in a PATCH. */
export function patchPath({ schema, names }: DeclaredAttribute): string {
  return `${isCore(schema) ? '' : `${schema}:`}${names.join('.')}`;
}

/** Returns a value of the attribute's type. */
export function sampleValue({ type, names, canonicalValues }: DeclaredAttribute, variant: Variant): unknown {
  const place = variant === 'first' ? 0 : 1;
  if (type === 'boolean') return variant === 'first';
  if (type === 'integer') return 7 + place;
  if (type === 'decimal') return 1.5 + place;
  if (type === 'dateTime') return `2026-01-3${place}T12:00:00Z`;
  if (type === 'reference') return `https://doctor.example/${variant}`;
  return (
    canonicalValues[place] ??
    canonicalValues[0] ??
    KNOWN[names.at(-1)!]?.[place] ??
    `Doctor ${names.at(-1)!} ${variant}`
  );
}

function isCore(schema: string): boolean {
  return schema === USER_URN || schema === GROUP_URN;
}
