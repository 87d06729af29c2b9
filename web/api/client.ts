/** Where the API is, on the origin of the page. */
const API = '/api/v1';

/** A value as JSON carries it: times are text. */
export type Json<T> = T extends Date
  ? string
  : T extends (infer Item)[]
    ? Json<Item>[]
    : T extends object
      ? { [Key in keyof T]: Json<T[Key]> }
      : T;

/** A page of a list. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** A refusal of the API (RFC 9457), or an answer that never came (status 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly requestId: string | null,
    /** Faults of single fields. */
    readonly errors: readonly { field: string; message: string }[] = [],
    /** The whole answer, for members that only some refusals have. */
    readonly body: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
  }

  /** Returns whether the session has ended, or is too old for what was asked. */
  get endsSession(): boolean {
    return this.status === 401;
  }
}

/** Query options; those that are undefined or empty are left out. */
export type Options = Readonly<Record<string, string | number | undefined>>;

/** Returns the address of an operation with its query. */
export function addressOf(path: string, options: Options = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return `${API}${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

async function send(method: string, address: string, body: unknown): Promise<Response> {
  const isWrite = method !== 'GET' && method !== 'DELETE';
  try {
    return await fetch(address, {
      method,
      credentials: 'same-origin',
      headers: isWrite ? { 'Content-Type': 'application/json' } : {},
      ...(isWrite ? { body: JSON.stringify(body ?? {}) } : {}),
    });
  } catch (error) {
    throw new Problem(0, 'offline', String(error), null);
  }
}

async function problemOf(response: Response): Promise<Problem> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const text = (name: string, otherwise: string): string => (typeof body[name] === 'string' ? body[name] : otherwise);
  const errors = Array.isArray(body['errors']) ? (body['errors'] as { field: string; message: string }[]) : [];
  return new Problem(
    response.status,
    text('code', 'unknown'),
    text('detail', text('title', response.statusText)),
    response.headers.get('X-Request-Id'),
    errors,
    body,
  );
}

/**
 * Calls an operation of the API.
 *
 * @param path below `/api/v1`
 * @returns the body of the answer; undefined where it has none
 * @throws {Problem} when it refuses, or does not answer
 */
export async function call<T>(method: string, path: string, body?: unknown, options?: Options): Promise<T> {
  const response = await send(method, addressOf(path, options), body);
  if (!response.ok) throw await problemOf(response);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** Reads an operation of the API. */
export function read<T>(path: string, options?: Options): Promise<T> {
  return call<T>('GET', path, undefined, options);
}
