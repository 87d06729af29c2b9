import { finding, type DoctorFinding } from '../forms/finding.js';

/** A request that is sent as it is. */
export interface PlainRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

/** What came back. */
export interface PlainAnswer {
  status: number;
  /** By name in lower case. */
  headers: Record<string, string>;
  text: string;
}

const PATIENCE_MS = 15_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** The end of a check: the request has no answer that could be read. */
export class NoAnswer extends Error {
  constructor(readonly finding: DoctorFinding) {
    super(finding.message);
    this.name = 'NoAnswer';
  }
}

/**
 * Sends a request and reads the answer, within 15 seconds and 8 MiB. A redirect is an answer like others: it is never followed.
 *
 * @throws {NoAnswer} when there is no answer, or the answer is too large
 */
export async function callPlain({ method, url, headers, body }: PlainRequest): Promise<PlainAnswer> {
  try {
    const answer = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body === undefined ? {} : { body }),
    });
    const text = await textOf(answer);
    if (text === null) {
      throw new NoAnswer(finding('answer_too_large', null, `The answer to ${method} ${url} has more than 8 MiB.`));
    }
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text };
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    const { cause, name } = error as Error & { cause?: { code?: string; message?: string } };
    const reason = name === 'TimeoutError' ? 'no answer within 15 seconds' : (cause?.code ?? cause?.message ?? name);
    throw new NoAnswer(finding('no_answer', null, `${method} ${url} has no answer (${reason}).`));
  }
}

async function textOf(answer: Response): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) return null;
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}
