import { Grants } from '../core/grants.js';
import { SimRefusal, type SimAnswer, type SimRequest } from '../core/http.js';
import type { Message, Target } from '../core/sender.js';
import { Simulator, type SimOptions } from '../core/simulator.js';

type Given = Record<string, unknown>;
type Row = Given & { id: string; Created_Time: string; Modified_Time: string };

const LIMIT = { kind: 'window', requests: 100, seconds: 60 } as const;
// What is sent once and not taken is lost.
const RETRY = { waits: [], taken: (status: number) => status >= 200 && status < 300 };
const MOST_PAGE = 200;
const MOST_ROWS = 100;
const DAY_MS = 24 * 3_600_000;
const MODULES = ['Candidates', 'Job_Openings', 'Applications'] as const;
type Module = (typeof MODULES)[number];

/** A candidate as a test names it. */
export interface NewZohoCandidate {
  first?: string | null;
  last?: string;
  email?: string | null;
  /** The opening of the application; null: there is none. */
  job?: string | null;
  status?: string;
  silent?: boolean;
  id?: string;
  /** More fields of the layout. */
  fields?: Given;
}

interface Channel extends Target {
  channelId: string;
  expires: number;
}

/** Zoho Recruit: modules, rows with a code each, and channels that end. */
export class ZohoRecruitSimulator extends Simulator {
  readonly title = 'Zoho Recruit';
  readonly grants: Grants;
  readonly rows: Record<Module, Map<string, Row>> = {
    Candidates: new Map(),
    Job_Openings: new Map(),
    Applications: new Map(),
  };
  readonly notes = new Map<string, { id: string; value: string; parent: string }>();
  readonly users = new Map<string, Given>();
  private readonly deleted: { module: Module; id: string; deleted_time: string }[] = [];
  private made = 0;

  constructor(options: SimOptions) {
    super('zoho_recruit', options, {
      limit: LIMIT,
      retry: RETRY,
      words: { error: errorOf, failedRow: () => rowError('INVALID_DATA', 'Last_Name'), repeated },
    });
    const rules = {
      authorizePath: '/oauth/v2/auth',
      tokenPath: '/oauth/v2/token',
      revokePath: '/oauth/v2/token/revoke',
      clientAuth: 'body',
      accessSeconds: 3_600,
      refreshSeconds: 10 * 365 * 86_400,
      expiry: 'in',
      codeSeconds: 60,
      audience: null,
      keepsRefresh: true,
      refusedStatus: 200,
      refusedWord: 'invalid_code',
      answer: () => ({ location: 'eu', 'accounts-server': this.accountsServer ?? this.origin }),
    } as const;
    this.grants = new Grants(rules, options.client ?? {}, () => this.now(), 'zoho');
    const user = { id: '480912000000185001', full_name: 'Dana Whitlock', email: 'dana@harborline.example' };
    this.users.set(user.id, { ...user, status: 'active' });
  }

  static start(options: SimOptions = {}): Promise<ZohoRecruitSimulator> {
    return new ZohoRecruitSimulator(options).listen();
  }

  /** What the answer to an authorization names as the data centre of the account; null: this one. */
  accountsServer: string | null = null;

  get url(): string {
    return `${this.origin}/recruit/v2`;
  }

  /** Makes records; channels tell of them unless they are silent. */
  readonly add = {
    job: ({ silent = false, ...given }: Given & { silent?: boolean } = {}): Row => {
      const number = ++this.made;
      const job = this.stamped({
        Posting_Title: 'Backend Engineer',
        Job_Opening_ID: `ZR_${number}_JOB`,
        Job_Opening_Status: 'In-progress',
        Job_Type: 'Full time',
        City: 'Vienna',
        ...given,
      });
      this.put('Job_Openings', { Job_Opening_Name: job['Posting_Title'], ...job }, silent ? null : 'insert');
      return job;
    },
    candidate: (given: NewZohoCandidate = {}): Row => {
      const { first = 'Zoë', last = 'Müller', email = 'zoe.muller@example.com', job = null, silent = false } = given;
      const candidate = this.stamped({
        ...(given.id === undefined ? {} : { id: given.id }),
        Candidate_ID: `ZR_${++this.made}_CAND`,
        First_Name: first,
        Last_Name: last,
        Full_Name: [first, last].filter((part) => part !== null).join(' '),
        Email: email,
        Secondary_Email: null,
        Candidate_Status: job === null ? 'New' : (given.status ?? 'Associated'),
        Source: 'Career site',
        AI_Interview_Link: null,
        ...given.fields,
      });
      this.put('Candidates', candidate, null);
      if (job !== null) this.add.application(candidate.id, job, { ...given, silent: true });
      if (!silent) this.tell('Candidates', 'insert', [candidate.id]);
      return candidate;
    },
    application: (
      candidateId: string,
      jobId: string,
      { status = 'Associated', silent = false }: { status?: string; silent?: boolean } = {},
    ): Row => {
      const job = this.rows.Job_Openings.get(jobId);
      const application = this.stamped({
        Application_ID: `ZR_${++this.made}_APP`,
        $Candidate_Id: candidateId,
        $Job_Opening_Id: jobId,
        Posting_Title: job?.['Posting_Title'],
        Application_Status: status,
      });
      this.put('Applications', application, silent ? null : 'insert');
      return application;
    },
  };

  /** Changes a record of a module; of an application also the state of its candidate, as Zoho does. */
  change(module: Module, id: string, fields: Given, { silent = false } = {}): Row {
    const before = this.rows[module].get(id)!;
    const after: Row = { ...before, ...fields, Modified_Time: this.time() };
    if (module === 'Candidates' && ('First_Name' in fields || 'Last_Name' in fields)) {
      after['Full_Name'] = [after['First_Name'], after['Last_Name']]
        .filter((part) => typeof part === 'string')
        .join(' ');
    }
    this.put(module, after, silent ? null : 'update');
    if (module === 'Applications' && fields['Application_Status'] !== undefined) {
      const status = { Candidate_Status: fields['Application_Status'] };
      this.change('Candidates', String(before['$Candidate_Id']), status, { silent });
    }
    return after;
  }

  remove(module: Module, id: string, { silent = false } = {}): void {
    this.rows[module].delete(id);
    this.deleted.push({ module, id, deleted_time: this.time() });
    if (module === 'Candidates') {
      for (const one of this.applicationsOf(id)) this.rows.Applications.delete(one.id);
    }
    if (!silent) this.tell(module, 'delete', [id]);
  }

  fill(count: number, { job = this.add.job({ silent: true }).id } = {}): void {
    for (let i = 0; i < count; i++) {
      this.add.candidate({
        first: `Given${i}`,
        last: `Family${i}`,
        email: `candidate${i}@example.com`,
        job,
        silent: true,
      });
    }
  }

  notesOf(id: string): { id: string; value: string; parent: string }[] {
    return [...this.notes.values()].filter(({ parent }) => parent === id);
  }

  /** Lets all channels end. */
  endChannels(): void {
    this.targets = [];
  }

  /** When each channel ends, in milliseconds since 1970. */
  channelEnds(): number[] {
    return this.channels().map(({ expires }) => expires);
  }

  /** Sends a notification to the channels of a module. */
  tell(module: Module, operation: string, ids: readonly string[]): void {
    for (const channel of this.channels()) {
      if (channel.event === `${module}.all` && channel.expires > this.now()) {
        this.sender.send([{ ...channel, event: null }], this.message(module, operation, ids, channel.channelId));
      }
    }
  }

  /** Returns a notification, for tests that send it themselves. */
  message(module: string, operation: string, ids: readonly string[], channelId = '1000000068001'): Message {
    const event = {
      server_time: this.now() + this.made++ / 1_000,
      query_params: {},
      module,
      resource_uri: `${this.origin}/recruit/v2/${module}`,
      ids,
      affected_fields: [],
      operation,
      channel_id: channelId,
    };
    return {
      event: `${module}.${operation}`,
      build: ({ secret }: Target) => {
        const body = JSON.stringify({ ...event, ...(secret === null ? {} : { token: secret }) });
        return { body, headers: { 'content-type': 'application/json' } };
      },
    };
  }

  protected control() {
    return {
      job: this.add.job,
      candidate: this.add.candidate,
      application: (candidate: string, job: string, given?: Given) => this.add.application(candidate, job, given),
      change: (module: Module, id: string, fields: Given) => this.change(module, id, fields),
      remove: (module: Module, id: string) => this.remove(module, id),
      fill: (count: number) => this.fill(count),
      notes: (id: string) => this.notesOf(id),
    };
  }

  protected isApi(path: string): boolean {
    return path.startsWith('/recruit/v2/');
  }

  protected tooMany(): SimAnswer {
    return errorOf(429);
  }

  protected authenticate({ headers, method, path }: SimRequest): void {
    const given = headers['authorization'];
    if (given === undefined) throw new SimRefusal(refusal(401, 'AUTHENTICATION_FAILURE'));
    const scopes = this.grants.scopesOf(given.replace(/^Zoho-oauthtoken /, ''));
    if (scopes === null || !given.startsWith('Zoho-oauthtoken ')) throw new SimRefusal(errorOf(401));
    const operation = { GET: 'READ', POST: 'CREATE', DELETE: 'DELETE' }[method] ?? 'UPDATE';
    const family = path.includes('/actions/watch') ? 'notifications' : path.includes('/users') ? 'users' : 'modules';
    const admitted = [`ZohoRecruit.${family}.ALL`, `ZohoRecruit.${family}.${operation}`];
    if (!scopes.split(/[ ,]/).some((scope) => admitted.includes(scope))) {
      throw new SimRefusal(refusal(401, 'OAUTH_SCOPE_MISMATCH'));
    }
  }

  protected route(request: SimRequest): SimAnswer {
    const [room = '', id = '', below = ''] = request.path.split('/').slice(3).map(decodeURIComponent);
    if (room === 'actions') return this.watchRoute(request);
    if (room === 'users') return this.userRoute(id);
    if (room === 'Notes') return this.noteRoute(request, id);
    const module = MODULES.find((name) => name === room);
    if (module === undefined) throw new SimRefusal(refusal(400, 'INVALID_MODULE'));
    if (request.method === 'PUT') return this.update(request, module, id);
    if (request.method !== 'GET') throw new SimRefusal(refusal(400, 'INVALID_REQUEST_METHOD'));
    if (id === '')
      return this.page(
        request,
        [...this.rows[module].values()].map((row) => this.shown(module, row)),
      );
    if (id === 'deleted') return this.deletedPage(request, module);
    if (!/^\d+$/.test(id)) throw new SimRefusal(unknownId());
    const found = this.rows[module].get(id);
    if (found === undefined) return { status: 204 };
    if (below === '') return { status: 200, json: { data: [this.shown(module, found)] } };
    if (below === 'associate') return this.page(request, this.associated(id));
    if (below === 'Notes') return this.page(request, this.notesOf(id).map(noteOf));
    throw new SimRefusal({
      status: 400,
      json: { code: 'INVALID_DATA', message: 'the relation name given seems to be invalid' },
    });
  }

  private update(request: SimRequest, module: Module, id: string): SimAnswer {
    const rows = dataOf(request);
    if (!this.rows[module].has(id)) throw new SimRefusal(rowError('INVALID_DATA', 'id'));
    const [fields] = rows;
    if (Object.keys(fields!).some((name) => !(name in this.rows[module].get(id)!))) {
      throw new SimRefusal(rowError('INVALID_DATA', Object.keys(fields!)[0]!));
    }
    this.recorded(request);
    const { Modified_Time } = this.change(module, id, fields!);
    return rowDone(200, { id, Modified_Time });
  }

  private noteRoute(request: SimRequest, id: string): SimAnswer {
    if (request.method === 'DELETE') {
      if (!this.notes.delete(id)) throw new SimRefusal(rowError('INVALID_DATA', 'id'));
      this.recorded(request);
      return rowDone(200, { id });
    }
    if (request.method !== 'POST') throw new SimRefusal(refusal(403, 'NO_PERMISSION'));
    const [note] = dataOf(request);
    const { Note_Content: value, Parent_Id: parent, se_module: module } = note as Record<string, string>;
    const isKnown = MODULES.some((name) => name === module) && this.rows[module as Module].has(parent ?? '');
    if (!isKnown) throw new SimRefusal(rowError('INVALID_DATA', 'Parent_Id'));
    if (typeof value !== 'string' || value === '')
      throw new SimRefusal(rowError('MANDATORY_NOT_FOUND', 'Note_Content'));
    this.recorded(request);
    const made = { id: this.recordId(), value, parent: parent! };
    this.notes.set(made.id, made);
    return rowDone(201, { id: made.id, Created_Time: this.time(), Modified_Time: this.time() });
  }

  private userRoute(id: string): SimAnswer {
    const user = this.users.get(id);
    if (user === undefined) throw new SimRefusal(unknownId());
    return { status: 200, json: { users: [user] } };
  }

  private watchRoute(request: SimRequest): SimAnswer {
    if (request.method === 'GET') return this.channelList();
    if (request.method === 'DELETE') {
      const ids = (request.query.get('channel_ids') ?? '').split(',');
      if (!this.channels().some(({ channelId }) => ids.includes(channelId))) throw new SimRefusal(notSubscribed());
      this.targets = this.channels().filter(({ channelId }) => !ids.includes(channelId));
      this.recorded(request);
      return watchDone('Successfully un-subscribed for actions-watch');
    }
    const [given] = (request.json as { watch: Given[] }).watch;
    const {
      channel_id: channelId,
      events,
      channel_expiry: expiry,
      token,
      notify_url: url,
    } = given as Record<string, string>;
    const event = (events as unknown as string[])[0]!;
    const expires = Date.parse(expiry!);
    const isGood =
      /^\w+\.(all|create|edit|delete)$/.test(event) && expires > this.now() && expires <= this.now() + DAY_MS;
    const hasText = /T\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(expiry!) && (token?.length ?? 0) <= 50;
    if (!isGood || !hasText) throw new SimRefusal(watchError('INVALID_DATA'));
    const known = this.channels().find((one) => one.channelId === channelId && one.expires > this.now());
    this.recorded(request);
    if (request.method === 'PATCH') {
      if (known === undefined) throw new SimRefusal(notSubscribed());
      known.expires = expires;
      return watchDone('Successfully updated the channel');
    }
    const channel: Channel = {
      id: channelId!,
      channelId: channelId!,
      url: url!,
      event,
      secret: token ?? null,
      headers: {},
      expires,
    };
    this.targets.push(channel);
    return watchDone('Successfully subscribed for actions-watch of the given module');
  }

  private channelList(): SimAnswer {
    const watch = this.channels().map(({ channelId, url, event, expires }) => ({
      channel_id: channelId,
      notify_url: url,
      events: [event],
      channel_expiry: new Date(expires).toISOString(),
    }));
    return watch.length === 0 ? { status: 204 } : { status: 200, json: { watch } };
  }

  private channels(): Channel[] {
    return this.targets as Channel[];
  }

  /** Applications show the name and the e-mail of their candidate. */
  private shown(module: Module, row: Row): Row {
    if (module !== 'Applications') return row;
    const person = this.rows.Candidates.get(String(row['$Candidate_Id'])) ?? ({} as Row);
    const { First_Name, Last_Name, Full_Name, Email, Source } = person as Given;
    return { ...row, First_Name, Last_Name, Full_Name, Email, Source };
  }

  private associated(candidateId: string): Row[] {
    return this.applicationsOf(candidateId).flatMap((application) => {
      const job = this.rows.Job_Openings.get(String(application['$Job_Opening_Id']));
      const { Application_Status: Candidate_Status, Modified_Time: Updated_On } = application;
      return job === undefined ? [] : [{ ...job, Candidate_Status, Updated_On }];
    });
  }

  private applicationsOf(candidateId: string): Row[] {
    return [...this.rows.Applications.values()].filter((one) => one['$Candidate_Id'] === candidateId);
  }

  private deletedPage(request: SimRequest, module: Module): SimAnswer {
    if (request.query.get('type') !== 'all') throw new SimRefusal(refusal(400, 'INVALID_DATA'));
    const own = this.deleted.filter((one) => one.module === module);
    const rows = own.map(({ id, deleted_time }) => ({
      id,
      deleted_time,
      Modified_Time: deleted_time,
      type: 'recycle',
    }));
    return this.page(request, rows);
  }

  /** A page; 304 where nothing has changed since, 204 for an empty list. */
  private page({ query, headers }: SimRequest, all: readonly Given[]): SimAnswer {
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? MOST_PAGE)];
    if (!(page >= 1) || !(size >= 1) || size > MOST_PAGE) throw new SimRefusal(refusal(400, 'INVALID_DATA'));
    const since = headers['if-modified-since'];
    if (since !== undefined && !/T\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(since))
      throw new SimRefusal(refusal(400, 'INVALID_DATA'));
    const from = since === undefined ? 0 : Date.parse(since);
    const time = (row: Given): number => Date.parse(String(row['Modified_Time']));
    const rows = since === undefined ? [...all] : all.filter((row) => time(row) >= from);
    if (query.get('sort_by') === 'Modified_Time') {
      const sign = query.get('sort_order') === 'asc' ? 1 : -1;
      rows.sort((one, other) => sign * (time(one) - time(other)));
    }
    const data = rows.slice((page - 1) * size, page * size);
    if (data.length === 0) return { status: since === undefined ? 204 : 304 };
    const info = { per_page: size, count: data.length, page, more_records: page * size < rows.length };
    return { status: 200, json: { data, info } };
  }

  private put(module: Module, row: Row, operation: string | null): void {
    this.rows[module].set(row.id, row);
    if (operation !== null) this.tell(module, operation, [row.id]);
  }

  private stamped(given: Given): Row {
    const time = this.time();
    return { id: this.recordId(), Created_Time: time, Modified_Time: time, ...given };
  }

  /** Ids have eighteen digits: more than a number can hold. */
  private recordId(): string {
    return `480912${(1_000_000_000_000 + ++this.made).toString().slice(1)}`;
  }

  private time(): string {
    return `${new Date(this.now() + 3_600_000).toISOString().slice(0, 19)}+01:00`;
  }
}

function dataOf({ json }: SimRequest): Given[] {
  const rows = (json as { data?: unknown } | undefined)?.data;
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > MOST_ROWS) {
    throw new SimRefusal(refusal(400, 'INVALID_DATA'));
  }
  return rows as Given[];
}

function noteOf({ id, value, parent }: { id: string; value: string; parent: string }): Given {
  return { id, Note_Title: null, Note_Content: value, Parent_Id: { name: null, id: parent }, $se_module: 'Candidates' };
}

function rowDone(status: number, details: Given): SimAnswer {
  return { status, json: { data: [{ code: 'SUCCESS', details, message: 'record updated', status: 'success' }] } };
}

/** A row that failed comes with a 2xx. */
function rowError(code: string, field: string): SimAnswer {
  const row = { code, details: { api_name: field }, message: 'invalid data', status: 'error' };
  return { status: 202, json: { data: [row] } };
}

function watchDone(message: string): SimAnswer {
  return { status: 200, json: { watch: [{ code: 'SUCCESS', details: {}, message, status: 'success' }] } };
}

function watchError(code: string): SimAnswer {
  return { status: 202, json: { watch: [{ code, details: {}, message: 'refused', status: 'error' }] } };
}

function notSubscribed(): SimAnswer {
  return watchError('NOT_SUBSCRIBED');
}

function unknownId(): SimAnswer {
  const json = { code: 'INVALID_DATA', details: {}, message: 'the id given seems to be invalid', status: 'error' };
  return { status: 400, json };
}

function refusal(status: number, code: string): SimAnswer {
  return { status, json: { code, details: {}, message: 'Refused in words.', status: 'error' } };
}

const CODES: Readonly<Record<number, string>> = {
  401: 'INVALID_TOKEN',
  403: 'NO_PERMISSION',
  429: 'TOO_MANY_REQUESTS',
};

function errorOf(status: number): SimAnswer {
  return refusal(status, CODES[status] ?? 'INTERNAL_ERROR');
}

function repeated(answer: SimAnswer, { query }: SimRequest): SimAnswer {
  const page = Number(query.get('page') ?? 1) - 1;
  const data = (answer.json as { data?: unknown[] } | undefined)?.data ?? [];
  return { status: 200, json: { data, info: { page: Math.max(page, 1), more_records: true } } };
}
