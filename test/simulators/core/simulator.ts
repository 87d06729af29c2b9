import type { ServerResponse } from 'node:http';
import { Faults, type Fault, type FaultWords } from './faults.js';
import type { Grants } from './grants.js';
import { escaped, pageOf } from './grants.js';
import { listen, send, SimRefusal, type Listening, type SimAnswer, type SimRequest } from './http.js';
import { Limit, withHeaders, type LimitRule } from './limits.js';
import { answerOf, samplesOf, type Sample } from './samples.js';
import { Sender, type RetryRule, type Target } from './sender.js';

/** What every simulator can be started with. */
export interface SimOptions {
  /** A free port unless set. */
  port?: number;
  /** The accepted API key. */
  apiKey?: string;
  /** Answers requests of the shared samples word for word. */
  samples?: boolean;
  /** Multiple of the vendor's limit. */
  rateFactor?: number;
  /** How many times faster the vendor's repetitions of webhooks are. */
  timeFactor?: number;
  /** Where the button of the settings page leads; null: there is none. */
  startUrl?: string | null;
  /** The OAuth client of this service at the vendor. */
  client?: { id?: string; secret?: string; redirects?: string[] };
}

/** A request that changed something, as the vendor got it. */
export interface RecordedWrite {
  method: string;
  path: string;
  query: Record<string, string>;
  json: unknown;
}

/** A running stand-in for an ATS. */
export abstract class Simulator {
  abstract readonly title: string;
  /** Requests to the API, refused ones included: method and path. */
  readonly requests: string[] = [];
  /** Writes that took effect. */
  readonly writes: RecordedWrite[] = [];
  readonly sender: Sender;
  readonly faults: Faults;
  startUrl: string | null;
  protected readonly samples: readonly Sample[];
  protected targets: Target[] = [];
  private limit: Limit;
  private server: Listening | null = null;
  private skewMs = 0;
  private ids = 0;

  /** @param grants null: the vendor has no OAuth */
  protected constructor(
    vendor: string,
    protected readonly options: SimOptions,
    rules: { limit: LimitRule; retry: RetryRule; words: FaultWords },
  ) {
    this.sender = new Sender(rules.retry, options.timeFactor ?? 1);
    this.faults = new Faults(rules.words);
    this.limit = new Limit(rules.limit, options.rateFactor ?? 1, () => Date.now());
    this.samples = options.samples === true ? samplesOf(vendor) : [];
    this.startUrl = options.startUrl ?? null;
  }

  /** The vendor's OAuth; null: there is none. */
  abstract readonly grants: Grants | null;

  /** The origin of the API and of OAuth. */
  get origin(): string {
    return this.server!.url;
  }

  /** The base address of the API. */
  abstract get url(): string;

  /** The origin of the authorization and token addresses. */
  get oauthUrl(): string {
    return this.origin;
  }

  /** The vendor's clock. */
  now(): number {
    return Date.now() + this.skewMs;
  }

  /** Lets the vendor's clock go wrong. */
  skew(ms: number): void {
    this.skewMs = ms;
  }

  /** Lets requests go wrong. */
  fault(fault: Fault): void {
    this.faults.add(fault);
  }

  /** A webhook that the customer makes by hand; returns what the first ping came to, where the vendor sends one. */
  async webhookTarget(
    url: string,
    given: Partial<Omit<Target, 'url'>> = {},
  ): Promise<Target & { ping: number | null }> {
    const target: Target = { id: this.newId(), event: null, secret: null, headers: {}, ...given, url };
    const ping = await this.ping(target);
    if (ping === null || (ping >= 200 && ping < 300)) this.targets.push(target);
    return { ...target, ping };
  }

  /** Webhooks that are live. */
  webhooks(): readonly Target[] {
    return this.targets;
  }

  async close(): Promise<void> {
    this.sender.close();
    await this.server?.close();
  }

  /** What the control address may call, by name. */
  protected abstract control(): Record<string, (...args: never[]) => unknown>;
  /** Answers one request to the API; throws `SimRefusal`. */
  protected abstract route(request: SimRequest): SimAnswer | Promise<SimAnswer>;
  /** Throws a `SimRefusal` where the credential does not fit. */
  protected abstract authenticate(request: SimRequest): void;
  protected abstract isApi(path: string): boolean;
  /** Headers of the limit. */
  protected limitHeaders(_state: ReturnType<Limit['take']>): Record<string, string> {
    return {};
  }
  protected abstract tooMany(resetAt: number): SimAnswer;
  /** The ping that the vendor sends when a webhook is saved. */
  protected async ping(_target: Target): Promise<number | null> {
    return null;
  }

  /** Makes an id as the vendor does. */
  newId(): string {
    return `00000000-0000-4000-8000-${(++this.ids).toString(16).padStart(12, '0')}`;
  }

  protected async listen(): Promise<this> {
    this.server = await listen((request, response) => this.handle(request, response), this.options.port ?? 0);
    return this;
  }

  protected recorded({ method, path, query, json }: SimRequest): void {
    this.writes.push({ method, path, query: Object.fromEntries(query), json });
  }

  private async handle(request: SimRequest, response: ServerResponse): Promise<void> {
    if (request.path.startsWith('/__sim/')) return send(response, await this.controlled(request));
    if (request.path === '/' || request.path === '/settings') return send(response, this.settings());
    const answer = async (): Promise<SimAnswer> => this.answer(request);
    if (!this.isApi(request.path)) return this.faults.handle(request, response, answer);
    this.requests.push(`${request.method} ${request.path}`);
    return this.faults.handle(request, response, answer);
  }

  private async answer(request: SimRequest): Promise<SimAnswer> {
    try {
      const granted = this.grants?.answer(request, this.title) ?? null;
      if (granted !== null) return granted;
      if (!this.isApi(request.path)) return { status: 404, html: 'Not found' };
      const state = this.limit.take();
      if (!state.admitted) return withHeaders(this.tooMany(state.resetAt), this.limitHeaders(state));
      this.authenticate(request);
      return withHeaders(answerOf(this.samples, request) ?? (await this.route(request)), this.limitHeaders(state));
    } catch (error) {
      if (error instanceof SimRefusal) return error.answer;
      throw error;
    }
  }

  /** The page of the customer's settings, from which the marketplace app is connected. */
  private settings(): SimAnswer {
    const connected = this.grants?.isConnected === true;
    const start =
      this.startUrl === null
        ? '<p>No start address is set.</p>'
        : `<p><a class="button" href="${escaped(this.startUrl)}">${connected ? 'Connect again' : 'Connect'}</a></p>`;
    const remove = connected ? '<form method="post" action="/__sim/revoke"><button>Remove the app</button></form>' : '';
    const state = `<p>Hiring platform: <strong>${connected ? 'connected' : 'not connected'}</strong></p>`;
    return { status: 200, html: pageOf(`${this.title} · Settings · Integrations`, state + start + remove) };
  }

  private async controlled(request: SimRequest): Promise<SimAnswer> {
    if (request.path === '/__sim/revoke') {
      this.grants?.revokeAll();
      return { status: 303, headers: { location: '/settings' } };
    }
    if (request.path === '/__sim/state') {
      const { requests, writes } = this;
      const attempts = this.sender.attempts.map(({ body: _, ...attempt }) => attempt);
      return { status: 200, json: { requests: requests.length, writes, attempts, webhooks: this.targets } };
    }
    const name = request.path.slice('/__sim/'.length);
    const act = { ...this.shared(), ...this.control() }[name] as ((...args: unknown[]) => unknown) | undefined;
    if (act === undefined) return { status: 404, json: { error: 'no such action' } };
    const args = Array.isArray(request.json) ? request.json : request.json === undefined ? [] : [request.json];
    try {
      return { status: 200, json: { result: (await act(...(args as unknown[]))) ?? null } };
    } catch (error) {
      return { status: 400, json: { error: String(error) } };
    }
  }

  private shared(): Record<string, (...args: never[]) => unknown> {
    return {
      fault: (fault: Fault) => this.fault(fault),
      clear: () => this.faults.clear(),
      skew: (ms: number) => this.skew(ms),
      hold: () => this.sender.hold(),
      release: (how: Parameters<Sender['release']>[0]) => this.sender.release(how),
      settled: () => this.sender.settled(),
      start: (url: string) => void (this.startUrl = url),
      webhook: (url: string, given: Partial<Target>) => this.webhookTarget(url, given),
      grantOnly: (scopes: string[] | null) => {
        if (this.grants !== null) this.grants.grantOnly = scopes;
      },
      expire: () => this.grants?.expireAccess(),
    };
  }
}
