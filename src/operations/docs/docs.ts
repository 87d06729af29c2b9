import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { Express } from 'express';
import { Config } from '../../base/config/config.js';
import { PublicText } from '../../base/http/html.js';
import { pageHeaders } from '../../base/http/server.js';
import { EVENTS, type EventKind } from '../../engine/events/catalogue.js';
import { bodyText } from '../../engine/events/events.dto.js';
import { tellFacts, type Operation } from './operation-facts.js';
import { tellWords, tagObjects } from './operation-words.js';
import { scimPaths } from './scim-paths.js';
import { scimSchemas } from './scim-schemas.js';

// Our parts of the page /docs/api, which Swagger UI makes in the browser.

interface Collection {
  map(change: (one: Collection) => unknown): Collection;
  filter(test: (one: Collection) => boolean): Collection;
  get(name: string): Collection & string;
  getIn(path: readonly string[]): (Collection & string) | undefined;
  set(name: string, value: unknown): Collection;
  readonly size: number;
}

/** The part of the argument of a plugin of Swagger UI that the search needs. */
interface SwaggerUi {
  readonly React: { createElement(type: string, props: object, ...children: unknown[]): unknown };
}
interface FilterProps {
  readonly layoutSelectors: { currentFilter(): string | boolean | null };
  readonly layoutActions: { updateFilter(text: string): void };
}

/**
 * A plugin of Swagger UI: its filter finds operations by all words of address, summary, description and parameters,
 * where it would only compare the names of groups. The browser gets the function as text, so it uses nothing from
 * here.
 */
function searchPlugin({ React }: SwaggerUi): object {
  return {
    components: {
      FilterContainer({ layoutSelectors, layoutActions }: FilterProps) {
        const filter = layoutSelectors.currentFilter();
        const input = React.createElement('input', {
          className: 'operation-filter-input',
          type: 'search',
          placeholder: 'Search: address, summary, parameter',
          'aria-label': 'Search the operations',
          value: typeof filter === 'string' ? filter : '',
          onChange: ({ target }: { target: { value: string } }) => layoutActions.updateFilter(target.value),
        });
        return React.createElement('div', { className: 'filter wrapper' }, input);
      },
      // The search does not reach the section of webhooks. The page of events shows each of them.
      Webhooks: () => null,
    },
    fn: {
      opsFilter(tagged: Collection, phrase: string): Collection {
        const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
        const matches = (one: Collection) => {
          const operation = one.get('operation');
          const parameters = operation.get('parameters') as Collection | undefined;
          const texts = [
            one.get('method'),
            one.get('path'),
            operation.get('summary'),
            operation.get('description'),
            operation.getIn(['tags', '0']),
            parameters === undefined ? '' : JSON.stringify(parameters),
          ];
          const text = texts.join(' ').toLowerCase();
          return words.every((word) => text.includes(word));
        };
        return tagged
          .map((tag) => tag.set('operations', tag.get('operations').filter(matches)))
          .filter((tag) => tag.get('operations').size > 0);
      },
    },
  };
}

/** The style of the page beside that of Swagger UI: a phone has one column, and tables that scroll on their own. */
const PAGE_CSS = `
body { margin: 0; background: #fff; }
.swagger-ui .topbar { display: none; }
.swagger-ui .information-container .info { margin: 24px 0; }
.swagger-ui .filter .operation-filter-input { width: 100%; max-width: 32rem; margin: 12px 0; font-size: 16px; }
.swagger-ui .markdown p, .swagger-ui .markdown li { line-height: 1.5; }
.swagger-ui .opblock-description-wrapper, .swagger-ui .table-container, .swagger-ui .responses-inner { overflow-x: auto; }
@media (max-width: 640px) {
  .swagger-ui .info .title { font-size: 28px; }
  .swagger-ui .wrapper { padding: 0 12px; }
  .swagger-ui .opblock .opblock-summary-control { align-items: flex-start; }
  .swagger-ui .opblock .opblock-summary-path-description-wrapper { flex-direction: column; align-items: flex-start; gap: 2px; padding: 6px 0 6px 8px; }
  .swagger-ui .opblock .opblock-summary-path { flex: none; max-width: 100%; font-size: 14px; word-break: break-word; }
  .swagger-ui .opblock .opblock-summary-description { flex: none; font-size: 14px; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 60px; font-size: 12px; margin-top: 6px; }
  .swagger-ui .opblock .view-line-link.copy-to-clipboard { display: none; }
  .swagger-ui .opblock-tag { position: relative; flex-wrap: wrap; font-size: 20px; padding-right: 48px; }
  .swagger-ui .opblock-tag small { flex: 1 1 100%; padding: 4px 0; }
  .swagger-ui .opblock-tag .expand-operation { position: absolute; right: 8px; top: 10px; }
  .swagger-ui table.parameters, .swagger-ui table.parameters tbody, .swagger-ui table.parameters tr, .swagger-ui table.parameters td { display: block; width: auto; }
  .swagger-ui table.parameters thead { display: none; }
  .swagger-ui .parameters-col_name { padding-bottom: 0; }
  .swagger-ui table.responses-table, .swagger-ui table.responses-table > tbody, .swagger-ui tr.response, .swagger-ui tr.response > td { display: block; width: auto; }
  .swagger-ui table.responses-table > thead { display: none; }
  .swagger-ui .response-col_links { display: none !important; }
  .swagger-ui .opblock-body pre.microlight { font-size: 12px; }
}
`;

const EXAMPLE_TIME = new Date('2026-03-02T09:15:30.000Z');

const HEADERS = [
  ['webhook-id', 'The id of the event: the same at every try and for every endpoint. Drop what you have processed.'],
  ['webhook-timestamp', 'Seconds since 1970 of this try.'],
  [
    'webhook-signature',
    '`v1,` and the signature in base64: of id, timestamp and body. Several are separated by a blank, one for each live secret.',
  ],
].map(([name, description]) => ({ name, in: 'header', required: true, schema: { type: 'string' }, description }));

const RESPONSES = {
  '2XX': { description: 'Received, with any body. Its first 4 KiB are kept with the attempt.' },
  '410': { description: 'The receiver is gone: the endpoint is disabled at once.' },
  default: {
    description:
      'Tried again: ten times in 75 hours, unless the operator sets other pauses. `Retry-After` is waited out, a day at most.',
  },
};

export function webhookSection(): Record<string, object> {
  const kinds = Object.entries(EVENTS) as [string, EventKind][];
  return Object.fromEntries(kinds.map(([event, kind]) => [event, { post: operationOf(event, kind) }]));
}

function operationOf(event: string, { severity, runbook, schema, example }: EventKind): object {
  const body = bodyText({ event, at: EXAMPLE_TIME, data: JSON.stringify(example) });
  return {
    operationId: `webhook_${event.replaceAll('.', '_')}`,
    summary: event,
    description: `${runbook}\n\nSeverity: \`${severity}\`. Where the body would be over 20 kB, \`data\` of a record has its ids alone.`,
    tags: ['events'],
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['event', 'timestamp', 'data'],
            properties: { event: { const: event }, timestamp: { type: 'string', format: 'date-time' }, data: schema },
          },
          example: JSON.parse(body) as object,
        },
      },
    },
    responses: RESPONSES,
  };
}

const DESCRIPTION = `The API of talent-bridge: users, candidates, job openings, seats, directories, sign-in. Guides are in the [documentation](/docs).

**Addresses.** \`/api/v1\` is the canonical prefix. \`/v1\` leads to the same resources, and \`/api\` does for users,
candidates, jobs, resolve and me. Ids have a prefix of their kind, such as \`usr_\` and \`cand_\`: the part \`by-external-id\` of
an address is never an id, and what follows it is an external id, also one such as \`history\`.

**Credentials.** \`Authorization: Bearer <API key>\`. The key decides the tenant. Each operation names the scope that it needs.
Directories use SCIM tokens at \`/scim/v2\`; the operator of the installation has a token for \`/tenants\`. Users sign in at
\`/api/auth/login\`; their session is a cookie. Applications of other origins exchange a one-time code for a token.

**Lists** take \`limit\` (1–200, 50 unless set) and \`cursor\`. They answer \`{ "data": [...], "next_cursor": … }\`, newest
first.

**Idempotency-Key** on a POST: the same key with the same body gives the first answer again for 24 hours.

**Errors** are problems (RFC 9457). \`code\` is stable: [all codes](/docs/problems). SCIM answers SCIM errors. Each answer
has \`X-Request-Id\`.

**Limits.** A body has at most 1 MiB. 429 has \`Retry-After\`, and answers have \`RateLimit-*\` headers: [limits](/docs/run/limits).

**Versions.** \`/v1\` only gains optional fields.`;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

function frameOf(apiBaseUrl: string) {
  const bearer = (description: string) => ({
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'opaque',
    description,
  });
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('talent-bridge')
    .setVersion('1')
    .setDescription(DESCRIPTION)
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addServer(apiBaseUrl)
    .addBearerAuth(bearer('An API key of a tenant (tbk_…).'), 'api_key')
    .addBearerAuth(bearer('A SCIM token of a directory (tbs_…).'), 'scim_token')
    .addBearerAuth(bearer('The operator’s token (tbo_…).'), 'operator_token')
    .addCookieAuth('__Host-session', { type: 'apiKey', in: 'cookie' }, 'session')
    .build();
}

/** Only `/api/v1` and the addresses of the sign-in are shown; other addresses are aliases. */
function isAlias(path: string): boolean {
  if (path.startsWith('/v1/')) return true;
  return path.startsWith('/api/') && !/^\/api\/(?:v1|auth|integrations|webhooks)\//.test(path);
}

function complete(path: string, method: (typeof METHODS)[number], operation: Operation): void {
  // A controller at several addresses gets a number for each; only the first address is shown.
  operation.operationId = operation.operationId?.replace(/\[\d+\]$/, '');
  if (method === 'post' && operation.security?.some((one) => 'api_key' in one)) {
    (operation.parameters ??= []).push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      schema: { type: 'string', maxLength: 255 },
      description: 'Makes repeating the request safe for 24 hours.',
    });
  }
  tellFacts(path, method, operation);
  // Generators take an operation without `security` for a forgotten one.
  operation.security ??= [];
}

/** Returns the description of the API, made from the code. Each resource is shown once, at its canonical address. */
export function describeApi(app: INestApplication, apiBaseUrl: string): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, frameOf(apiBaseUrl), {
    operationIdFactory: (controller: string, method: string) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  for (const [path, item] of Object.entries(document.paths)) {
    if (isAlias(path)) delete document.paths[path];
    else for (const method of METHODS) if (item[method] !== undefined) complete(path, method, item[method]);
  }
  Object.assign(document.paths, scimPaths());
  Object.assign(((document.components ??= {}).schemas ??= {}), scimSchemas());
  document.tags = tagObjects();
  // The types of @nestjs/swagger are those of OpenAPI 3.0, which has no webhooks.
  Object.assign(document, { webhooks: webhookSection() });
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) if (item[method] !== undefined) tellWords(path, method, item[method]);
  }
  return document;
}

const DESCRIPTION_ADDRESS = '/docs/openapi.json';

/** Serves the description at `/docs/openapi.json`, and the API reference at `/docs/api`; call it before `init`. */
export function setupDocs(app: NestExpressApplication): void {
  const config = app.get(Config);
  app.use('/docs', pageHeaders(config.baseUrl));
  let description: PublicText | undefined;
  const express: Express = app.getHttpAdapter().getInstance();
  express.get(DESCRIPTION_ADDRESS, (req, res) => {
    description ??= new PublicText(JSON.stringify(describeApi(app, config.apiBaseUrl)), 'application/json');
    description.send(req, res);
  });
  SwaggerModule.setup('docs/api', app, () => undefined as unknown as OpenAPIObject, {
    swaggerUrl: DESCRIPTION_ADDRESS,
    raw: false,
    customSiteTitle: 'API reference – talent-bridge',
    customCss: PAGE_CSS,
    customfavIcon: '/favicon.svg',
    swaggerOptions: {
      validatorUrl: null,
      persistAuthorization: false,
      docExpansion: 'list',
      filter: true,
      deepLinking: true,
      defaultModelsExpandDepth: -1,
      plugins: [searchPlugin],
    },
  });
}
