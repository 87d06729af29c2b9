import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type as TypeOf } from 'class-transformer';
import { ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import { isLongerThan } from '../characters.js';
import { readInstant } from '../clock.js';
import { InvalidFields } from '../errors/domain-error.js';

// Control characters, and halves of a surrogate pair, which are not valid UTF-8.
const UNTIDY = /[\p{Cc}\p{Cs}]/u;

// Most text by far; normalising it would call a library.
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/** Every field is shorter than a quarter of this, and composing shortens a text to a quarter at most. */
const MOST_COMPOSED = 8_192;

/**
 * Normalises text: NFC, without blanks around it. Other values stay for the validation, and also a text of more than 8,192
 * characters: composing a run of combining marks takes quadratic time (UAX #15 §3).
 */
export function tidy<T>(value: T): T {
  if (typeof value !== 'string' || isPlain(value)) return value;
  return (value.length > MOST_COMPOSED ? value : value.normalize('NFC').trim()) as T;
}

/** Whether a text is printable ASCII without blanks around it, which `tidy` does not change. */
export function isPlain(value: string): boolean {
  return PLAIN.test(value);
}

/** Whether a text contains no control characters or halves of surrogate pairs. */
export function isTidy(value: string): boolean {
  return !UNTIDY.test(value);
}

/** Options of every field. */
export interface FieldOptions {
  optional?: boolean;
  nullable?: boolean;
  description?: string;
  example?: unknown;
}

interface TextOptions extends FieldOptions {
  max: number;
  min?: number;
  pattern?: { test: RegExp; message: string };
  format?: string;
}

/** A field is not checked when it is absent or null, where that is allowed. */
function Presence(options: FieldOptions): PropertyDecorator {
  return ValidateIf((_, value) => !((options.optional && value === undefined) || (options.nullable && value === null)));
}

/** Declares a field of text: normalised, without control characters, of a limited length. */
export function Text(options: TextOptions): PropertyDecorator {
  const { max, min = 1, pattern, format } = options;
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => tidy(value)),
    field(options, (value) => textProblem(value, min, max, pattern), {
      type: String,
      maxLength: max,
      ...(min > 0 ? { minLength: min } : {}),
      ...(format ? { format } : {}),
    }),
  );
}

function textProblem(value: unknown, min: number, max: number, pattern: TextOptions['pattern']): string | null {
  if (typeof value !== 'string') return 'must be text';
  if (!isTidy(value)) return 'must not contain control characters';
  if (min > 0 && !isLongerThan(value, min - 1))
    return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
  if (isLongerThan(value, max)) return `must have at most ${max} characters`;
  if (pattern && !pattern.test.test(value)) return pattern.message;
  return null;
}

/** One `@`, a local part, and a host with or without a dot; a stricter rule would refuse real addresses. */
export const EMAIL = { test: /^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/u, message: 'must be an e-mail address' };

function field(
  options: FieldOptions,
  problemOf: (value: unknown) => string | null,
  schema: ApiPropertyOptions,
): PropertyDecorator {
  return applyDecorators(
    Presence(options),
    ValidateBy({
      name: 'field',
      validator: {
        validate: (value: unknown) => problemOf(value) === null,
        defaultMessage: (args) =>
          args?.value === undefined ? 'is required' : (problemOf(args.value) ?? 'is not valid'),
      },
    }),
    ApiProperty({
      ...schema,
      required: !options.optional,
      nullable: options.nullable ?? false,
      ...(options.description ? { description: options.description } : {}),
      ...(options.example === undefined ? {} : { example: options.example }),
    } as ApiPropertyOptions),
  );
}

/** Declares a boolean; texts such as "true" are refused. */
export function Flag(options: FieldOptions = {}): PropertyDecorator {
  return field(options, (value) => (typeof value === 'boolean' ? null : 'must be true or false'), { type: Boolean });
}

/** Declares a whole number. */
export function Whole(options: FieldOptions & { min: number; max: number }): PropertyDecorator {
  const { min, max } = options;
  return field(
    options,
    (value) =>
      Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
        ? null
        : `must be a whole number from ${min} to ${max}`,
    { type: 'integer', minimum: min, maximum: max },
  );
}

/** Declares a choice of words. */
export function Choice(values: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    (value) => (typeof value === 'string' && values.includes(value) ? null : `must be one of: ${values.join(', ')}`),
    { type: String, enum: [...values] },
  );
}

/** Declares a list of words of a choice, each once. */
export function Choices(values: readonly string[], options: FieldOptions & { min?: number } = {}): PropertyDecorator {
  const { min = 1 } = options;
  return field(
    options,
    (value) => {
      if (!Array.isArray(value)) return 'must be a list';
      const unknown = value.find((one) => typeof one !== 'string' || !values.includes(one)) as unknown;
      if (unknown !== undefined) return `must hold only: ${values.join(', ')}`;
      if (value.length < min) return 'must not be empty';
      return new Set(value).size === value.length ? null : 'must hold each value once';
    },
    { type: String, enum: [...values], isArray: true },
  );
}

/** Declares a time as RFC 3339 text; the value is a Date. */
export function Moment(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => {
      const text = tidy(value);
      // A date without a time is not a moment of an expiry.
      return typeof text === 'string' && text.length > 10 ? (readInstant(text) ?? text) : text;
    }),
    field(options, (value) => (value instanceof Date ? null : 'must be a time such as 2026-01-31T12:00:00Z'), {
      type: String,
      format: 'date-time',
    }),
  );
}

/** Declares an object with fields. */
export function Nested(type: () => Type, options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    field(
      options,
      (value) => (value !== null && typeof value === 'object' && !Array.isArray(value) ? null : 'must be an object'),
      // Nest reads only a function with the name `type` as one that returns the type later.
      { type: () => type() },
    ),
    TypeOf(type),
    ValidateNested(),
  );
}

/** Declares a list of objects with fields. */
export function NestedList(type: () => Type, options: FieldOptions & { max: number }): PropertyDecorator {
  return applyDecorators(
    field(
      options,
      (value) =>
        Array.isArray(value) && value.every((one) => one !== null && typeof one === 'object' && !Array.isArray(one))
          ? value.length <= options.max
            ? null
            : `must have at most ${options.max} entries`
          : 'must be a list of objects',
      { type: () => type(), isArray: true },
    ),
    TypeOf(type),
    ValidateNested({ each: true }),
  );
}

/** Declares a field with a rule of its own. `problemOf` returns the problem, or null. */
export function Ruled(
  problemOf: (value: unknown) => string | null,
  schema: ApiPropertyOptions,
  options: FieldOptions = {},
): PropertyDecorator {
  return field(options, problemOf, schema);
}

export const MAX_EXTERNAL_ID = 255;

/**
 * Reads the `external_id` of an address, by the rules of the field of the same name.
 *
 * @throws {InvalidFields} for a text that no record can have
 */
export function externalIdIn(address: string): string {
  const text = tidy(address);
  const problem =
    text === ''
      ? 'must not be empty'
      : !isTidy(text)
        ? 'must not contain control characters'
        : isLongerThan(text, MAX_EXTERNAL_ID)
          ? `must have at most ${MAX_EXTERNAL_ID} characters`
          : null;
  if (problem !== null) throw new InvalidFields([{ field: 'external_id', message: problem }]);
  return text;
}

/**
 * Checks the `external_id` of a body beside that of the address; absent and null pass.
 *
 * @throws {InvalidFields} when the two differ
 */
export function demandSame(sent: string | null | undefined, inAddress: string): void {
  if (sent == null || sent === inAddress) return;
  throw new InvalidFields([{ field: 'external_id', message: 'must be the one in the address' }]);
}
