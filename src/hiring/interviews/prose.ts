import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { isLongerThan } from '../../base/characters.js';
import { Ruled, type FieldOptions, isTidy, tidy } from '../../base/http/fields.js';

/** Declares text with line breaks and tabs; blanks around it are cut, and other control characters refused. */
export function Prose(options: FieldOptions & { max: number }): PropertyDecorator {
  const { max } = options;
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? tidy(value.replaceAll('\r\n', '\n')) : value,
    ),
    Ruled((value) => problemOf(value, max), { type: String, maxLength: max, minLength: 1 }, options),
  );
}

function problemOf(value: unknown, max: number): string | null {
  if (typeof value !== 'string') return 'must be text';
  if (value === '') return 'must not be empty';
  if (!isTidy(value.replaceAll(/[\n\t]/g, ''))) return 'must not contain control characters';
  return isLongerThan(value, max) ? `must have at most ${max} characters` : null;
}
