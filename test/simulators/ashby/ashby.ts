import { createHmac, randomUUID } from 'node:crypto';
import { SimRefusal, type SimAnswer, type SimRequest } from '../core/http.js';
import type { Message, Target } from '../core/sender.js';
import { Simulator, type SimOptions } from '../core/simulator.js';

type Row = Record<string, unknown> & { id: string; createdAt: string; updatedAt: string };
type Given = Record<string, unknown>;

const LIMIT = { kind: 'window', requests: 1_000, seconds: 60 } as const;
const RETRY = {
  // (2ⁿ − 1) × 10 s
  waits: Array.from({ length: 10 }, (_, n) => (2 ** (n + 1) - 1) * 10),
  taken: (status: number) => status >= 200 && status < 300,
  final: [401, 403, 404, 405, 410],
};
const MOST_PAGE = 100;
const BY_API = /^(application|candidate|interview|jobPosting|offer)/;

/** A candidate as a test names it. */
export interface NewCandidate {
  id?: string;
  name?: string;
  email?: string | null;
  /** The job of the application; null: there is none. */
  job?: string | null;
  stage?: string;
  status?: string;
  silent?: boolean;
}

/** Ashby: every call is a POST, and a failure is a 200. */
export class AshbySimulator extends Simulator {
  readonly title = 'Ashby';
  readonly grants = null;
  readonly apiKey: string;
  readonly jobs = new Map<string, Row>();
  readonly candidates = new Map<string, Row>();
  readonly applications = new Map<string, Row>();
  readonly users = new Map<string, Row>();
  readonly notes = new Map<string, { id: string; content: string; isPrivate: boolean; createdAt: string }[]>();
  readonly fields = [
    {
      id: '5e6f0000-0000-4000-8000-0000000000f9',
      title: 'AI interview link',
      objectType: 'Candidate',
      fieldType: 'String',
    },
  ];
  /** Permissions that the key lacks, as the names of calls. */
  readonly forbidden = new Set<string>();
  /** Sync tokens made before this number are expired. */
  expiredTokens = 0;
  private readonly changes = new Map<string, number>();
  private change_ = 0;
  /** Webhooks that did not answer their ping. */
  private readonly disabled = new Set<string>();

  constructor(options: SimOptions) {
    super('ashby', options, {
      limit: LIMIT,
      retry: RETRY,
      words: { error: errorOf, failedRow: () => failed('invalid_input'), repeated },
    });
    this.apiKey = options.apiKey ?? 'ashby-test-api-key';
    const user = { ...this.stamped('1a2b3c4d-0000-4000-8000-0000000000a1'), firstName: 'Dana', lastName: 'Whitlock' };
    this.users.set(user.id, { ...user, email: 'dana.whitlock@harborline.example', isEnabled: true });
  }

  static start(options: SimOptions = {}): Promise<AshbySimulator> {
    return new AshbySimulator(options).listen();
  }

  get url(): string {
    return this.origin;
  }

  /** Makes records; webhooks tell of them unless they are silent. */
  readonly add = {
    job: ({
      silent = false,
      ...given
    }: Given & { id?: string; title?: string; status?: string; silent?: boolean } = {}): Row => {
      const made = this.stamped(given.id);
      const job = {
        ...made,
        title: 'Senior Backend Engineer',
        confidential: false,
        status: 'Open',
        employmentType: 'FullTime',
        openedAt: made.createdAt,
        closedAt: null,
        ...given,
      } as Row;
      this.put(this.jobs, job);
      if (!silent) this.tell('jobCreate', { job });
      return job;
    },
    candidate: (given: NewCandidate = {}): Row => {
      const { id, name = 'Amara Okonkwo', email = 'amara@example.com', job = null, silent = false } = given;
      const made = this.stamped(id);
      const candidate: Row = {
        ...made,
        name,
        // A key without a value is left out.
        ...(email === null ? {} : { primaryEmailAddress: { value: email, type: 'Personal', isPrimary: true } }),
        emailAddresses: email === null ? [] : [{ value: email, type: 'Personal', isPrimary: true }],
        phoneNumbers: [],
        applicationIds: [],
        customFields: [],
        profileUrl: `https://app.ashbyhq.com/candidates/${made.id}`,
        creditedToUser: null,
      };
      this.put(this.candidates, candidate);
      if (job !== null) this.add.application(candidate.id, job, { ...given, silent });
      return candidate;
    },
    application: (
      candidateId: string,
      jobId: string,
      given: { stage?: string; status?: string; silent?: boolean } = {},
    ): Row => {
      const { stage = 'Application Review', status = 'Active', silent = false } = given;
      const application: Row = { ...this.stamped(), candidateId, jobId, status, stage };
      this.put(this.applications, application);
      const candidate = this.candidates.get(candidateId)!;
      (candidate['applicationIds'] as string[]).push(application.id);
      if (!silent) this.tell('applicationSubmit', { application: this.shown(application) });
      return application;
    },
    user: (given: Given & { id?: string } = {}): Row => {
      const user = { ...this.stamped(given.id), firstName: 'Sam', lastName: 'Field', isEnabled: true, ...given } as Row;
      this.users.set(user.id, user);
      return user;
    },
  };

  /** Changes a candidate. Ashby has no webhook for a name. */
  change(id: string, fields: Given): Row {
    return this.put(this.candidates, { ...this.candidates.get(id)!, updatedAt: this.iso(), ...fields });
  }

  /** Moves, archives or hires an application, with the cascade of webhooks. */
  changeApplication(id: string, fields: { stage?: string; status?: string }, { silent = false } = {}): Row {
    const before = this.applications.get(id)!;
    const after = this.put(this.applications, { ...before, updatedAt: this.iso(), ...fields });
    if (silent) return after;
    const application = this.shown(after);
    const cause = randomUUID();
    if (fields.status === 'Hired') this.tell('candidateHire', { application, offer: { id: this.newId() } }, cause);
    if (fields.stage !== undefined) this.tell('candidateStageChange', { application }, cause);
    this.tell('applicationUpdate', { application }, cause);
    return after;
  }

  changeJob(id: string, fields: Given, { silent = false } = {}): Row {
    const job = this.put(this.jobs, { ...this.jobs.get(id)!, updatedAt: this.iso(), ...fields });
    if (!silent) this.tell('jobUpdate', { job });
    return job;
  }

  remove(id: string, { silent = false } = {}): void {
    this.drop(id);
    if (!silent) this.tell('candidateDelete', { candidate: { id } });
  }

  /** Merges one candidate into another. */
  merge(id: string, into: string, { silent = false } = {}): void {
    for (const one of this.applicationsOf(id)) {
      this.put(this.applications, { ...one, candidateId: into });
      (this.candidates.get(into)!['applicationIds'] as string[]).push(one.id);
    }
    this.candidates.delete(id);
    if (!silent) this.tell('candidateMerge', { deletedCandidate: { id }, mergedCandidate: { id: into } });
  }

  fill(count: number, { job = this.add.job({ silent: true }).id } = {}): void {
    for (let i = 0; i < count; i++) {
      this.add.candidate({ name: `Given${i} Family${i}`, email: `candidate${i}@example.com`, job, silent: true });
    }
  }

  applicationsOf(candidateId: string): Row[] {
    return [...this.applications.values()].filter((one) => one['candidateId'] === candidateId);
  }

  notesOf(id: string): { id: string; value: string; isPrivate: boolean }[] {
    return (this.notes.get(id) ?? []).map(({ id: note, content, isPrivate }) => ({
      id: note,
      value: content,
      isPrivate,
    }));
  }

  fieldOf(candidateId: string, title: string): unknown {
    const fields = (this.candidates.get(candidateId)?.['customFields'] ?? []) as { title: string; value: unknown }[];
    return fields.find((field) => field.title === title)?.value ?? null;
  }

  /** Sends an event. */
  tell(action: string, data: Given, cause: string = randomUUID()): void {
    this.sender.send(this.targets, this.message(action, data, cause));
  }

  /** Returns an event, for tests that send it themselves. */
  message(action: string, data: Given, cause: string | null = randomUUID()): Message {
    const body = JSON.stringify({ action, data, ...(cause === null ? {} : { webhookActionId: cause }) });
    return {
      event: action,
      build: (target: Target) => {
        const digest = createHmac('sha256', target.secret ?? '')
          .update(body)
          .digest('hex');
        const headers: Record<string, string> = target.secret === null ? {} : { 'ashby-signature': `sha256=${digest}` };
        return { body, headers };
      },
    };
  }

  protected override async ping(target: Target): Promise<number> {
    const message = this.message('ping', { webhookActionType: 'ping' }, null);
    return (await this.sender.once(target, message)).status;
  }

  protected control() {
    return {
      job: this.add.job,
      candidate: this.add.candidate,
      change: (id: string, fields: Given) => this.change(id, fields),
      changeApplication: (id: string, fields: Given) => this.changeApplication(id, fields),
      remove: (id: string) => this.remove(id),
      merge: (id: string, into: string) => this.merge(id, into),
      fill: (count: number) => this.fill(count),
      notes: (id: string) => this.notesOf(id),
    };
  }

  protected isApi(path: string): boolean {
    return /^\/\w+\.\w+$/.test(path);
  }

  protected tooMany(): SimAnswer {
    return errorOf(429);
  }

  protected authenticate({ headers, path }: SimRequest): void {
    const given = headers['authorization'];
    if (given === undefined) throw new SimRefusal(errorOf(401));
    if (given !== `Basic ${Buffer.from(`${this.apiKey}:`).toString('base64')}`) throw new SimRefusal(errorOf(403));
    if (!this.forbidden.has(path.slice(1))) return;
    throw new SimRefusal({ ...failed('missing_endpoint_permission'), status: 403 });
  }

  protected async route(request: SimRequest): Promise<SimAnswer> {
    if (request.method !== 'POST') throw new SimRefusal(errorOf(405));
    const given = (request.json ?? {}) as Given;
    const text = (name: string): string => String(given[name]);
    switch (request.path.slice(1)) {
      case 'apiKey.info':
        return done({ title: 'Hiring platform', scopes: [] });
      case 'job.list':
        return this.page(
          given,
          [...this.jobs.values()].filter((job) => job['status'] !== 'Draft'),
        );
      case 'candidate.list':
        return this.page(given, [...this.candidates.values()]);
      case 'application.list':
        return this.page(given, [...this.applications.values()], (row) => this.shown(row));
      case 'job.info':
        return found(this.jobs.get(text('id')), 'job');
      case 'candidate.info':
        return found(this.candidates.get(text('id')), 'candidate');
      case 'application.info':
        return found(this.shownOrNone(text('applicationId')), 'application');
      case 'user.info':
        return found(this.users.get(text('userId')), 'user');
      case 'candidate.listNotes':
        this.candidate(given);
        return this.page(given, this.notes.get(text('candidateId')) ?? []);
      case 'candidate.createNote':
        return this.note(request, given);
      case 'customField.list':
        return this.page(given, this.fields);
      case 'customField.setValue':
        return this.setField(request, given);
      case 'webhook.create':
        return this.makeWebhook(request, given);
      case 'webhook.delete':
        return this.removeWebhook(text('webhookId'));
      default:
        throw new SimRefusal(errorOf(404));
    }
  }

  private note(request: SimRequest, given: Given): SimAnswer {
    const { id } = this.candidate(given);
    const note = given['note'];
    const value = typeof note === 'string' ? note : (note as { value?: unknown } | undefined)?.value;
    if (typeof value !== 'string' || value === '') throw new SimRefusal(failed('invalid_input'));
    this.recorded(request);
    const content = typeof note === 'string' ? value : value.replace(/<\/p><p>/g, '\n').replace(/<[^>]*>/g, '');
    const made = { id: this.newId(), createdAt: this.iso(), isPrivate: given['isPrivate'] === true, content };
    this.notes.set(id, [...(this.notes.get(id) ?? []), made]);
    return done(made);
  }

  private setField(request: SimRequest, given: Given): SimAnswer {
    const candidate = this.candidates.get(String(given['objectId']));
    const field = this.fields.find(({ id }) => id === given['fieldId']);
    if (candidate === undefined || field === undefined) throw new SimRefusal(failed('object_not_found'));
    this.recorded(request);
    const { id, title } = field;
    const others = (candidate['customFields'] as { id: string }[]).filter((one) => one.id !== id);
    const value = given['fieldValue'];
    this.change(candidate.id, { customFields: value === null ? others : [...others, { id, title, value }] });
    return done({ id, title, isPrivate: false, value });
  }

  private async makeWebhook(request: SimRequest, given: Given): Promise<SimAnswer> {
    const { webhookType, requestUrl, secretToken } = given as Record<string, string>;
    if (!BY_API.test(webhookType ?? '') || requestUrl === undefined) throw new SimRefusal(failed('invalid_input'));
    const known = this.targets.some((target) => target.event === webhookType && target.url === requestUrl);
    if (known) throw new SimRefusal(failed('webhook_already_exists'));
    this.recorded(request);
    const target: Target = {
      id: this.newId(),
      url: requestUrl,
      event: webhookType!,
      secret: secretToken ?? null,
      headers: {},
    };
    const status = await this.ping(target);
    const enabled = status >= 200 && status < 300;
    if (enabled) this.targets.push(target);
    else this.disabled.add(target.id);
    return done({ id: target.id, enabled, requestUrl, secretToken, webhookType });
  }

  private removeWebhook(id: string): SimAnswer {
    if (!this.disabled.delete(id) && !this.targets.some((target) => target.id === id)) {
      throw new SimRefusal(failed('webhook_not_found'));
    }
    this.targets = this.targets.filter((target) => target.id !== id);
    return done({ id });
  }

  private candidate(given: Given): Row {
    const candidate = this.candidates.get(String(given['candidateId']));
    if (candidate === undefined) throw new SimRefusal(failed('candidate_not_found'));
    return candidate;
  }

  /** Pages of a list; a sync token brings what has changed since it was given. */
  private page<R extends { id: string }>(
    given: Given,
    all: readonly R[],
    shown: (row: R) => unknown = (row) => row,
  ): SimAnswer {
    const limit = Number(given['limit'] ?? MOST_PAGE);
    if (!Number.isInteger(limit) || limit < 1 || limit > MOST_PAGE) throw new SimRefusal(failed('invalid_limit'));
    const token = /^s(\d+)$/.exec(word(given['syncToken']) ?? 's0');
    const cursor = /^c(\d+)$/.exec(word(given['cursor']) ?? 'c0');
    if (token === null || (given['syncToken'] !== undefined && Number(token[1]) < this.expiredTokens)) {
      throw new SimRefusal(failed('sync_token_expired'));
    }
    if (cursor === null) throw new SimRefusal(failed('invalid_cursor'));
    const since = Number(token[1]);
    const rows = since === 0 ? all : all.filter((row) => (this.changes.get(row.id) ?? 0) > since);
    const from = Number(cursor[1]);
    const results = rows.slice(from, from + limit).map(shown);
    const isLast = from + limit >= rows.length;
    const more = isLast ? { syncToken: `s${this.change_}` } : { nextCursor: `c${from + limit}` };
    return { status: 200, json: { success: true, results, moreDataAvailable: !isLast, ...more } };
  }

  private shownOrNone(id: string): Given | undefined {
    const application = this.applications.get(id);
    return application === undefined ? undefined : this.shown(application);
  }

  private shown(application: Row): Given {
    const { id, createdAt, updatedAt, status } = application;
    const { id: candidateId, name, primaryEmailAddress } = this.candidates.get(application['candidateId'] as string)!;
    const job = this.jobs.get(application['jobId'] as string);
    const title = String(application['stage']);
    return {
      id,
      createdAt,
      updatedAt,
      status,
      customFields: [],
      candidate: { id: candidateId, name, ...(primaryEmailAddress === undefined ? {} : { primaryEmailAddress }) },
      currentInterviewStage: { id: stageId(title), title, type: 'Active', orderInInterviewPlan: 0 },
      source: { id: '5e6f0000-0000-4000-8000-000000000009', title: 'Applied', isArchived: false },
      archiveReason: null,
      archivedAt: null,
      job: { id: application['jobId'], title: job?.['title'] },
      creditedToUser: null,
      hiringTeam: [],
    };
  }

  private drop(id: string): void {
    this.candidates.delete(id);
    for (const one of this.applicationsOf(id)) this.applications.delete(one.id);
  }

  private put(rows: Map<string, Row>, row: Row): Row {
    rows.set(row.id, row);
    this.changes.set(row.id, ++this.change_);
    return row;
  }

  private stamped(id: string = this.newId()): Row {
    return { id, createdAt: this.iso(), updatedAt: this.iso() };
  }

  private iso(): string {
    return new Date(this.now()).toISOString();
  }
}

/** Returns the id of a stage by its title. */
export function stageId(title: string): string {
  return createHmac('sha256', 'stage').update(title).digest('hex').slice(0, 32);
}

/** An absent parameter is null; one that is no text never fits. */
function word(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : '';
}

function done(results: unknown): SimAnswer {
  return { status: 200, json: { success: true, results } };
}

function found(row: unknown, what: string): SimAnswer {
  return row === undefined ? failed(`${what}_not_found`) : done(row);
}

function failed(code: string): SimAnswer {
  return { status: 200, json: { success: false, errors: [code] } };
}

function errorOf(status: number): SimAnswer {
  return { status, json: { success: false, errors: ['Refused in words.'] } };
}

function repeated(answer: SimAnswer, { json }: SimRequest): SimAnswer {
  const cursor = (json as Given | undefined)?.['cursor'] ?? 'c0';
  return { ...answer, json: { ...(answer.json as object), moreDataAvailable: true, nextCursor: cursor } };
}
