import { attribute, type Attribute } from './attribute.js';

/** The types that an attribute of the customer's own can have. */
export const CUSTOM_TYPES = ['string', 'boolean', 'integer', 'decimal', 'dateTime'] as const;

/** An attribute of the customer's own, in the schema `urn:ietf:params:scim:schemas:extension:custom:2.0:User`. */
export interface CustomAttribute {
  readonly name: string;
  readonly type: (typeof CUSTOM_TYPES)[number];
  readonly multi_valued: boolean;
  readonly description: string;
}

/** A name by RFC 7643 §2.1, of at most 64 characters. */
const NAME = /^[A-Za-z][\w-]{0,63}$/;

/** Returns why a text cannot name an attribute of the customer's own, or null. */
export function customNameProblem(name: string): string | null {
  if (!NAME.test(name)) return 'must begin with a letter and have at most 64 letters, digits, hyphens and underscores';
  // Every object already has members of these names, or bodies with them are refused.
  if (/^(constructor|prototype)$/i.test(name) || name in Object.prototype) return 'is reserved';
  return null;
}

/** Returns the definitions of the attributes for the engine. */
export function customAttributes(declared: readonly CustomAttribute[]): Attribute[] {
  return declared.map(({ name, type, multi_valued: multiValued, description }) =>
    attribute(name, description, { type, multiValued }),
  );
}
