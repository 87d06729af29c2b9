import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type as TypeOf } from 'class-transformer';
import { ValidateBy, ValidateNested } from 'class-validator';
import { readInstant } from '../instant.js';
import { Presence, tidy, type FieldOptions } from './text.js';

// A field of a request in one line: its rule, the words of its refusal, and its place in the documentation.

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

/** True or false, and nothing that only looks like it. */
export function Flag(options: FieldOptions = {}): PropertyDecorator {
  return field(options, (value) => (typeof value === 'boolean' ? null : 'must be true or false'), { type: Boolean });
}

/** A whole number. */
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

/** One of a few words. */
export function Choice(values: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    (value) => (typeof value === 'string' && values.includes(value) ? null : `must be one of: ${values.join(', ')}`),
    { type: String, enum: [...values] },
  );
}

/** Several of a few words, each once. */
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

/** A moment, as RFC 3339 text; arrives as a Date. */
export function Moment(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => {
      const text = tidy(value);
      // A bare date says no time, so it is no moment of an expiry.
      return typeof text === 'string' && text.length > 10 ? (readInstant(text) ?? text) : text;
    }),
    field(options, (value) => (value instanceof Date ? null : 'must be a time such as 2026-01-31T12:00:00Z'), {
      type: String,
      format: 'date-time',
    }),
  );
}

/** An object with fields of its own. */
export function Nested(type: () => Type, options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    field(
      options,
      (value) => (value !== null && typeof value === 'object' && !Array.isArray(value) ? null : 'must be an object'),
      // Named by its place: only a function called `type` is taken for one that gives the type later.
      { type: () => type() },
    ),
    TypeOf(type),
    ValidateNested(),
  );
}

/** A list of such objects. */
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

/** A field that follows a rule of its own. `problemOf` answers what is wrong, or null. */
export function Ruled(
  problemOf: (value: unknown) => string | null,
  schema: ApiPropertyOptions,
  options: FieldOptions = {},
): PropertyDecorator {
  return field(options, problemOf, schema);
}
