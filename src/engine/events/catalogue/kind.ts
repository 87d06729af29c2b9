/** `critical`: users or changes are affected now. */
export type Severity = 'info' | 'warning' | 'critical';

declare const VALUE: unique symbol;

/** A JSON Schema (draft 2020-12), with the type of the values that fit it. */
export interface Schema<T = unknown> {
  readonly [keyword: string]: unknown;
  readonly [VALUE]?: T;
}

export type ValueOf<S> = S extends Schema<infer T> ? T : never;

/** An event in the catalogue. */
export interface EventKind<Data = object> {
  severity: Severity;
  /** One line for the person who is on call. */
  runbook: string;
  schema: Schema<Data>;
  example: NoInfer<Data>;
}

/** Declares some of the events: the type of their `data` follows from the schemas. */
export function kinds<Data>(declared: { readonly [Name in keyof Data]: EventKind<Data[Name]> }): typeof declared {
  return declared;
}

export const text: Schema<string> = { type: 'string' };
export const textOrNull: Schema<string | null> = { type: ['string', 'null'] };
export const time: Schema<string> = { type: 'string', format: 'date-time' };
export const timeOrNull: Schema<string | null> = { type: ['string', 'null'], format: 'date-time' };
export const count: Schema<number> = { type: 'integer', minimum: 0 };
export const flag: Schema<boolean> = { type: 'boolean' };

export function words<const Word extends string | null>(...choice: Word[]): Schema<Word> {
  return { enum: choice };
}

export function list<T>(items: Schema<T>): Schema<T[]> {
  return { type: 'array', items };
}

type Properties = Record<string, Schema>;
type Fields<P extends Properties, O extends Properties> = { [N in keyof P]: ValueOf<P[N]> } & {
  [N in keyof O]?: ValueOf<O[N]>;
};

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
 * The thin `data` of an event about a record: for a body that would be larger than 20 kB, and for a deleted record. The
 * consumer reads the record by its id.
 */
export const recordIds = object({ id: text, sequence: count }, { external_id: textOrNull });

/** The ids of a record. */
export type RecordIds = ValueOf<typeof recordIds>;

/** The `data` of an event about a record: the record, or its ids alone. */
export function record<T>(whole: Schema<T>): Schema<T | RecordIds> {
  return { anyOf: [whole, recordIds] };
}
