import { STATUS_CODES } from 'node:http';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { FOREIGN_QUERY, ProblemBody, REFUSALS, type Refusals } from '../../base/http/api-answers.js';
import { whichSurface } from '../surfaces/which-surface.js';
import { DOCUMENTED_RECENT, needsRecentSignIn, DOCUMENTED_SCOPE } from '../../tenancy/tenants/caller.js';
import type { ScopeDemand } from '../../tenancy/tenants/scopes.js';
import { DOCUMENTED_PASSES } from '../../tenancy/tenants/storage/storage.errors.js';
import { addsData } from '../../tenancy/tenants/storage/storage.rules.js';
import { PROBLEM_CODES } from './problem-codes.js';
import { refusalsOf, type OperationForm } from './refusals.rules.js';

/** An operation of the description. */
export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Responses = Operation['responses'];
type Method = OperationForm['method'];

interface Parameter {
  name: string;
  in: string;
  schema?: object;
}

interface Noted {
  [DOCUMENTED_SCOPE]?: ScopeDemand;
  [REFUSALS]?: Refusals;
  [FOREIGN_QUERY]?: boolean;
  [DOCUMENTED_PASSES]?: boolean;
  [DOCUMENTED_RECENT]?: boolean;
}

/** Says of an operation which scope its key needs, and which refusals it has: what decorators have only noted. */
export function tellFacts(path: string, method: Method, operation: Operation): void {
  const noted = operation as Operation & Noted;
  const { [DOCUMENTED_SCOPE]: scopes, [REFUSALS]: own, [FOREIGN_QUERY]: isForeign = false } = noted;
  const passes = noted[DOCUMENTED_PASSES] ?? false;
  const isRecent = noted[DOCUMENTED_RECENT] ?? false;
  delete noted[DOCUMENTED_RECENT];
  delete noted[DOCUMENTED_PASSES];
  delete noted[DOCUMENTED_SCOPE];
  delete noted[REFUSALS];
  delete noted[FOREIGN_QUERY];
  if (scopes !== undefined) tellScopes(operation, scopes);
  for (const parameter of operation.parameters ?? []) tellType(parameter as Parameter);
  // Operations that do not name their refusals keep the general ones.
  if (own === undefined) return;
  const options = (isForeign ? [] : (operation.parameters ?? [])) as Parameter[];
  const credential = credentialOf(operation);
  const form: OperationForm = {
    method,
    credential,
    addsData: credential === 'api_key' && addsData(method.toUpperCase(), scopes?.flat() ?? [], passes),
    recent: needsRecentSignIn(method, isRecent),
    scope: scopes !== undefined,
    inPath: path.includes('{'),
    query: options.filter((option) => option.in === 'query').map(({ name }) => name),
    body: Object.keys((operation.requestBody as { content?: object } | undefined)?.content ?? {}),
  };
  operation.responses = withRefusals(operation.responses, refusalsOf(form, own), whichSurface(path, 'text/html'));
}

/** The type of an option without one: text, except `limit`. */
function tellType(parameter: Parameter): void {
  if (Object.keys(parameter.schema ?? {}).length > 0) return;
  const isLimit = parameter.name === 'limit';
  parameter.schema = isLimit ? { type: 'integer', minimum: 1, maximum: 200, default: 50 } : { type: 'string' };
}

/** Scopes as roles of the credential (OpenAPI 3.1, Security Requirement Object: one of the list, with all that it names), and in words. */
function tellScopes(operation: Operation, alternatives: ScopeDemand): void {
  operation.security = alternatives.map((together) => ({ api_key: [...together] }));
  const names = alternatives.map((together) => together.map((scope) => `\`${scope}\``).join(' and ')).join(' or ');
  const words = `Needs an API key with the scope ${names}.`;
  operation.description = operation.description ? `${operation.description}\n\n${words}` : words;
}

/** What an operation cannot be called without. */
function credentialOf({ security }: Operation): OperationForm['credential'] {
  if (security?.some((one) => Object.keys(one).length === 0)) return null;
  const [name] = Object.keys(security?.[0] ?? {});
  return (name as OperationForm['credential'] | undefined) ?? null;
}

/** Replaces the refusals of an operation. Other answers stay, and so do pages for browsers. */
function withRefusals(before: Responses, refusals: Refusals, surface: string): Responses {
  const after: Responses = {};
  for (const [status, response] of Object.entries(before)) {
    if (!isProblem(response)) after[status] = response;
  }
  for (const [status, codes] of Object.entries(refusals)) {
    const words = codes.map((code) => `\`${code}\`: ${PROBLEM_CODES[code] ?? code}`).join('\n\n');
    const page = pageOf(after[status]);
    after[status] = {
      description: [page?.description, words].filter(Boolean).join('\n\n') || STATUS_CODES[status]!,
      content: {
        ...(page !== null || surface === 'page' ? { 'text/html': { schema: { type: 'string' } } } : {}),
        'application/problem+json': {
          schema: { $ref: getSchemaPath(ProblemBody), properties: { code: { type: 'string', enum: [...codes] } } },
        },
      },
    };
  }
  return after;
}

function isProblem(response: Responses[string]): boolean {
  return 'application/problem+json' in ((response as { content?: object }).content ?? {});
}

function pageOf(response: Responses[string] | undefined): { description: string } | null {
  const known = response as { description: string; content?: object } | undefined;
  return known !== undefined && 'text/html' in (known.content ?? {}) ? known : null;
}
