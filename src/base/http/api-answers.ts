import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiQuery,
  ApiResponse,
  getSchemaPath,
  ApiExtension,
  ApiProperty,
  type ApiQueryOptions,
  type ApiResponseOptions,
} from '@nestjs/swagger';

type Schema = Extract<ApiResponseOptions, { schema: unknown }>['schema'];

/** The form of a record: one DTO, or one of several, which `by` distinguishes. */
export type Shape = Type | { oneOf: readonly Type[]; by: string };

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

/**
 * Documents an option of the query: a filter, the form of a list.
 *
 * @param description absent for the text of all options with this name (`operations/docs`)
 * @param form text unless given
 */
export function ApiFilter(
  name: string,
  description?: string,
  form: 'date-time' | Partial<ApiQueryOptions> = {},
): MethodDecorator & ClassDecorator {
  const text = description === undefined ? {} : { description };
  const schema = form === 'date-time' ? { schema: { type: 'string', format: 'date-time' } as const } : form;
  return ApiQuery({ name, required: false, ...text, ...schema });
}

/** Documents the options of a list with pages. */
export function ApiPaging(): MethodDecorator {
  return applyDecorators(ApiFilter('cursor'), ApiFilter('limit'));
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

class FieldProblem {
  @ApiProperty({ example: 'email' })
  field!: string;
  @ApiProperty({ example: 'must be an e-mail address' })
  message!: string;
}

class WritingDirectory {
  @ApiProperty()
  id!: string;
  @ApiProperty()
  name!: string;
}

/** A problem (RFC 9457): the body of every refusal of the API. */
export class ProblemBody {
  @ApiProperty({ format: 'uri-reference', example: '/docs/problems#invalid_fields' })
  type!: string;
  @ApiProperty({ example: 'Unprocessable Entity' })
  title!: string;
  @ApiProperty({ type: 'integer', example: 422 })
  status!: number;
  @ApiProperty({ example: 'Some fields are not valid.' })
  detail!: string;
  @ApiProperty({ example: '/api/v1/users' })
  instance!: string;
  @ApiProperty({ example: 'invalid_fields', description: 'Stable; branch on this one.' })
  code!: string;
  @ApiProperty({ example: 'req_01k0000000abcdefghjkmnpqrs', description: 'Also in X-Request-Id.' })
  request_id!: string;
  @ApiProperty({ type: [FieldProblem], required: false, description: 'With 422, and with `managed_by_ats`.' })
  errors?: FieldProblem[];
  @ApiProperty({
    required: false,
    description: 'Of `missing_scope` and `role_needs_admin`: the scope that the API key lacks.',
  })
  scope?: string;
  @ApiProperty({ required: false, description: 'Of `…_taken`: the record that has it.' })
  id?: string;
  @ApiProperty({ required: false, description: 'Of `position_too_old`: the oldest position of the feed.' })
  oldest?: string;
  @ApiProperty({ required: false, description: 'Of `managed_by_directory`.' })
  directory?: WritingDirectory;
  @ApiProperty({
    type: [String],
    required: false,
    description: 'Of `managed_by_directory`: the fields that the directory manages.',
  })
  fields?: string[];
  @ApiProperty({ required: false, description: 'Of `managed_by_ats`: the connection that brings the record.' })
  ats_connection_id?: string;
  @ApiProperty({ type: 'integer', required: false, description: 'Of `document_too_large`: the limit, in bytes.' })
  limit?: number;
  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Of `document_too_large`: the size of the new document.',
  })
  bytes?: number;
  @ApiProperty({
    type: Object,
    additionalProperties: true,
    required: false,
    description: 'Of `endpoint_not_ready`: what came of the test event.',
  })
  attempt?: object;
  @ApiProperty({ required: false, description: 'Of `illegal_state`: the state of the record.' })
  state?: string;
  @ApiProperty({
    type: [String],
    required: false,
    description: 'Of `illegal_state`: the states that the record can move to.',
  })
  allowed?: string[];
  @ApiProperty({ type: 'integer', required: false, description: 'Of `scorecard_version`: the next version.' })
  next_version?: number;
  @ApiProperty({ required: false, description: 'Of requests for tokens, and of logout tokens: as RFC 6749 §5.2.' })
  error?: string;
  @ApiProperty({ required: false, description: 'With `error`.' })
  error_description?: string;
}

/** The codes of an operation's refusals, by status. */
export type Refusals = Record<number, readonly string[]>;

export const REFUSALS = 'x-refusals';

/**
 * Documents the refusals of an operation, by code. `operations/docs` adds those that follow from its form (credential, body,
 * options), so only its own are named. On a controller, for operations without any. A status with an empty list never occurs,
 * though the form would have it.
 */
export function ApiRefusals(own: Refusals = {}): ClassDecorator & MethodDecorator {
  return applyDecorators(ApiExtraModels(ProblemBody), ApiExtension(REFUSALS, own));
}

export const FOREIGN_QUERY = 'x-foreign-query';

/** Documents that the query belongs to another protocol, which defines its errors. */
export function ApiForeignQuery(): MethodDecorator {
  return ApiExtension(FOREIGN_QUERY, true);
}

/** Documents the refusals that every route of the API can answer with. */
export function ApiProblems(): ClassDecorator & MethodDecorator {
  const content = { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemBody) } } };
  return applyDecorators(
    ApiExtraModels(ProblemBody),
    ApiResponse({ status: 400, description: 'The request cannot be read.', content }),
    ApiResponse({ status: 401, description: 'The credential is missing or not valid.', content }),
    ApiResponse({ status: 403, description: 'The credential lacks the scope, which is named.', content }),
    ApiResponse({ status: 404, description: 'This tenant has no such record.', content }),
    ApiResponse({ status: 409, description: 'A conflict with the current state.', content }),
    ApiResponse({ status: 422, description: 'Fields are not valid; each is named.', content }),
    ApiResponse({ status: 429, description: 'Too many requests; repeat after Retry-After.', content }),
    ApiResponse({ status: 503, description: 'Not available now; repeat after Retry-After.', content }),
    ApiResponse({ status: 507, description: 'The storage of the tenant is exhausted.', content }),
  );
}
