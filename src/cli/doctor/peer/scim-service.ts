import { setTimeout as sleep } from 'node:timers/promises';
import { PATCH_OP_URN, GROUP_URN, USER_URN } from '../../../protocols/scim/urns.js';
import { CliError, EXIT } from '../../client/cli.errors.js';
import { formFindings } from '../forms/answer.rules.js';
import {
  isRecord,
  type JsonRecord,
  type Answer,
  recordId,
  jsonOf,
  valueAt,
  finding,
  type DoctorFinding,
} from '../forms/finding.js';
import type { RecordType } from '../forms/schema.rules.js';

/** A request and its answer, as they went over the wire. */
interface RecordedExchange {
  step: string;
  request: { method: string; url: string; headers: Record<string, string>; body?: string | undefined };
  answer: { status: number; headers: Record<string, string>; text: string } | null;
}

/** Members of bodies that are secret. */
const SECRET_MEMBERS = ['password', 'client_secret', 'client_assertion', 'access_token', 'refresh_token', 'token'];
const SECRET_HEADERS = ['authorization', 'cookie', 'set-cookie'];
const MOST_CHARACTERS = 64 * 1024;
/** Beginning of the names of the records that a run makes. */
const OWN_PREFIX = 'doctor-';

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

interface PlainRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

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

const REMOVED = '(removed)';

/** The secrets of a run: each text that is printed or written into the evidence passes through {@link Secrets.without}. */
export class Secrets {
  private readonly known = new Set<string>();

  /** Adds a secret in the forms that it has in requests: plain, in JSON, in a form body, and in base64. */
  add(secret: string): void {
    if (secret === '') return;
    const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
    for (const form of [...forms, new URLSearchParams([['', secret]]).toString().slice(1)]) this.known.add(form);
    this.known.add(Buffer.from(secret).toString('base64'));
  }

  /** Returns a text without the secrets. */
  without(text: string): string {
    // The longest first: one secret can be the beginning of another one.
    const longestFirst = [...this.known].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text);
  }
}

/** A record that the run has asked the service to make. */
export interface MadeRecord {
  type: RecordType;
  name: string;
  /** Undefined: the answer has named no id of this record. */
  id: string | undefined;
  isRefused: boolean;
}

const MOST_WAITS = 3;
const LONGEST_WAIT_SECONDS = 60;

/** A SCIM service as an IdP sees it. Each answer is checked for its form, and recorded as evidence. */
export class ScimService {
  readonly exchanges: RecordedExchange[] = [];
  readonly made: MadeRecord[] = [];
  /** The check that is under way. */
  step = '';
  readonly secrets = new Secrets();
  private form: DoctorFinding[] = [];

  /**
   * @param address the SCIM address; a query of it (`?aadOptscim062020`) goes with each request, as Entra sends it
   * @param bearer the token of the requests
   * @param run the part of all names that no other run has
   * @param stop once it is aborted, no request is sent but those of the removal
   */
  constructor(
    readonly address: URL,
    public bearer: string,
    readonly run: string,
    private readonly stop: AbortSignal,
  ) {}

  get = (path: string, more: Partial<SendOptions> = {}): Promise<Answer> => this.send('GET', path, undefined, more);
  put = (path: string, body: unknown): Promise<Answer> => this.send('PUT', path, body);
  delete = (path: string): Promise<Answer> => this.send('DELETE', path);

  /** Sends a PATCH of these operations. */
  patch(path: string, operations: readonly unknown[], headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('PATCH', path, { schemas: [PATCH_OP_URN], Operations: operations }, { headers });
  }

  /** Returns the records with this value, as an IdP looks them up. */
  find(collection: 'Users' | 'Groups', attribute: string, value: string, more = ''): Promise<Answer> {
    return this.get(`/${collection}?filter=${encodeURIComponent(`${attribute} eq ${JSON.stringify(value)}`)}${more}`);
  }

  /** Returns a name that no other record has. */
  name(label: string): string {
    return `${OWN_PREFIX}${this.run}-${label}`;
  }

  /** Makes a user; `attributes` have the `userName`, which begins with the prefix of the run. */
  createUser(attributes: JsonRecord): Promise<Answer> {
    return this.create('User', 'userName', { schemas: [USER_URN], ...attributes });
  }

  /** Makes a group; `attributes` have the `displayName`, which begins with the prefix of the run. */
  createGroup(attributes: JsonRecord): Promise<Answer> {
    return this.create('Group', 'displayName', { schemas: [GROUP_URN], ...attributes });
  }

  /** Returns and forgets what was wrong with the form of the answers since the last call. */
  takeFormFindings(): DoctorFinding[] {
    const found = this.form;
    this.form = [];
    return found;
  }

  /**
   * Sends a request; one that is answered 429 is sent again after the time that the answer names.
   *
   * @throws {NoAnswer} when there is no answer
   * @throws {CliError} when the run was interrupted
   */
  async send(method: string, path: string, body?: unknown, more: Partial<SendOptions> = {}): Promise<Answer> {
    for (let waits = 0; ; waits++) {
      if (this.stop.aborted && more.isRemoval !== true) throw new CliError('Interrupted.', EXIT.interrupted);
      const answer = await this.once(method, path, body, more);
      if (answer.status !== 429 || waits === MOST_WAITS) return answer;
      const seconds = Math.min(Number(answer.headers['retry-after'] ?? 1) || 1, LONGEST_WAIT_SECONDS);
      await sleep(seconds * 1_000, undefined, { signal: more.isRemoval ? undefined : this.stop }).catch(
        () => undefined,
      );
    }
  }

  /**
   * Sends a request that is no SCIM request, and records it.
   *
   * @throws {NoAnswer} when there is no answer
   */
  async call(request: PlainRequest): Promise<PlainAnswer> {
    const exchange: RecordedExchange = { step: this.step, request, answer: null };
    this.exchanges.push(exchange);
    const answer = await callPlain(request);
    exchange.answer = answer;
    return answer;
  }

  private async once(method: string, path: string, body: unknown, more: Partial<SendOptions>): Promise<Answer> {
    const bearer = more.bearer === undefined ? this.bearer : more.bearer;
    const request = {
      method,
      url: this.urlOf(path),
      headers: {
        accept: 'application/scim+json',
        'user-agent': 'talent-bridge-doctor',
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json; charset=utf-8' }),
        ...more.headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    const plain = await this.call(request);
    const answer: Answer = { method, path, ...plain, body: jsonOf(plain.text) };
    this.form.push(...formFindings(answer));
    return answer;
  }

  private urlOf(path: string): string {
    const base = `${this.address.origin}${this.address.pathname.replace(/\/$/, '')}${path}`;
    const { search } = this.address;
    return search === '' ? base : `${base}${path.includes('?') ? '&' : '?'}${search.slice(1)}`;
  }

  private async create(type: RecordType, attribute: string, body: JsonRecord): Promise<Answer> {
    const record: MadeRecord = { type, name: String(body[attribute]), id: undefined, isRefused: false };
    this.made.push(record);
    const answer = await this.send('POST', `/${type}s`, body);
    // An id counts only beside the name: a service that answers with another record would have that one changed and deleted.
    if (String(valueAt(answer.body, attribute)).toLowerCase() === record.name.toLowerCase())
      record.id = recordId(answer);
    record.isRefused = answer.status >= 400 && answer.status < 500;
    return answer;
  }
}

interface SendOptions {
  headers: Record<string, string>;
  /** Another token than that of the run; null: none. */
  bearer: string | null;
  /** The request belongs to the removal of what was made, which an interrupted run carries out too. */
  isRemoval: boolean;
}
