/** How urgent an event is. `critical`: users or changes are affected now. */
export type Severity = 'info' | 'warning' | 'critical';

/** What the catalogue says of an event. */
export interface EventKind<Data = object> {
  severity: Severity;
  /** One line for the person who is on call. */
  runbook: string;
  /** JSON Schema (draft 2020-12) of `data`. */
  schema: object;
  example: Data;
}

/** The part of the catalogue that belongs to some of the events. */
export type Kinds<Data> = { readonly [Name in keyof Data]: EventKind<Data[Name]> };

/**
 * The `data` of an event about a record whose full `data` would make the body larger than 20 kB, and of an event about a
 * deleted record. The consumer reads the record back by its id.
 */
export interface RecordIds {
  id: string;
  external_id?: string | null;
  sequence: number;
}

/** Schemas of values that many events have. */
export const text = { type: 'string' } as const;
export const textOrNull = { type: ['string', 'null'] } as const;
export const time = { type: 'string', format: 'date-time' } as const;
export const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const;
export const count = { type: 'integer', minimum: 0 } as const;

/**
 * Returns the schema of an object that has no other properties.
 *
 * @param properties the properties that it always has
 * @param optional the properties that it can have
 */
export function object(properties: Record<string, object>, optional: Record<string, object> = {}): object {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** The schema of {@link RecordIds}. */
export const recordIds = object({ id: text, sequence: count }, { external_id: textOrNull });

/** Returns the schema of the `data` of an event about a record: the record, or its ids alone. */
export function record(properties: Record<string, object>, optional: Record<string, object> = {}): object {
  return { anyOf: [object({ ...properties, sequence: count }, optional), recordIds] };
}
