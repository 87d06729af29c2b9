import { createHmac, randomBytes } from 'node:crypto';
import { Grants } from '../core/grants.js';
import { SimRefusal, type SimAnswer, type SimRequest } from '../core/http.js';
import type { Message, Target } from '../core/sender.js';
import { Simulator, type SimOptions } from '../core/simulator.js';

/** A row of a list: filters look at some of its members. */
type Shown = Record<string, unknown> & { id: string; updatedAt?: number };
type Row = Record<string, unknown> & { id: string; createdAt: number; updatedAt: number };

const LIMIT = { kind: 'bucket', perSecond: 10, burst: 20 } as const;
const RETRY = { waits: [10, 60, 300, 900, 1_800], taken: (status: number) => status >= 200 && status < 300 };
const MOST_PAGE = 100;
const EVENTS = [
  'applicationCreated',
  'candidateHired',
  'candidateStageChange',
  'candidateArchiveChange',
  'candidateDeleted',
  'interviewCreated',
  'interviewUpdated',
  'interviewDeleted',
  'contactCreated',
  'contactUpdated',
];

/** An opportunity as a test names it. */
export interface NewOpportunity {
  id?: string;
  name?: string;
  emails?: string[];
  stage?: string;
  /** The posting of its application; null: there is no application. */
  posting?: string | null;
  archived?: { reason: string; archivedAt: number } | null;
  sources?: string[];
  sourcedBy?: string | null;
  updatedAt?: number;
  /** No webhook tells of it. */
  silent?: boolean;
  [field: string]: unknown;
}

/** Lever. */
export class LeverSimulator extends Simulator {
  readonly title = 'Lever';
  readonly grants: Grants;
  readonly apiKey: string;
  readonly postings = new Map<string, Row>();
  readonly opportunities = new Map<string, Row>();
  readonly applications = new Map<string, Row>();
  readonly users = new Map<string, Row>();
  readonly stages = new Map<string, { id: string; text: string }>();
  readonly notes = new Map<string, (Row & { value: string; opportunity: string; user: string; deletedAt: null })[]>();
  private readonly deleted: { kind: 'posting' | 'opportunity'; id: string; deletedAt: number }[] = [];

  constructor(options: SimOptions) {
    super('lever', options, {
      limit: LIMIT,
      retry: RETRY,
      words: { error: errorOf, failedRow: () => errorOf(400), repeated },
    });
    this.apiKey = options.apiKey ?? 'lever-test-api-key';
    const rules = {
      authorizePath: '/authorize',
      tokenPath: '/oauth/token',
      revokePath: '/oauth/revoke',
      clientAuth: 'body',
      accessSeconds: 3_600,
      refreshSeconds: 90 * 86_400,
      expiry: 'in',
      codeSeconds: 60,
      audience: 'https://api.lever.co/v1/',
    } as const;
    this.grants = new Grants(rules, options.client ?? {}, () => this.now(), 'lev');
    for (const [id, text] of [
      ['applicant-new', 'New applicant'],
      ['phone-interview', 'Phone interview'],
      ['ai-interview', 'AI interview'],
      ['offer', 'Offer'],
    ] as const) {
      this.stages.set(id, { id, text });
    }
    this.add.user({ id: '32bc4d3b-0000-4e2b-92d0-00000000d4a1', name: 'Dana Whitlock' });
  }

  static start(options: SimOptions = {}): Promise<LeverSimulator> {
    return new LeverSimulator(options).listen();
  }

  get url(): string {
    return `${this.origin}/v1`;
  }

  /** Makes records; webhooks tell of them where the vendor sends such. */
  readonly add = {
    posting: (given: Partial<Row> & { text?: string; state?: string } = {}): Row => {
      const posting = {
        ...this.stamped(given.id),
        text: 'Senior Backend Engineer',
        state: 'published',
        categories: {
          commitment: 'Full-time',
          department: 'Engineering',
          location: 'Lisbon, Portugal',
          team: 'Platform',
        },
        confidentiality: 'non-confidential',
        ...given,
      } as Row;
      posting['urls'] ??= { show: `https://jobs.lever.co/harborline/${posting.id}` };
      this.postings.set(posting.id, posting);
      return posting;
    },
    opportunity: ({ posting = null, silent = false, ...given }: NewOpportunity = {}): Row => {
      const made = this.stamped(given.id);
      const application = posting === null ? null : this.application(made.id, posting);
      const opportunity = {
        ...made,
        name: 'Tomas Lindqvist',
        contact: this.newId(),
        headline: '',
        stage: 'applicant-new',
        confidentiality: 'non-confidential',
        emails: ['tomas.lindqvist@example.com'],
        phones: [],
        links: [],
        archived: null,
        tags: [],
        sources: ['Careers page'],
        origin: 'applied',
        sourcedBy: null,
        applications: application === null ? [] : [application.id],
        urls: { show: `https://hire.lever.co/candidates/${made.id}` },
        isAnonymized: false,
        ...given,
      } as Row;
      this.opportunities.set(opportunity.id, opportunity);
      const named = { applicationId: application?.id, opportunityId: opportunity.id };
      if (!silent && application !== null) this.tell('applicationCreated', named);
      return opportunity;
    },
    user: (given: { id?: string; name?: string; email?: string; deactivatedAt?: number | null } = {}): Row => {
      const user = {
        ...this.stamped(given.id),
        name: 'Dana Whitlock',
        email: 'dana@harborline.example',
        ...given,
      } as Row;
      this.users.set(user.id, user);
      return user;
    },
    stage: (id: string, text: string): void => void this.stages.set(id, { id, text }),
  };

  /** Changes an opportunity; the webhook of a stage, an archive or a hire goes out unless it is silent. */
  change(id: string, fields: Partial<Row>, { silent = false } = {}): Row {
    const before = this.opportunities.get(id);
    if (before === undefined) throw new Error(`no opportunity ${id}`);
    const after = { ...before, updatedAt: this.now(), ...fields } as Row;
    this.opportunities.set(id, after);
    if (silent) return after;
    if (after['stage'] !== before['stage']) {
      this.tell('candidateStageChange', { opportunityId: id, toStageId: after['stage'], fromStageId: before['stage'] });
    }
    if (after['archived'] !== before['archived']) this.tell('candidateArchiveChange', { opportunityId: id });
    return after;
  }

  /** Changes a posting. Lever has no webhook for it. */
  changePosting(id: string, fields: Partial<Row>): Row {
    const after = { ...this.postings.get(id)!, updatedAt: this.now(), ...fields };
    this.postings.set(id, after);
    return after;
  }

  /** Deletes an opportunity or a posting. */
  remove(id: string, { silent = false } = {}): void {
    if (this.postings.delete(id)) {
      this.deleted.push({ kind: 'posting', id, deletedAt: this.now() });
      return;
    }
    this.opportunities.delete(id);
    this.deleted.push({ kind: 'opportunity', id, deletedAt: this.now() });
    if (!silent) this.tell('candidateDeleted', { opportunityId: id, candidateId: id });
  }

  /** Makes many candidates of one posting, without webhooks. */
  fill(count: number, { posting = this.add.posting().id } = {}): void {
    const at = this.now() - count;
    for (let i = 0; i < count; i++) {
      const name = `Given${i} Family${i}`;
      const emails = [`candidate${i}@example.com`];
      this.add.opportunity({ name, emails, posting, silent: true, updatedAt: at + i });
    }
  }

  /** The texts of an opportunity's notes. */
  notesOf(id: string): { id: string; value: string; secret: unknown; user: string }[] {
    return (this.notes.get(id) ?? []).map(({ id: note, value, secret, user }) => ({ id: note, value, secret, user }));
  }

  linksOf(id: string): string[] {
    return (this.opportunities.get(id)?.['links'] ?? []) as string[];
  }

  /** Sends an event. */
  tell(event: string, data: Record<string, unknown>): void {
    this.sender.send(this.targets, this.message(event, data));
  }

  /** Returns an event, for tests that send it themselves. */
  message(event: string, data: Record<string, unknown>, given: { token?: string; triggeredAt?: number } = {}): Message {
    const token = given.token ?? randomBytes(24).toString('hex');
    const triggeredAt = given.triggeredAt ?? this.now();
    const id = this.newId();
    return {
      event,
      build: (target: Target) => {
        const signature = createHmac('sha256', target.secret ?? '')
          .update(`${token}${triggeredAt}`)
          .digest('hex');
        const signed = target.secret === null ? {} : { signature };
        const body = JSON.stringify({ id, triggeredAt, event, data, ...signed, token });
        return { body, headers: { 'user-agent': 'Lever-Webhooks' } };
      },
    };
  }

  /** The Test button of the vendor's settings. */
  async test(target: Target): Promise<number> {
    return (await this.sender.once(target, this.message(target.event ?? 'candidateHired', {}))).status;
  }

  protected control() {
    return {
      posting: this.add.posting,
      opportunity: this.add.opportunity,
      user: this.add.user,
      change: (id: string, fields: Partial<Row>, how?: { silent?: boolean }) => this.change(id, fields, how),
      remove: (id: string, how?: { silent?: boolean }) => this.remove(id, how),
      fill: (count: number) => this.fill(count),
      notes: (id: string) => this.notesOf(id),
      links: (id: string) => this.linksOf(id),
    };
  }

  protected isApi(path: string): boolean {
    return path.startsWith('/v1/');
  }

  protected tooMany(): SimAnswer {
    return errorOf(429);
  }

  protected authenticate({ headers, method, path }: SimRequest): void {
    const given = headers['authorization'] ?? '';
    if (given === `Basic ${Buffer.from(`${this.apiKey}:`).toString('base64')}`) return;
    const scopes = this.grants.scopesOf(given.replace(/^Bearer /, ''));
    if (scopes === null) throw new SimRefusal(errorOf(401));
    const room = path.split('/')[2] ?? '';
    const right = room === 'opportunities' && path.endsWith('/notes') ? 'notes' : room;
    const needed = method === 'GET' ? ['read', 'write'] : ['write'];
    const has = scopes.split(' ').some((scope) => {
      const [of, may] = scope.split(':');
      return of === right && needed.includes(may!);
    });
    if (!has) throw new SimRefusal(errorOf(403));
  }

  protected route(request: SimRequest): SimAnswer {
    const [, , room = '', id = '', below = '', last = ''] = request.path.split('/').map(decodeURIComponent);
    if (room === 'webhooks') return this.webhookRoute(request, id);
    if (id === 'deleted' && request.method === 'GET') return this.deletedPage(request, room);
    if (room === 'opportunities' && below !== '') return this.ofOpportunity(request, id, below, last);
    if (request.method !== 'GET') throw new SimRefusal(errorOf(405));
    const rows = { postings: this.postings, opportunities: this.opportunities, users: this.users, stages: this.stages }[
      room
    ];
    if (rows === undefined) throw new SimRefusal(errorOf(404));
    if (id === '') return this.page(request, [...rows.values()] as Row[], room);
    const found = rows.get(id) as Row | undefined;
    if (found === undefined) throw new SimRefusal(errorOf(404));
    return { status: 200, json: { data: this.expanded(found, request, room) } };
  }

  private ofOpportunity(request: SimRequest, id: string, below: string, last: string): SimAnswer {
    const opportunity = this.opportunities.get(id);
    if (opportunity === undefined) throw new SimRefusal(errorOf(404));
    if (below === 'applications') {
      const own = [...this.applications.values()].filter(({ opportunityId }) => opportunityId === id);
      if (last === '') return this.page(request, own, 'applications');
      const found = own.find((one) => one.id === last);
      if (found === undefined) throw new SimRefusal(errorOf(404));
      return { status: 200, json: { data: found } };
    }
    if (below === 'notes') return this.notesRoute(request, id, last);
    if (request.method !== 'POST' || !/^(add|remove)Links$/.test(below)) throw new SimRefusal(errorOf(404));
    this.performer(request);
    const given = (request.json as { links?: unknown } | undefined)?.links;
    if (!Array.isArray(given)) throw new SimRefusal(errorOf(400));
    const kept = this.linksOf(id).filter((link) => !given.includes(link));
    this.recorded(request);
    const after = this.change(id, { links: below === 'addLinks' ? [...kept, ...given] : kept });
    return { status: 200, json: { data: after } };
  }

  private notesRoute(request: SimRequest, id: string, noteId: string): SimAnswer {
    const own = this.notes.get(id) ?? [];
    if (request.method === 'GET') return this.page(request, own.map(noteOf), 'notes');
    const user = this.performer(request);
    if (request.method === 'DELETE') {
      if (!own.some((note) => note.id === noteId)) throw new SimRefusal(errorOf(404));
      this.recorded(request);
      this.notes.set(
        id,
        own.filter((note) => note.id !== noteId),
      );
      return { status: 204 };
    }
    const { value, secret = false } = (request.json ?? {}) as { value?: unknown; secret?: unknown };
    if (typeof value !== 'string' || value === '') throw new SimRefusal(errorOf(400));
    this.recorded(request);
    const note = { ...this.stamped(), value, secret, opportunity: id, user, deletedAt: null };
    this.notes.set(id, [...own, note]);
    return { status: 201, json: { data: noteOf(note) } };
  }

  /** Each write is made as a user who is active. */
  private performer({ query }: SimRequest): string {
    const user = this.users.get(query.get('perform_as') ?? '');
    if (user === undefined || (user['deactivatedAt'] ?? null) !== null) throw new SimRefusal(errorOf(400));
    return user.id;
  }

  private webhookRoute(request: SimRequest, id: string): SimAnswer {
    const shown = (target: Target, token?: string) => ({
      id: target.id,
      event: target.event,
      url: target.url,
      configuration: { conditions: { origins: [] }, ...(token === undefined ? {} : { signatureToken: token }) },
      createdAt: this.now(),
      updatedAt: this.now(),
    });
    if (request.method === 'GET')
      return this.page(
        request,
        this.targets.map((one) => shown(one)),
        'webhooks',
      );
    if (request.method === 'DELETE') {
      if (!this.targets.some((target) => target.id === id)) throw new SimRefusal(errorOf(404));
      this.targets = this.targets.filter((target) => target.id !== id);
      return { status: 204 };
    }
    const { url, event } = (request.json ?? {}) as { url?: string; event?: string };
    if (url === undefined || !URL.canParse(url) || !EVENTS.includes(event ?? '')) throw new SimRefusal(errorOf(400));
    if (this.targets.some((target) => target.event === event && target.url === url)) throw new SimRefusal(errorOf(400));
    const secret = randomBytes(20).toString('hex');
    const target = { id: this.newId(), url, event: event!, secret, headers: {} };
    this.targets.push(target);
    this.recorded(request);
    return { status: 201, json: { data: shown(target, secret) } };
  }

  private deletedPage(request: SimRequest, room: string): SimAnswer {
    const from = Number(request.query.get('deleted_at_start') ?? 0);
    const kind = room === 'postings' ? 'posting' : 'opportunity';
    const rows = this.deleted.filter((one) => one.kind === kind && one.deletedAt >= from);
    return this.page(
      request,
      rows.map(({ id, deletedAt }) => ({ id, deletedAt })),
      'deleted',
    );
  }

  private page(request: SimRequest, rows: readonly Shown[], room: string): SimAnswer {
    const limit = Number(request.query.get('limit') ?? MOST_PAGE);
    if (!Number.isInteger(limit) || limit < 1 || limit > MOST_PAGE) throw new SimRefusal(errorOf(400));
    const since = Number(request.query.get('updated_at_start') ?? 0);
    const email = request.query.get('email');
    const wanted = rows.filter(
      (row) => (since === 0 || (row.updatedAt ?? 0) >= since) && (email === null || row['email'] === email),
    );
    const offset = request.query.get('offset');
    const from = offset === null ? 0 : Number(/^%5B(\d+)%5D$/.exec(offset)?.[1] ?? NaN);
    if (Number.isNaN(from)) throw new SimRefusal(errorOf(400));
    const data = wanted.slice(from, from + limit).map((row) => this.expanded(row, request, room));
    const hasNext = from + limit < wanted.length;
    return { status: 200, json: { data, ...(hasNext ? { next: `%5B${from + limit}%5D` } : {}), hasNext } };
  }

  private expanded(row: Shown, { query }: SimRequest, room: string): Shown {
    if (room !== 'opportunities') return row;
    const wanted = query.getAll('expand');
    const own = (row['applications'] as string[]).flatMap((id) => this.applications.get(id) ?? []);
    return {
      ...row,
      ...(wanted.includes('applications') ? { applications: own } : {}),
      ...(wanted.includes('stage') ? { stage: this.stages.get(row['stage'] as string) ?? row['stage'] } : {}),
      ...(wanted.includes('sourcedBy') ? { sourcedBy: this.users.get(row['sourcedBy'] as string) ?? null } : {}),
    };
  }

  private application(opportunityId: string, posting: string): Row {
    const application = {
      ...this.stamped(),
      opportunityId,
      candidateId: opportunityId,
      type: 'posting',
      posting,
      archived: null,
    };
    this.applications.set(application.id, application);
    return application;
  }

  private stamped(id: string = this.newId()): Row {
    return { id, createdAt: this.now(), updatedAt: this.now() };
  }
}

function noteOf(note: Row & { value: string; user: string }): Row {
  const { id, value, user, createdAt, updatedAt } = note;
  const field = { createdAt, score: null, stage: 'applicant-new', text: 'Comment', type: 'note', user, value };
  const more = { text: 'Note', user, secret: note['secret'], completedAt: createdAt, deletedAt: null, noteId: id };
  return { id, fields: [field], ...more, createdAt, updatedAt };
}

const CODES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'ResourceNotFound',
  405: 'MethodNotAllowed',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
};

function errorOf(status: number): SimAnswer {
  return { status, json: { code: CODES[status] ?? 'InternalServerError', message: 'Refused.' } };
}

function repeated(answer: SimAnswer, { query }: SimRequest): SimAnswer {
  return { ...answer, json: { ...(answer.json as object), hasNext: true, next: query.get('offset') ?? '%5B0%5D' } };
}
