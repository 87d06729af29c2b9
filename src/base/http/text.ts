import { isLongerThan } from '../characters.js';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { buildMessage, ValidateBy, ValidateIf } from 'class-validator';

// Control characters, and halves of a surrogate pair, which are not valid UTF-8.
const UNTIDY = /[\p{Cc}\p{Cs}]/u;

// Most text by far; normalising it would call a library.
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/** Every field is shorter than a quarter of this, and composing shortens a text to a quarter at most. */
const MOST_COMPOSED = 8_192;

/**
 * Normalises text: NFC, without blanks around it. Returns other values unchanged for the validation, and also a text of
 * more than 8,192 characters: composing a run of combining marks takes quadratic time (UAX #15 §3).
 */
export function tidy<T>(value: T): T {
  if (typeof value !== 'string' || isPlain(value)) return value;
  return (value.length > MOST_COMPOSED ? value : value.normalize('NFC').trim()) as T;
}

/** Returns whether a text is printable ASCII without blanks around it: it is tidy, and `tidy` leaves it as it is. */
export function isPlain(value: string): boolean {
  return PLAIN.test(value);
}

/** Returns whether a text contains no control characters or halves of surrogate pairs. */
export function isTidy(value: string): boolean {
  return !UNTIDY.test(value);
}

/** Options of every field. */
export interface FieldOptions {
  /** May be left out. */
  optional?: boolean;
  /** May be null. */
  nullable?: boolean;
  description?: string;
  example?: unknown;
}

/** Options of a text field. */
export interface TextOptions extends FieldOptions {
  max: number;
  min?: number;
  /** The pattern of the text, and the message of its refusal. */
  pattern?: { test: RegExp; message: string };
  format?: string;
}

/** Declares when a field is checked: not when it is absent or null, where that is allowed. */
export function Presence(options: FieldOptions): PropertyDecorator {
  return ValidateIf((_, value) => !((options.optional && value === undefined) || (options.nullable && value === null)));
}

/** Declares a field of text: normalised, without control characters, of a limited length. */
export function Text(options: TextOptions): PropertyDecorator {
  const { max, min = 1, pattern } = options;
  return applyDecorators(
    Presence(options),
    Transform(({ value }: { value: unknown }) => tidy(value)),
    ValidateBy({
      name: 'text',
      validator: {
        validate: (value: unknown) => textProblem(value, min, max, pattern) === null,
        defaultMessage: buildMessage(
          (each, args) => each + (textProblem(args?.value, min, max, pattern) ?? 'is not valid'),
        ),
      },
    }),
    ApiProperty({
      type: String,
      required: !options.optional,
      nullable: options.nullable ?? false,
      maxLength: max,
      ...(min > 0 ? { minLength: min } : {}),
      ...(options.description ? { description: options.description } : {}),
      ...(options.format ? { format: options.format } : {}),
      ...(options.example === undefined ? {} : { example: options.example }),
    }),
  );
}

function textProblem(value: unknown, min: number, max: number, pattern: TextOptions['pattern']): string | null {
  if (value === undefined) return 'is required';
  if (typeof value !== 'string') return 'must be text';
  if (!isTidy(value)) return 'must not contain control characters';
  if (min > 0 && !isLongerThan(value, min - 1))
    return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
  if (isLongerThan(value, max)) return `must have at most ${max} characters`;
  if (pattern && !pattern.test.test(value)) return pattern.message;
  return null;
}

/** One `@`, a local part, and a host with or without a dot; more would refuse real addresses. */
export const EMAIL = { test: /^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/u, message: 'must be an e-mail address' };
