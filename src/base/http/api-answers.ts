import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiQuery, ApiResponse, getSchemaPath, type ApiResponseOptions } from '@nestjs/swagger';

type Schema = Extract<ApiResponseOptions, { schema: unknown }>['schema'];

/** The form of a record: one DTO, or one of several, which `by` distinguishes. */
export type Shape = Type | { oneOf: readonly Type[]; by: string };

/** Returns a reference to the schema of a record. */
function schemaOf(shape: Shape): Schema {
  if (typeof shape === 'function') return { $ref: getSchemaPath(shape) };
  return {
    oneOf: shape.oneOf.map((one) => ({ $ref: getSchemaPath(one) })),
    discriminator: { propertyName: shape.by },
  };
}

function modelsOf(shape: Shape): ClassDecorator & MethodDecorator {
  return ApiExtraModels(...(typeof shape === 'function' ? [shape] : shape.oneOf));
}

/** Documents a record as the answer. */
export function ApiRecord(shape: Shape, status = 200): MethodDecorator {
  return applyDecorators(modelsOf(shape), ApiResponse({ status, schema: schemaOf(shape) }));
}

/** Documents a short, complete list as the answer. */
export function ApiList(shape: Shape): MethodDecorator {
  return applyDecorators(modelsOf(shape), ApiResponse({ status: 200, schema: listOf(shape, {}) }));
}

/** Documents a list with pages as the answer. `exports`: the whole list also comes as CSV and NDJSON. */
export function ApiPage(shape: Shape, { exports = false } = {}): MethodDecorator {
  const text = { schema: { type: 'string' as const } };
  const page = { 'application/json': { schema: listOf(shape, { next_cursor: { type: ['string', 'null'] } }) } };
  return applyDecorators(
    modelsOf(shape),
    ApiQuery({
      name: 'limit',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    }),
    ApiQuery({
      name: 'cursor',
      required: false,
      schema: { type: 'string' },
      description: '`next_cursor` of the page before, with the same filters.',
    }),
    ...(exports ? [ApiQuery({ name: 'format', required: false, enum: ['json', 'csv', 'ndjson'] })] : []),
    ApiResponse({
      status: 200,
      content: exports ? { ...page, 'text/csv': text, 'application/x-ndjson': text } : page,
    }),
  );
}

/** Documents a page of a form of its own as the answer; the whole list also comes as CSV and NDJSON. */
export function ApiExportedPage(page: Type): MethodDecorator {
  const text = { schema: { type: 'string' as const } };
  return applyDecorators(
    modelsOf(page),
    ApiQuery({ name: 'format', required: false, enum: ['json', 'csv', 'ndjson'] }),
    ApiResponse({
      status: 200,
      content: {
        'application/json': { schema: schemaOf(page) },
        'text/csv': text,
        'application/x-ndjson': text,
      },
    }),
  );
}

/** Documents an HTML page as the answer. */
export function ApiHtml(status: number, description: string): MethodDecorator {
  return ApiResponse({ status, description, content: { 'text/html': { schema: { type: 'string' } } } });
}

/** Documents a redirect as the answer. */
export function ApiRedirect(status: 302 | 303, description: string): MethodDecorator {
  const schema = { type: 'string' as const, format: 'uri' };
  return ApiResponse({ status, description, headers: { Location: { required: true, schema } } });
}

function listOf(shape: Shape, more: Record<string, Schema>): Schema {
  return {
    type: 'object',
    required: ['data', ...Object.keys(more)],
    properties: { data: { type: 'array', items: schemaOf(shape) }, ...more },
  };
}
