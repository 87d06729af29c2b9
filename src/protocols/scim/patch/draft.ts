import { sameJson } from '../resource/equal.js';
import type { Attribute } from '../schema/attribute.js';
import { schemasInUse, type Resource, type ResourceTypeDef } from '../schema/resource-types.js';
import { invalidValue, payloadTooLarge, type ScimRequestError } from '../scim.errors.js';
import type { JsonObject } from '../dialects/normalise.js';

/**
 * About 20 ms of work. A user with 25 values of an attribute needs 25 comparisons for an operation; a PATCH has at most
 * 1,000 operations.
 */
const MOST_COMPARED = 25_000;

/**
 * A resource that is being changed. The original is not modified: the first change copies the top level, and values
 * below it are replaced.
 */
export class ResourceDraft {
  private current: Resource;
  private readonly touched = new Set<string>();
  private compared = 0;

  constructor(
    readonly type: ResourceTypeDef,
    private readonly original: Resource,
  ) {
    this.current = original;
  }

  /**
   * Refuses a PATCH of too much work before any of it is done. Value paths are counted by their attribute, and each
   * compares the existing values.
   *
   * @throws {ScimRequestError} 413
   */
  refuseTooMuch(operations: readonly { readonly path?: string | undefined }[]): void {
    let compared = 0;
    for (const { path } of operations) {
      const bracket = path?.indexOf('[') ?? -1;
      const values = bracket < 1 ? undefined : this.original[path!.slice(0, bracket)];
      if (Array.isArray(values)) compared += values.length;
    }
    if (compared > MOST_COMPARED) throw tooMuchWork();
  }

  /**
   * Counts the values that an operation compares. The sum over a PATCH is limited, since operations times values grows
   * with the square of the body.
   *
   * @throws {ScimRequestError} 413
   */
  spend(comparisons: number): void {
    this.compared += comparisons;
    if (this.compared <= MOST_COMPARED) return;
    throw tooMuchWork();
  }

  read(attribute: Attribute): unknown {
    if (attribute.extension === null) return this.current[attribute.name];
    return (this.current[attribute.extension] as JsonObject | undefined)?.[attribute.name];
  }

  /**
   * Sets an attribute.
   *
   * @param value undefined unassigns
   */
  write(attribute: Attribute, value: unknown): void {
    if (attribute.extension === null) {
      this.set(attribute.name, value);
      return;
    }
    const part = withPart(this.current[attribute.extension] as JsonObject | undefined, attribute.name, value);
    this.set(attribute.extension, part);
  }

  /**
   * Returns the result after all operations.
   *
   * @throws {ScimRequestError} invalidValue when a required attribute is missing
   */
  finish(): { resource: Resource; changed: boolean } {
    const { type, original, current, touched } = this;
    for (const attribute of type.required) {
      if (touched.has(attribute.name) && current[attribute.name] === undefined) {
        throw invalidValue(`"${attribute.name}" is required.`);
      }
    }
    // An operation can undo another: only the result counts (RFC 7644 §3.5.2.1, no new lastModified).
    let changed = false;
    for (const key of touched) changed ||= !sameJson(original[key], current[key]);
    if (!changed) return { resource: original, changed };
    if (type.extensions.some(({ schema }) => touched.has(schema.urn))) {
      current['schemas'] = schemasInUse(type, current);
    }
    return { resource: current, changed };
  }

  private set(key: string, value: unknown): void {
    if (this.touched.size === 0) this.current = { ...this.original };
    this.touched.add(key);
    if (value === undefined) delete this.current[key];
    else this.current[key] = value;
  }
}

/** Returns a copy of `object` in which `name` has `value`; undefined when nothing is left. */
export function withPart(object: JsonObject | undefined, name: string, value: unknown): JsonObject | undefined {
  if (value !== undefined) return { ...object, [name]: value };
  if (object === undefined) return undefined;
  const { [name]: _, ...rest } = object;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

function tooMuchWork(): ScimRequestError {
  return payloadTooLarge(
    `The operations of this PATCH compare more than ${MOST_COMPARED} pairs of values. ` +
      'Send fewer operations in a request, or replace the attribute as a whole.',
  );
}
