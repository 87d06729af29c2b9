import { patience } from './speed.js';

/** An answer, its body parsed where it is JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // The shape of a body is what each test is about.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- read field by field, as a client would
  body: any;
}

/** Sends one request. `body` is sent as JSON unless it is text already. */
export async function send(
  method: string,
  url: string,
  token: string | null,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined; // a page, or a line of metrics
  }
}

/** A client of one base address and credential. */
export function client(base: string, token: string | null, contentType = 'application/json') {
  const headers = { 'content-type': contentType };
  const call =
    (method: string) =>
    (path: string, body?: unknown, more: Record<string, string> = {}) =>
      send(method, `${base}${path}`, token, body, { ...(body === undefined ? {} : headers), ...more });
  return { get: call('GET'), post: call('POST'), put: call('PUT'), patch: call('PATCH'), delete: call('DELETE') };
}

export type Client = ReturnType<typeof client>;

/**
 * Asks again until the condition holds; else fails with the last answer.
 *
 * @param within milliseconds on a quiet machine, ten seconds unless set; on a busy one it is more
 */
export async function eventually<T>(ask: () => Promise<T>, holds: (value: T) => boolean, within = 10_000): Promise<T> {
  const deadline = Date.now() + patience(within);
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    if (Date.now() > deadline) throw new Error(`never came true: ${JSON.stringify(value).slice(0, 1000)}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
