import { setTimeout as sleep } from 'node:timers/promises';
import { formFindings } from '../forms/answer.rules.js';
import { type Answer, recordId, jsonOf, type JsonRecord, valueAt } from '../forms/answer.js';
import type { DoctorFinding } from '../forms/finding.js';
import { PATCH_OP_URN, GROUP_URN, USER_URN } from '../../../protocols/scim/urns.js';
import type { RecordType } from '../forms/resource.rules.js';
import { CliError, EXIT } from '../../client/cli.errors.js';
import { OWN_PREFIX, type RecordedExchange } from './evidence.mapping.js';
import { callPlain, type PlainAnswer, type PlainRequest } from './http-call.js';
import { Secrets } from './secrets.js';

/** A record that the run has asked the service to make. */
export interface MadeRecord {
  type: RecordType;
  name: string;
  /** Undefined: the answer has named no id of this record. */
  id: string | undefined;
  /** The service has refused to make the record. */
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
