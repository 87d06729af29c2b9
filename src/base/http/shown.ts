import type { Type } from '@nestjs/common';
import {
  ApiProperty,
  IntersectionType,
  OmitType,
  PartialType,
  PickType,
  type ApiPropertyOptions,
} from '@nestjs/swagger';
import { Text, MAX_EXTERNAL_ID } from './fields.js';

/** Returns the class of a JSON merge patch: any field can be left out; null only where the field may be null. */
export function ChangeType<T extends object>(of: Type<T>): Type<Partial<T>> {
  return PartialType(of, { skipNullProperties: false });
}

class PutKey {
  @Text({ max: MAX_EXTERNAL_ID, optional: true, nullable: true, description: 'The one in the address, or left out.' })
  external_id?: string | null;
}

/** Returns the class of a whole record at an address with its `external_id`. */
export function PutType<T extends { external_id?: string | null }>(of: Type<T>): Type<Omit<T, 'external_id'> & PutKey> {
  return IntersectionType(OmitType(of, ['external_id'] as (keyof T)[]), PutKey) as Type<
    Omit<T, 'external_id'> & PutKey
  >;
}

type Shown<T> = { [N in keyof T]-?: ShownValue<Exclude<T[N], undefined>> };
type ShownValue<T> = T extends Date ? string : T;

const PROPERTIES = 'swagger/apiModelProperties';

/** Returns the class of fields of a request in an answer: each is there, and the limits of the request are not. */
export function ShownType<T extends object, const K extends keyof T & string>(
  of: Type<T>,
  names: readonly K[],
): Type<Shown<Pick<T, K>>> {
  const shown = PickType(of, names);
  const target = shown.prototype as object;
  for (const name of names) {
    const declared = Reflect.getMetadata(PROPERTIES, target, name) as ApiPropertyOptions & Record<string, unknown>;
    const { maxLength: _, minLength: __, maxItems: ___, format, ...rest } = declared;
    const { minimum: ____, maximum: _____, ...property } = rest;
    Reflect.deleteMetadata(PROPERTIES, target, name);
    // A directory or an ATS can bring an e-mail that a request could not.
    const shownFormat = format === 'email' ? {} : { format };
    ApiProperty({ ...property, ...shownFormat, required: true } as ApiPropertyOptions)(target, name);
  }
  // The decorators above changed what the class declares; TypeScript sees none of it.
  return shown as unknown as Type<Shown<Pick<T, K>>>;
}

/** The times of a record. */
export class Times {
  @ApiProperty({ type: String, format: 'date-time' })
  created_at!: string;
  @ApiProperty({ type: String, format: 'date-time' })
  updated_at!: string;
}

/** Times that JSON makes text of. */
export class StoredTimes {
  @ApiProperty()
  created_at!: Date;
  @ApiProperty()
  updated_at!: Date;
}

/** Returns the class of a page that callers follow by `updated_since`. `one` names the record with its article. */
export function UpdatesPage<T extends object>(of: Type<T>, one: string) {
  class Page {
    @ApiProperty({ type: [of] })
    data!: T[];
    @ApiProperty({ type: String, nullable: true })
    next_cursor!: string | null;
    @ApiProperty({
      type: String,
      format: 'date-time',
      description: `The \`updated_since\` of the next call: no late write is missed, and ${one} may come twice.`,
    })
    next_updated_since!: string;
  }
  return Page;
}
