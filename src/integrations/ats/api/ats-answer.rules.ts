import { NotJson, parseLossless } from '../../../base/json-text.js';
import type { OutboundAnswer } from '../../../base/http/outbound.js';
import { AtsFailure, type AtsAnswer } from './ats-api.js';

type Answered = Extract<OutboundAnswer, { kind: 'answer' }>;

/** A vendor's code of an error. Longer or other text could quote a candidate. */
const CODE = /^[A-Za-z][\w.-]{2,59}$/;

/** @throws {AtsFailure} `malformed` for a 2xx without JSON, `away` for no answer */
export function readAtsAnswer(title: string, answer: OutboundAnswer): AtsAnswer {
  if (answer.kind === 'failed') {
    throw new AtsFailure('away', answer.reason, `${title} gives no answer (${answer.reason}).`);
  }
  return {
    status: answer.status,
    headers: answer.kept ?? {},
    json: jsonOf(title, answer),
    size: answer.body.length,
  };
}

export function judgeStatus(title: string, answer: AtsAnswer, retryAfterMs: number | null): void {
  const { status } = answer;
  if (status < 300) return;
  const code = codeIn(answer.json);
  const message = `${title} answers with status ${status}${code === null ? '' : ` (${code})`}.`;
  const reason = `status_${status}`;
  if (status === 429) throw new AtsFailure('away', 'rate_limited', message, retryAfterMs);
  if (status >= 500 || status === 408 || status === 425) throw new AtsFailure('away', reason, message, retryAfterMs);
  if (status === 401) throw new AtsFailure('refused', reason, message);
  if (status === 403) throw new AtsFailure('forbidden', code ?? reason, message);
  if (status === 404 || status === 410) throw new AtsFailure('not_found', reason, message);
  if (status >= 400) throw new AtsFailure('rejected', code ?? reason, message);
  throw new AtsFailure('malformed', reason, `${title} answers with a redirect (status ${status}).`);
}

/** Returns the wait of `Retry-After` (RFC 9110 §10.2.3), in milliseconds; null when the header has none. */
export function retryAfterOf(header: string | null | undefined, now: Date): number | null {
  if (header === null || header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}

/** Returns the vendor's code of an error; null when the body has no certain code. */
export function codeIn(json: unknown): string | null {
  if (json === null || typeof json !== 'object') return null;
  const { code, error, errors } = json as Record<string, unknown>;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return [code, error, first].find((one): one is string => typeof one === 'string' && CODE.test(one)) ?? null;
}

function jsonOf(title: string, { status, body, truncated, contentType }: Answered): unknown {
  const isGood = status < 300;
  if (truncated) {
    if (!isGood) return undefined;
    throw new AtsFailure('malformed', 'answer_too_large', `The answer of ${title} is longer than is read.`);
  }
  if (status === 204 || body.trim() === '') return undefined;
  try {
    return parseLossless(body);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    if (!isGood) return undefined;
    const what = contentType.includes('html') ? 'a page in place of JSON' : 'a body that is no JSON';
    throw new AtsFailure('malformed', 'not_json', `${title} answers with ${what}.`);
  }
}
