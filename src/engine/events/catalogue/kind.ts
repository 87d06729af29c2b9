/** How urgent an event is. `critical`: users or changes are affected now. */
export type Severity = 'info' | 'warning' | 'critical';

declare const VALUE: unique symbol;

/** A JSON Schema (draft 2020-12), with the type of the values that fit it. */
export interface Schema<T = unknown> {
  readonly [keyword: string]: unknown;
  readonly [VALUE]?: T;
}

/** The values that fit a schema. */
export type ValueOf<S> = S extends Schema<infer T> ? T : never;

/** What the catalogue says of an event. */
export interface EventKind<Data = object> {
  severity: Severity;
  /** One line for the person who is on call. */
  runbook: string;
  /** The schema of `data`. */
  schema: Schema<Data>;
  example: NoInfer<Data>;
}

/** Declares some of the events: the type of their `data` follows from the schemas. */
export function kinds<Data>(declared: { readonly [Name in keyof Data]: EventKind<Data[Name]> }): typeof declared {
  return declared;
}

/** Schemas of values that many events have. */
export const text: Schema<string> = { type: 'string' };
export const textOrNull: Schema<string | null> = { type: ['string', 'null'] };
export const time: Schema<string> = { type: 'string', format: 'date-time' };
export const timeOrNull: Schema<string | null> = { type: ['string', 'null'], format: 'date-time' };
export const count: Schema<number> = { type: 'integer', minimum: 0 };
export const flag: Schema<boolean> = { type: 'boolean' };

/** Returns the schema of a choice of words. */
export function words<const Word extends string | null>(...choice: Word[]): Schema<Word> {
  return { enum: choice };
}

/** Returns the schema of a list. */
export function list<T>(items: Schema<T>): Schema<T[]> {
  return { type: 'array', items };
}

type Properties = Record<string, Schema>;
type Fields<P extends Properties, O extends Properties> = { [N in keyof P]: ValueOf<P[N]> } & {
  [N in keyof O]?: ValueOf<O[N]>;
};

/**
 * Returns the schema of an object that has no other properties.
 *
 * @param properties the properties that it always has
 * @param optional the properties that it can have
 */
export function object<P extends Properties, O extends Properties = Record<never, Schema>>(
  properties: P,
  optional?: O,
): Schema<Fields<P, O>> {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/**
 * The schema of the `data` of an event about a record whose full `data` would make the body larger than 20 kB, and of an
 * event about a deleted record. The consumer reads the record back by its id.
 */
export const recordIds = object({ id: text, sequence: count }, { external_id: textOrNull });

/** The ids of a record. */
export type RecordIds = ValueOf<typeof recordIds>;

/** Returns the schema of the `data` of an event about a record: the record, or its ids alone. */
export function record<T>(whole: Schema<T>): Schema<T | RecordIds> {
  return { anyOf: [whole, recordIds] };
}
