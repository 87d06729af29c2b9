import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { InvalidFields, MalformedRequest, type FieldError } from '../errors/domain-error.js';
import { hasMember } from '../json-text.js';

const SERVER_SET = Symbol('fields that only the server sets');

/** Names the fields that a caller may send back as it read them: they are ignored, not refused. */
export function ServerSet(...fields: string[]): ClassDecorator {
  return (target) => {
    Reflect.defineMetadata(SERVER_SET, new Set(fields), target);
  };
}

const OPEN = Symbol('unknown fields are ignored');

/** Marks bodies whose standard ignores unknown fields (RFC 6749 §3.2). */
export function OpenBody(): ClassDecorator {
  return (target) => {
    Reflect.defineMetadata(OPEN, true, target);
  };
}

const AS_SENT = Symbol('fields that are kept as sent');

/** Names fields that may hold any JSON: they are checked by their rule alone, and never become objects of a class. */
export function AsSent(...fields: string[]): ClassDecorator {
  return (target) => {
    Reflect.defineMetadata(AS_SENT, new Set(fields), target);
  };
}

/**
 * Reads a body as a DTO: an object with known fields, each checked by its rule; no body is an object without fields.
 *
 * @throws {MalformedRequest} for a body that is no object
 * @throws {InvalidFields} with every wrong field, by the name in the request
 */
@Injectable()
export class ValidateBody implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || metatype === undefined || metatype === Object) return value;
    return readBody(metatype, value);
  }
}

/** Reads a body as a DTO that is known only at run time. */
export function readBody<T extends object>(dto: Type<T>, value: unknown = {}): T {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new MalformedRequest('The body must be a JSON object.');
  }
  const ignored = Reflect.getMetadata(SERVER_SET, dto) as ReadonlySet<string> | undefined;
  const asSent = Reflect.getMetadata(AS_SENT, dto) as ReadonlySet<string> | undefined;
  const sent: Record<string, unknown> = {};
  const kept: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    // Such a name would change the prototype of the object, or be ignored, instead of being a field.
    if (name === '__proto__' || name === 'constructor') throw unknownField(name);
    if (asSent?.has(name)) {
      kept[name] = field;
      continue;
    }
    // class-transformer reads the `constructor` of a nested object as its class, and calls it.
    if (hasMember(field, 'constructor'))
      throw new InvalidFields([{ field: name, message: 'must hold no field "constructor"' }]);
    if (!ignored?.has(name)) sent[name] = field;
  }
  const instance = Object.assign(plainToInstance(dto, sent), kept);
  const errors = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: Reflect.getMetadata(OPEN, dto) !== true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    validationError: { target: false, value: false },
  });
  if (errors.length > 0) throw new InvalidFields(errors.flatMap((error) => fieldErrors(error, '')));
  return instance;
}

function unknownField(field: string): InvalidFields {
  return new InvalidFields([{ field, message: 'is not a known field' }]);
}

function fieldErrors(error: ValidationError, path: string): FieldError[] {
  const field = path === '' ? error.property : `${path}.${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({
    field,
    message: rule === 'whitelistValidation' ? 'is not a known field' : message,
  }));
  if (own.length > 0) return own;
  return (error.children ?? []).flatMap((child) => fieldErrors(child, field));
}
