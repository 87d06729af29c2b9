import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiProperty, ApiResponse, getSchemaPath } from '@nestjs/swagger';

/** One wrong field of a request. */
class FieldProblem {
  @ApiProperty({ example: 'email' })
  field!: string;
  @ApiProperty({ example: 'must be an e-mail address' })
  message!: string;
}

/** The directory that manages the user whom the caller wanted to change. */
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

/** The key of the refusals in the description. */
export const REFUSALS = 'x-refusals';

/**
 * Documents the refusals of an operation, by code. `operations/docs` adds those that follow from its form (credential,
 * body, options), so only its own are named. On a controller, for operations without any. A status with an empty list
 * never occurs, though the form would have it.
 */
export function ApiRefusals(own: Refusals = {}): ClassDecorator & MethodDecorator {
  return applyDecorators(ApiExtraModels(ProblemBody), ApiExtension(REFUSALS, own));
}

/** The key in the description for a query of another protocol. */
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
