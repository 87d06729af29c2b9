import type { OpenAPIObject } from '@nestjs/swagger';
import type { ApiField, ApiOperation } from '../api/operations.js';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: string[];
  description?: string;
  nullable?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  allOf?: Schema[];
  items?: Schema;
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

interface Described {
  summary?: string;
  security?: object[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

const PREFIX = '/api/v1';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Returns the operations of the description below `/api/v1`, in the order of their addresses. */
export function operationsOf(document: OpenAPIObject): ApiOperation[] {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const found = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as Described | undefined;
      if (operation === undefined || !path.startsWith(`${PREFIX}/`)) return [];
      return [operationOf(`${method.toUpperCase()} ${path.slice(PREFIX.length)}`, operation, schemas)];
    }),
  );
  return found.sort((a, b) => (addressOf(a) < addressOf(b) ? -1 : 1));
}

/** Renders the operations as JSON with one line for each, so that a change shows as one. */
export function operationsFile(operations: readonly ApiOperation[]): string {
  return `[\n${operations.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`;
}

function addressOf({ call }: ApiOperation): string {
  const [method, path] = call.split(' ');
  return `${path} ${method}`;
}

function operationOf(call: string, operation: Described, schemas: Record<string, Schema>): ApiOperation {
  const parameters = operation.parameters ?? [];
  const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const shown = resolved(schemaIn(answer), schemas).properties ?? {};
  const isList = 'next_cursor' in shown || parameters.some(({ name }) => name === 'cursor');
  const body = schemaIn(operation.requestBody);
  return {
    call,
    about: sentence(operation.summary),
    ...(operation.security?.every((one) => 'operator_token' in one) ? { operator: true } : {}),
    ...(isList ? { list: true } : {}),
    ...(schemaIn(operation.responses['202'])?.$ref?.endsWith('/TaskBody') ? { task: true } : {}),
    params: [...call.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name: name!,
      about: sentence(parameters.find((one) => one.in === 'path' && one.name === name)?.description),
    })),
    query: parameters
      .filter((one) => one.in === 'query')
      .map((one) => fieldOf(one.name, { description: one.description, ...one.schema }, one.required === true, schemas)),
    body: body === undefined ? null : fieldsOf('', resolved(body, schemas), schemas),
  };
}

/** Returns the fields of a schema; those of an object that it has follow it in its place. */
function fieldsOf(
  prefix: string,
  { properties = {}, required = [] }: Schema,
  schemas: Record<string, Schema>,
): ApiField[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inner = resolved(schema, schemas);
    if (inner.properties !== undefined) return fieldsOf(`${prefix}${name}.`, inner, schemas);
    return [fieldOf(prefix + name, schema, prefix === '' && required.includes(name), schemas)];
  });
}

function fieldOf(name: string, own: Schema, isRequired: boolean, schemas: Record<string, Schema>): ApiField {
  const schema = resolved(own, schemas);
  return {
    name,
    type: typeOf(schema, schemas),
    about: sentence(own.description ?? schema.description),
    ...(schema.enum === undefined ? {} : { choices: schema.enum.filter((one) => one !== null) }),
    ...(schema.nullable === true || (Array.isArray(schema.type) && schema.type.includes('null'))
      ? { nullable: true }
      : {}),
    ...(isRequired ? { required: true } : {}),
  };
}

function typeOf(schema: Schema, schemas: Record<string, Schema>): ApiField['type'] {
  const types = [schema.type ?? []].flat().filter((one) => one !== 'null');
  const [type] = types;
  if (type === 'array') return typeOf(resolved(schema.items ?? {}, schemas), schemas) === 'text' ? 'list' : 'json';
  if (type === 'string') return schema.enum?.join() === 'true,false' ? 'boolean' : 'text';
  if (type === 'boolean') return 'boolean';
  return type === 'integer' || type === 'number' ? 'number' : 'json';
}

function resolved(schema: Schema | undefined, schemas: Record<string, Schema>): Schema {
  const [only] = schema?.allOf ?? [];
  const reference = (schema?.$ref ?? only?.$ref)?.split('/').at(-1);
  return reference === undefined ? (schema ?? {}) : { ...schemas[reference], ...schema };
}

function schemaIn(part: Content | undefined): Schema | undefined {
  return Object.values(part?.content ?? {})[0]?.schema;
}

/** Options are described without the full stop of a sentence. */
function sentence(text = ''): string {
  return text.replaceAll(/\s+/g, ' ').replace(/\.$/, '').trim();
}
