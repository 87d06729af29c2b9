import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { send, type Answer } from './http.js';

interface Media {
  schema?: Schema;
}
export interface Operation {
  method: string;
  path: string;
  operationId: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; schema?: Schema }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media>; headers?: Record<string, Media> }>;
}
export type Schema = Record<string, unknown>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const FORMATS = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  'uri-reference': /^[^\s\\<>]*$/,
  email: /@/,
  uri: /^https?:\/\/\S+$/,
};

/** What is sent besides address and method. */
export interface Ask {
  token?: string | null;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as a form. */
  form?: Record<string, string>;
  headers?: Record<string, string>;
}

/**
 * The description of the API as a judge of what is really sent and answered: what is in an answer and not described is
 * wrong. Remembers which answers it has seen.
 */
export class Description {
  readonly operations: Operation[] = [];
  /** `METHOD path status`, and the same with the content type, of what was answered. */
  readonly seen = new Set<string>();
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: true, formats: FORMATS });
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly document: Record<string, unknown>;

  private constructor(
    private readonly url: string,
    document: { paths: Record<string, Record<string, Operation>> },
  ) {
    this.document = closed(document) as Record<string, unknown>;
    this.ajv.addSchema(this.document, 'api');
    for (const [path, item] of Object.entries(document.paths)) {
      for (const method of METHODS) {
        const operation = item[method];
        if (operation !== undefined) this.operations.push({ ...operation, method: method.toUpperCase(), path });
      }
    }
  }

  /** The description that a running service gives of itself. */
  static async of(url: string): Promise<Description> {
    return new Description(url, (await send('GET', `${url}/docs/openapi.json`, null)).body);
  }

  /** Sends a request and answers what came; throws where the one or the other is not as described. */
  async ask(method: string, target: string, { token = null, body, form, headers = {} }: Ask = {}): Promise<Answer> {
    const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
    const sent = form === undefined ? body : new URLSearchParams(form).toString();
    const answer = await send(method, this.url + target, token, sent, {
      ...(sent === undefined ? {} : { 'content-type': type }),
      ...headers,
    });
    this.judge(method, target, type, form ?? body, answer);
    return answer;
  }

  /** Compares a request and its answer, such as those of a browser, with the description; throws where one differs. */
  judge(method: string, target: string, type: string, body: unknown, answer: Answer): Operation {
    const [path = '', query = ''] = target.split('?');
    const operation = this.find(method, path);
    const problems = [
      ...this.answerProblems(operation, answer),
      // What was refused need not have been as described.
      ...(answer.status < 400 ? this.requestProblems(operation, query, type, body) : []),
    ];
    if (problems.length > 0) {
      throw new Error(
        `${method} ${target} → ${answer.status} ${answer.text.slice(0, 800)}\n  ${problems.join('\n  ')}`,
      );
    }
    const seen = `${method} ${operation.path} ${answer.status}`;
    this.seen.add(seen).add(`${seen} ${typeOf(answer)}`);
    return operation;
  }

  /** The operation of an address: the one with the most parts that do not vary. */
  find(method: string, path: string): Operation {
    const parts = path.split('/');
    const fits = this.operations.filter((one) => {
      const own = one.path.split('/');
      return (
        one.method === method &&
        own.length === parts.length &&
        own.every((part, i) => part.startsWith('{') || part === parts[i])
      );
    });
    const [best] = fits.sort((a, b) => a.path.split('{').length - b.path.split('{').length);
    if (best === undefined) throw new Error(`${method} ${path} is not described`);
    return best;
  }

  /** What is wrong with a body, such as an example, by the description of its operation. */
  bodyProblems({ path, method }: Operation, type: string, body: unknown): string[] {
    return this.wrong(['paths', path, method.toLowerCase(), 'requestBody', 'content', type, 'schema'], body);
  }

  /** What a schema leaves open: each place where an object may have any fields without saying so. */
  openPlaces(schema: unknown, at: string, known: ReadonlySet<string> = new Set()): string[] {
    if (schema === undefined) return [`${at} has no schema`];
    if (schema === null || typeof schema !== 'object') return [];
    const { $ref: ref, type, properties, additionalProperties, oneOf, anyOf, allOf } = schema as Schema;
    if (typeof ref === 'string') {
      if (known.has(ref)) return [];
      return this.openPlaces(this.resolve(ref), `${at} ${ref.split('/').at(-1)!}`, new Set([...known, ref]));
    }
    const parts = Object.entries((properties ?? {}) as Schema).map(([name, one]) => [`${at}.${name}`, one] as const);
    const branches = [oneOf, anyOf, allOf].flatMap((list) => (list ?? []) as Schema[]).map((one) => [at, one] as const);
    const items = (schema as Schema)['items'];
    const isObject = [type].flat().includes('object');
    const isOpen = isObject && properties === undefined && additionalProperties === undefined;
    const saysNothing = type === undefined && branches.length === 0;
    return [
      ...(isOpen || saysNothing ? [`${at} says nothing of its fields`] : []),
      ...[...parts, ...branches, ...(items === undefined ? [] : [[`${at}[]`, items] as const])].flatMap(
        ([place, one]) => this.openPlaces(one, place, known),
      ),
    ];
  }

  private answerProblems(operation: Operation, answer: Answer): string[] {
    const { status, headers, text, body } = answer;
    const response = operation.responses[status];
    if (response === undefined) return [`the status ${status} is not described`];
    // The page that goes with a redirect is for browsers of the last century.
    if (status >= 300 && status < 400) {
      if (response.headers?.['Location'] === undefined) return ['the address of a redirect is not described'];
      return headers.has('location') ? [] : ['a redirect leads nowhere'];
    }
    if (text === '') return response.content === undefined ? [] : [`the answer of ${status} is described, and empty`];
    const type = typeOf(answer);
    if (response.content?.[type] === undefined) return [`answers of ${status} as ${type} are not described`];
    if (!/[/+]json$/.test(type)) return [];
    return this.wrong(['paths', operation.path, operation.method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'], body); // prettier-ignore
  }

  private requestProblems(operation: Operation, query: string, type: string, body: unknown): string[] {
    const options = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
    const unknown = [...new URLSearchParams(query).keys()].filter((name) => !options.includes(name));
    const problems = unknown.map((name) => `the option ${name} is not described`);
    if (body === undefined) return problems;
    if (operation.requestBody?.content[type] === undefined) return [...problems, `a body of ${type} is not described`];
    return [...problems, ...this.bodyProblems(operation, type, body)];
  }

  private wrong(place: readonly string[], value: unknown): string[] {
    const pointer = place.map((part) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))).join('/');
    let validate = this.compiled.get(pointer);
    if (validate === undefined) {
      validate = this.ajv.compile({ $ref: `api#/${pointer}` });
      this.compiled.set(pointer, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`,
    );
  }

  private resolve(ref: string): unknown {
    const parts = ref.replace(/^#\//, '').split('/');
    return parts.reduce<unknown>((value, part) => (value as Schema | undefined)?.[part], this.document);
  }
}

function typeOf({ headers }: Answer): string {
  return (headers.get('content-type') ?? '').split(';')[0]!;
}

/** The same with every object that names its fields closed to others. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== 'object') return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]));
  // Beside a reference, `properties` only narrows what stands there.
  const isClosable = 'properties' in copy && !('$ref' in copy) && !('additionalProperties' in copy);
  return isClosable && copy['type'] === 'object' ? { ...copy, additionalProperties: false } : copy;
}
