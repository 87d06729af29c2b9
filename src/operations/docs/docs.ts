import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { Express } from 'express';
import { Config } from '../../base/config/config.js';
import { PublicText } from '../../base/http/public-text.js';
import { pageHeaders } from '../../base/http/server.js';
import { PAGE_CSS, searchPlugin } from './api-page.js';
import { tellFacts, type Operation } from './operation-facts.js';
import { tellWords } from './operation-words.js';
import { scimPaths } from './scim-paths.js';
import { scimSchemas } from './scim-schemas.js';
import { tagObjects } from './tags.js';
import { webhookSection } from './webhook-section.js';

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

/** The frame of the description: title, address, credentials. */
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

/** Whether an address leads to another one: only `/api/v1` and the addresses of the sign-in are shown. */
function isAlias(path: string): boolean {
  if (path.startsWith('/v1/')) return true;
  return path.startsWith('/api/') && !/^\/api\/(?:v1|auth|integrations|webhooks)\//.test(path);
}

/** Completes an operation by what decorators have noted. */
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
  // Generators take an operation without `security` for one that was forgotten.
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
  // The page reads the description from its address. A copy in the page would be written anew for each visitor.
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
