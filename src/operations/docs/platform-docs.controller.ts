import { Controller, Get } from '@nestjs/common';
import { type OpenAPIObject, ApiExcludeController } from '@nestjs/swagger';
import { platformApi } from './platform-api.js';

// The API that an interview engine offers to this service: a contract for others, written by hand.

type Schema = Record<string, unknown>;

const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const json = (schema: Schema): object => ({ 'application/json': { schema } });
const PLAN: Schema = {
  starts_at: text('', { format: 'date-time' }),
  ends_at: text('', { format: 'date-time' }),
  time_zone: orNull(text('A name of the IANA time zone database.')),
  interviewers: { type: 'array', items: { type: 'string' } },
};
const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  schema: { type: 'string', maxLength: 255 },
  description: 'The same for each repetition of the same bytes.',
};
const ID = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'The id of the interview.',
};
const REFUSALS = {
  '401': { description: 'Nothing is sent until the key or address changes. 403 and 3xx do the same.' },
  '429': { description: 'Sent again later; `Retry-After` is kept. 408, 425 and 5xx do the same.' },
  default: {
    description: 'Any other 4xx: the engine does not take the interview, which then shows the words of the answer.',
  },
};
const LINK = {
  type: 'object',
  required: ['meeting_url'],
  properties: { meeting_url: text('Where the interview takes place.', { format: 'uri', maxLength: 2_000 }) },
};
const bodyOf = (schema: Schema): object => ({ required: true, content: json(schema) });

const PERSON = {
  type: 'object',
  properties: Object.fromEntries(
    ['id', 'external_id', 'first_name', 'last_name', 'email'].map((name) => [name, { type: 'string' }]),
  ),
};
const JOB = {
  type: 'object',
  properties: Object.fromEntries(['id', 'external_id', 'title'].map((name) => [name, { type: 'string' }])),
};
const INTERVIEW = {
  type: 'object',
  required: ['id', 'starts_at', 'ends_at'],
  properties: { id: text('The key of the interview.'), candidate: PERSON, job: orNull(JOB), ...PLAN },
};

function engineApi(): OpenAPIObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Interview engine',
      version: '1',
      description: 'What an interview engine answers to talent-bridge.',
    },
    servers: [{ url: 'https://interviews.example.com' }],
    security: [{ key: [] }],
    paths: {
      '/v1/interviews': {
        post: {
          operationId: 'createInterview',
          summary: 'Makes a meeting; a known id answers the same one',
          parameters: [KEY],
          requestBody: bodyOf(INTERVIEW),
          responses: { '201': { description: 'The meeting.', content: json(LINK) }, ...REFUSALS },
        },
      },
      '/v1/interviews/{id}': {
        parameters: [ID],
        get: {
          operationId: 'getInterview',
          summary: 'Shows an interview; a test of the settings asks for one that does not exist',
          responses: { '200': { description: 'The interview.' }, '404': { description: 'Not known.' }, ...REFUSALS },
        },
        patch: {
          operationId: 'changeInterview',
          summary: 'Changes the plan',
          parameters: [KEY],
          requestBody: bodyOf({ type: 'object', properties: PLAN }),
          responses: {
            '200': { description: 'With `meeting_url` where the link has changed.', content: json({ type: 'object' }) },
            '404': { description: 'Not known: the interview is made anew.' },
            ...REFUSALS,
          },
        },
      },
      '/v1/interviews/{id}/cancel': {
        parameters: [ID],
        post: {
          operationId: 'cancelInterview',
          summary: 'Cancels an interview',
          parameters: [KEY],
          requestBody: bodyOf({ type: 'object' }),
          responses: { '200': { description: 'Cancelled.' }, '404': { description: 'Not known.' }, ...REFUSALS },
        },
      },
    },
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  } as OpenAPIObject;
}

/**
 * The APIs of a hiring platform and of an interview engine as OpenAPI, for their builders; the pages for people are
 * `docs/integrate/platform.md` and `docs/integrate/interview-engine.md`.
 */
@Controller('docs')
@ApiExcludeController()
export class PlatformDocsController {
  @Get('platform.json')
  description(): object {
    return platformApi();
  }

  @Get('interview-engine.json')
  engine(): object {
    return engineApi();
  }
}
