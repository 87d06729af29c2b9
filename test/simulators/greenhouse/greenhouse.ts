import { createHmac, randomUUID } from 'node:crypto';
import { Grants } from '../core/grants.js';
import { SimRefusal, type SimAnswer, type SimRequest } from '../core/http.js';
import type { Limit } from '../core/limits.js';
import type { Message, Target } from '../core/sender.js';
import { Simulator, type SimOptions } from '../core/simulator.js';

type Row = Record<string, unknown> & { id: number; created_at: string; updated_at: string };

const LIMIT = { kind: 'window', requests: 50, seconds: 30 } as const;
const RETRY = {
  waits: [60, 900, 3_600, 7_200, 14_400, 28_800],
  taken: (status: number) => status === 200,
};
const MOST_PAGE = 500;
const MOST_IDS = 50;
const CURSOR_ALONE = 'When passing a cursor, do not include other query params.';

/** The scope of each list and write. */
const SCOPES: Readonly<Record<string, string>> = { GET: 'list', POST: 'create', PATCH: 'update' };

/** A candidate as a test names it. */
export interface NewCandidate {
  id?: number;
  first_name?: string;
  last_name?: string;
  emails?: string[];
  /** The job of the application; null: there is none. */
  job?: number | null;
  stage?: { id: number; name: string };
  status?: string;
  silent?: boolean;
  [field: string]: unknown;
}

/** Greenhouse, Harvest v3. */
export class GreenhouseSimulator extends Simulator {
  readonly title = 'Greenhouse';
  readonly grants: Grants;
  readonly jobs = new Map<number, Row>();
  readonly candidates = new Map<number, Row>();
  readonly applications = new Map<number, Row>();
  readonly users = new Map<number, Row>();
  readonly sources = new Map<number, Row>();
  readonly notes = new Map<number, Row>();
  /** Keys of the candidates’ custom fields. */
  readonly fields = ['ai_interview_link', 'ai_scorecard'];
  private numbers = 1_000;

  constructor(options: SimOptions) {
    super('greenhouse', options, {
      limit: LIMIT,
      retry: RETRY,
      words: { error: errorOf, failedRow: () => errorOf(422), repeated },
    });
    const rules = {
      authorizePath: '/authorize',
      tokenPath: '/token',
      revokePath: null,
      clientAuth: 'basic',
      accessSeconds: 3_600,
      refreshSeconds: 86_400,
      expiry: 'at',
      codeSeconds: 60,
      audience: null,
    } as const;
    this.grants = new Grants(rules, options.client ?? {}, () => this.now(), 'gh');
    this.add.user({ id: 158104, first_name: 'Dana', last_name: 'Whitlock' });
    this.sources.set(2, { ...this.stamped(2), name: 'Jobs page on your website' });
  }

  static start(options: SimOptions = {}): Promise<GreenhouseSimulator> {
    return new GreenhouseSimulator(options).listen();
  }

  get url(): string {
    return `${this.origin}/v3`;
  }

  /** Makes records; webhooks tell of them unless they are silent. */
  readonly add = {
    job: ({
      silent = false,
      ...given
    }: Partial<Row> & { name?: string; status?: string; silent?: boolean } = {}): Row => {
      const made = this.stamped(given.id);
      const job: Row = {
        ...made,
        name: 'Senior Backend Engineer',
        requisition_id: null,
        notes: null,
        confidential: false,
        status: 'open',
        opened_at: made.created_at,
        closed_at: null,
        custom_fields: [],
        ...given,
      };
      this.jobs.set(job.id, job);
      if (!silent) this.tell('job_created', { job: this.jobInWebhook(job) });
      return job;
    },
    candidate: ({ emails = ['priya@example.com'], job = null, silent = false, ...more }: NewCandidate = {}): Row => {
      const { stage = { id: 767357, name: 'Application Review' }, status = 'in_process', ...given } = more;
      const candidate = {
        ...this.stamped(given.id),
        first_name: 'Priya',
        last_name: 'Venkataraman',
        private: false,
        email_addresses: emails.map((value) => ({ value, type: 'personal' })),
        phone_numbers: [],
        tags: [],
        custom_fields: this.fields.map((key) => ({
          name_key: key,
          name: key.replaceAll('_', ' '),
          type: 'url',
          value: null,
        })),
        ...given,
      } as Row;
      candidate['last_activity_at'] ??= candidate.updated_at;
      this.candidates.set(candidate.id, candidate);
      if (job === null) return candidate;
      const application = this.add.application({ candidate_id: candidate.id, job_id: job, stage, status });
      if (!silent) this.tellApplication('new_candidate_application', application.id);
      return candidate;
    },
    application: (given: {
      candidate_id: number;
      job_id: number;
      stage: { id: number; name: string };
      status: string;
    }): Row => {
      const { stage, ...fields } = given;
      const made = this.stamped();
      const application: Row = {
        ...made,
        stage_id: stage.id,
        stage_name: stage.name,
        prospect: false,
        rejected_at: null,
        applied_at: made.created_at,
        last_activity_at: made.updated_at,
        source_id: 2,
        custom_fields: [],
        ...fields,
      };
      this.applications.set(application.id, application);
      return application;
    },
    user: (given: { id?: number; first_name?: string; last_name?: string; disabled?: boolean } = {}): Row => {
      const user = {
        ...this.stamped(given.id),
        first_name: 'Sam',
        last_name: 'Field',
        disabled: false,
        ...given,
      } as Row;
      user['primary_email'] ??= `user${user.id}@harborline.example`;
      this.users.set(user.id, user);
      return user;
    },
  };

  /** Changes a candidate; `update_candidate` goes out unless it is silent. */
  change(id: number, fields: Partial<Row>, { silent = false } = {}): Row {
    const after = { ...this.candidates.get(id)!, updated_at: this.iso(), last_activity_at: this.iso(), ...fields };
    this.candidates.set(id, after);
    if (!silent) this.tell('update_candidate', { candidate: this.personInWebhook(after) });
    return after;
  }

  /** Moves, rejects or hires an application. */
  changeApplication(id: number, fields: Partial<Row>, { silent = false } = {}): Row {
    const at = { updated_at: this.iso(), last_activity_at: this.iso() };
    const after: Row = { ...this.applications.get(id)!, ...at, ...fields };
    this.applications.set(id, after);
    const candidateId = after['candidate_id'] as number;
    this.candidates.set(candidateId, { ...this.candidates.get(candidateId)!, ...at });
    const action = { rejected: 'reject_candidate', hired: 'hire_candidate' }[String(fields['status'])];
    if (!silent) this.tellApplication(action ?? 'candidate_stage_change', id);
    return after;
  }

  changeJob(id: number, fields: Partial<Row>, { silent = false } = {}): Row {
    const after = { ...this.jobs.get(id)!, updated_at: this.iso(), ...fields };
    this.jobs.set(id, after);
    if (!silent) this.tell('job_updated', { job: this.jobInWebhook(after) });
    return after;
  }

  remove(id: number, { silent = false } = {}): void {
    const person = this.drop(id);
    if (!silent) this.tell('delete_candidate', { person });
  }

  /** Merges one candidate into another. */
  merge(id: number, into: number, { silent = false } = {}): void {
    for (const one of this.applications.values()) if (one['candidate_id'] === id) one['candidate_id'] = into;
    const person = this.drop(id);
    if (!silent) this.tell('merge_candidate', { person: { ...person, new_candidate_id: into } });
  }

  fill(count: number, { job = this.add.job({ silent: true }).id } = {}): void {
    for (let i = 0; i < count; i++) {
      const emails = [`candidate${i}@example.com`];
      this.add.candidate({ first_name: `Given${i}`, last_name: `Family${i}`, emails, job, silent: true });
    }
  }

  applicationsOf(candidateId: number): Row[] {
    return [...this.applications.values()].filter((one) => one['candidate_id'] === candidateId);
  }

  notesOf(candidateId: number | string): { id: number; value: string; visibility: unknown; user: unknown }[] {
    return [...this.notes.values()]
      .filter((note) => note['candidate_id'] === Number(candidateId))
      .map((note) => ({
        id: note.id,
        value: String(note['body']),
        visibility: note['visibility'],
        user: note['user_id'],
      }));
  }

  fieldOf(candidateId: number | string, key: string): unknown {
    const fields = this.candidates.get(Number(candidateId))?.['custom_fields'] as {
      name_key: string;
      value: unknown;
    }[];
    return fields.find((field) => field.name_key === key)?.value;
  }

  /** Sends an event. */
  tell(action: string, payload: Record<string, unknown>): void {
    this.sender.send(this.targets, this.message(action, payload));
  }

  /** Returns an event, for tests that send it themselves. Its bytes are escaped as Greenhouse escapes them. */
  message(action: string, payload: Record<string, unknown>, eventId: string | null = randomUUID()): Message {
    const body = JSON.stringify({ action, payload }).replace(
      /[<>&]/g,
      (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
    );
    return {
      event: action,
      build: (target: Target) => {
        const digest = createHmac('sha256', target.secret ?? '')
          .update(body)
          .digest('hex');
        const signed: Record<string, string> = target.secret === null ? {} : { signature: `sha256 ${digest}` };
        return { body, headers: { ...signed, ...(eventId === null ? {} : { 'greenhouse-event-id': eventId }) } };
      },
    };
  }

  protected override async ping(target: Target): Promise<number> {
    const settings = { web_hook_id: 512, name: 'Hiring platform', url: target.url.replace(/\?.*/, '') };
    return (await this.sender.once(target, this.message('ping', settings, null))).status;
  }

  protected control() {
    return {
      job: this.add.job,
      candidate: this.add.candidate,
      change: (id: number, fields: Partial<Row>) => this.change(id, fields),
      changeApplication: (id: number, fields: Partial<Row>) => this.changeApplication(id, fields),
      remove: (id: number) => this.remove(id),
      merge: (id: number, into: number) => this.merge(id, into),
      fill: (count: number) => this.fill(count),
      notes: (id: number) => this.notesOf(id),
    };
  }

  protected isApi(path: string): boolean {
    return path.startsWith('/v3/');
  }

  protected override limitHeaders({ limit, remaining, resetAt }: ReturnType<Limit['take']>): Record<string, string> {
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.ceil(resetAt / 1_000)),
    };
  }

  protected tooMany(resetAt: number): SimAnswer {
    const seconds = Math.max(1, Math.ceil((resetAt - Date.now()) / 1_000));
    return { ...errorOf(429), headers: { 'retry-after': String(seconds) } };
  }

  protected authenticate({ headers, method, path }: SimRequest): void {
    const scopes = this.grants.scopesOf((headers['authorization'] ?? '').replace(/^Bearer /, ''));
    if (scopes === null) throw new SimRefusal(errorOf(401));
    const needed = `harvest:${path.split('/')[2]}:${SCOPES[method]}`;
    if (scopes !== 'all' && !scopes.split(' ').includes(needed)) throw new SimRefusal(errorOf(403));
  }

  protected route(request: SimRequest): SimAnswer {
    const [, , room = '', id = ''] = request.path.split('/');
    const lists: Record<string, Map<number, Row>> = {
      jobs: this.jobs,
      candidates: this.candidates,
      applications: this.applications,
      users: this.users,
      sources: this.sources,
      notes: this.notes,
    };
    const rows = lists[room];
    if (rows === undefined) throw new SimRefusal(errorOf(404));
    if (request.method === 'PATCH' && room === 'candidates') return this.patch(request, Number(id));
    if (request.method === 'POST' && room === 'notes' && id === '') return this.note(request);
    // v3 has no GET by id.
    if (request.method !== 'GET' || id !== '') throw new SimRefusal(errorOf(404));
    return this.page(request, [...rows.values()]);
  }

  private note(request: SimRequest): SimAnswer {
    const given = (request.json ?? {}) as Record<string, unknown>;
    const application = this.applications.get(given['application_id'] as number);
    const candidateId = (given['candidate_id'] ?? application?.['candidate_id']) as number;
    const user = this.users.get(given['user_id'] as number);
    const visible = ['admin_only', 'private', 'public'].includes(String(given['visibility']));
    if (!this.candidates.has(candidateId)) throw new SimRefusal(errorOf(404));
    if (user === undefined || user['disabled'] === true) throw new SimRefusal(errorOf(422, 'user_id is invalid'));
    if (!visible || typeof given['body'] !== 'string') throw new SimRefusal(errorOf(422, 'visibility is invalid'));
    this.recorded(request);
    const note: Row = { ...this.stamped(), ...given, candidate_id: candidateId, type: given['note_type'] ?? 'NOTE' };
    this.notes.set(note.id, note);
    return { status: 201, json: note };
  }

  private patch(request: SimRequest, id: number): SimAnswer {
    const candidate = this.candidates.get(id);
    if (candidate === undefined) throw new SimRefusal(errorOf(404));
    const given = ((request.json as Record<string, unknown> | undefined)?.['custom_fields'] ?? []) as {
      name_key: string;
      value: unknown;
    }[];
    const known = candidate['custom_fields'] as { name_key: string }[];
    if (given.some((one) => !known.some((field) => field.name_key === one.name_key)))
      throw new SimRefusal(errorOf(422));
    this.recorded(request);
    const fields = known.map((field) => ({ ...field, ...given.find((one) => one.name_key === field.name_key) }));
    return { status: 200, json: this.change(id, { custom_fields: fields }) };
  }

  private page({ query, path }: SimRequest, all: readonly Row[]): SimAnswer {
    const cursor = query.get('cursor');
    if (cursor !== null && [...query.keys()].length > 1) throw new SimRefusal(errorOf(422, CURSOR_ALONE));
    const place =
      cursor === null ? null : (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, number]);
    const asked = new URLSearchParams(place?.[0] ?? query.toString());
    const per = Number(asked.get('per_page') ?? 100);
    if (!Number.isInteger(per) || per < 1 || per > MOST_PAGE) throw new SimRefusal(errorOf(422, 'per_page is invalid'));
    const rows = wanted(all, asked).sort((one, other) => other.id - one.id);
    const from = place?.[1] ?? 0;
    const next = Buffer.from(JSON.stringify([asked.toString(), from + per])).toString('base64url');
    const link = `<${this.origin}${path}?cursor=${next}>; rel="next"`;
    const headers: Record<string, string> = from + per < rows.length ? { link } : {};
    return { status: 200, headers, json: rows.slice(from, from + per) };
  }

  private tellApplication(action: string, id: number): void {
    const one = this.applications.get(id)!;
    const candidate = this.candidates.get(one['candidate_id'] as number)!;
    const job = this.jobs.get(one['job_id'] as number);
    const source = this.sources.get(one['source_id'] as number);
    const application = {
      id: one.id,
      rejected_at: one['rejected_at'],
      prospect: one['prospect'],
      status: one['status'] === 'in_process' ? 'active' : one['status'],
      applied_at: one['applied_at'],
      last_activity_at: one['last_activity_at'],
      source: source === undefined ? null : { id: source.id, name: source['name'] },
      credited_to: null,
      current_stage: { id: one['stage_id'], name: one['stage_name'], interviews: [] },
      candidate: this.personInWebhook(candidate),
      jobs: job === undefined ? [] : [this.jobInWebhook(job)],
    };
    this.tell(action, { application });
  }

  private personInWebhook({ id, first_name, last_name, created_at, email_addresses }: Row): Record<string, unknown> {
    const url = `https://app.greenhouse.io/people/${id}`;
    return {
      id,
      first_name,
      last_name,
      created_at,
      external_id: null,
      url,
      email_addresses,
      phone_numbers: [],
      tags: [],
    };
  }

  private jobInWebhook({ id, name, status, created_at, opened_at, closed_at }: Row): Record<string, unknown> {
    const departments = [{ id: 7, name: 'R&D', external_id: null }];
    const offices = [{ id: 13, name: 'Lisbon', location: 'Lisbon, Portugal', external_id: null }];
    return { id, name, status, created_at, opened_at, closed_at, departments, offices, custom_fields: {} };
  }

  private drop(id: number): Record<string, unknown> {
    const { first_name, last_name, created_at } = this.candidates.get(id)!;
    this.candidates.delete(id);
    for (const one of this.applicationsOf(id)) this.applications.delete(one.id);
    return { id, first_name, last_name, created_at };
  }

  private stamped(id: number = ++this.numbers): Row {
    return { id, created_at: this.iso(), updated_at: this.iso() };
  }

  private iso(): string {
    return new Date(this.now()).toISOString();
  }
}

function wanted(all: readonly Row[], asked: URLSearchParams): Row[] {
  const since = /^gte\|(.+)$/.exec(asked.get('updated_at') ?? '')?.[1];
  const ids = idsOf(asked, 'ids');
  const candidateIds = idsOf(asked, 'candidate_ids');
  return all.filter(
    (row) =>
      (since === undefined || Date.parse(row.updated_at) >= Date.parse(since)) &&
      (ids === null || ids.has(row.id)) &&
      (candidateIds === null || candidateIds.has(row['candidate_id'] as number)),
  );
}

function idsOf(asked: URLSearchParams, name: string): Set<number> | null {
  const text = asked.get(name);
  if (text === null) return null;
  const ids = text.split(',').map(Number);
  if (ids.length > MOST_IDS || ids.some(Number.isNaN)) throw new SimRefusal(errorOf(422, `${name} is invalid`));
  return new Set(ids);
}

function errorOf(status: number, words = 'Refused.'): SimAnswer {
  return { status, json: { errors: [words] } };
}

function repeated(answer: SimAnswer, request: SimRequest): SimAnswer {
  const cursor = request.query.get('cursor') ?? Buffer.from(JSON.stringify(['', 0])).toString('base64url');
  const link = `<http://sim${request.path}?cursor=${cursor}>; rel="next"`;
  return { ...answer, headers: { ...answer.headers, link } };
}
