import { isRecord, type JsonRecord } from '../forms/answer.js';

/** A request and its answer, as they went over the wire. */
export interface RecordedExchange {
  /** The check or test that has sent the request. */
  step: string;
  request: { method: string; url: string; headers: Record<string, string>; body?: string | undefined };
  answer: { status: number; headers: Record<string, string>; text: string } | null;
}

/** Members of bodies that are secret. */
const SECRET_MEMBERS = ['password', 'client_secret', 'client_assertion', 'access_token', 'refresh_token', 'token'];
const SECRET_HEADERS = ['authorization', 'cookie', 'set-cookie'];
const MOST_CHARACTERS = 64 * 1024;
/** Beginning of the names of the records that a run makes. */
export const OWN_PREFIX = 'doctor-';

/**
 * Returns an exchange as the evidence file has it: without secrets, and without records that the run did not make. A list of users has
 * personal data that no form needs.
 */
export function evidenceOf({ step, request, answer }: RecordedExchange): JsonRecord {
  return {
    step,
    request: {
      method: request.method,
      url: request.url,
      headers: headersOf(request.headers),
      ...(request.body === undefined ? {} : { body: bodyOf(request.body) }),
    },
    answer:
      answer === null ? null : { status: answer.status, headers: headersOf(answer.headers), body: bodyOf(answer.text) },
  };
}

function headersOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADERS.includes(name.toLowerCase()) ? '(removed)' : value,
    ]),
  );
}

function bodyOf(text: string): unknown {
  if (text.length > MOST_CHARACTERS) return `(${text.length} characters)`;
  try {
    return withoutSecrets(JSON.parse(text));
  } catch {
    return /^[\w.-]+=/.test(text) ? formOf(text) : text;
  }
}

function formOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => [name, SECRET_MEMBERS.includes(name) ? '(removed)' : value]),
  );
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (SECRET_MEMBERS.includes(name.toLowerCase())) return [name, '(removed)'];
      if (name === 'Resources' && Array.isArray(one)) return [name, one.map(ownRecord)];
      return [name, withoutSecrets(one)];
    }),
  );
}

/** Documents of the discovery have neither name, and stay. */
function ownRecord(record: unknown): unknown {
  const name = isRecord(record) ? (record['userName'] ?? record['displayName']) : undefined;
  if (typeof name === 'string' && !name.toLowerCase().startsWith(OWN_PREFIX))
    return '(a record that this run did not make)';
  return withoutSecrets(record);
}
