import { subscribe } from 'node:diagnostics_channel';
import { type Socket, isIP, type LookupFunction } from 'node:net';
import { type Dispatcher, Agent, buildConnector } from 'undici';
import { ByteCollector } from './byte-collector.js';
import { DestinationNetworks, bare, mayConnect, type Admission } from './destination-networks.js';
import { type LookupOwner, LookupFailed, NameLookups } from './name-lookups.js';

type Note = (address: string) => void;

/** The key of the note in undici's request: a map beside it would cost each request of the process. */
const NOTE = Symbol('note of the dialled address');

interface NotedRequest {
  [NOTE]?: Note;
}

/** The dispatch that is under way: undici makes its request before it returns. */
let current: Note | null = null;

let listens = false;

/**
 * Listens to undici for the connection of its pool that carries a request, which undici reports nowhere else. A listener costs
 * each request of the process, so the first noted request adds it.
 */
function listen(): void {
  listens = true;
  subscribe('undici:request:create', (message) => {
    if (current !== null) (message as { request: NotedRequest }).request[NOTE] = current;
  });
  subscribe('undici:client:sendHeaders', (message) => {
    const { request, socket } = message as { request: NotedRequest; socket: Socket };
    const note = request[NOTE];
    if (note === undefined) return;
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined) note(remoteAddress);
  });
}

function noting(note: Note, dispatch: () => void): void {
  if (!listens) listen();
  current = note;
  try {
    dispatch();
  } finally {
    current = null;
  }
}

/** One call to an external server. The body is sent unchanged. */
export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  origin: string;
  path: string;
  /** The tenant that configured the address, for which the name look-up counts; null when the operator did. */
  owner: LookupOwner;
  headers: Record<string, string>;
  body?: string;
  /** One deadline for connecting, headers and body. */
  timeoutMs: number;
  /** Of the answer; a longer one is cut and marked. Default 64 KiB. */
  maxBytes?: number;
  /** Once the status has arrived it is the answer: a body that breaks off or does not end is cut and marked. */
  statusDecides?: boolean;
  notesAddress?: boolean;
  /** Further headers that the answer keeps, by lower-case name. */
  keptHeaders?: readonly string[];
}

/** The reason of a missing answer. `blocked`: this service refused to connect to the address. */
export type OutboundFailure = 'timeout' | 'refused' | 'reset' | 'dns' | 'tls' | 'blocked';

/** The result of a call. A status is never an exception. `address`: the IP address that was dialled, if it was asked for. */
export type OutboundAnswer =
  | {
      kind: 'answer';
      status: number;
      contentType: string;
      retryAfter: string | null;
      location: string | null;
      body: string;
      truncated: boolean;
      ms: number;
      address: string | null;
      kept?: Readonly<Record<string, string>>;
    }
  | { kind: 'failed'; reason: OutboundFailure; detail: string; ms: number; address: string | null };

class BlockedAddress extends Error {
  readonly code = 'BLOCKED_ADDRESS';
}

const DEFAULT_CAP = 64 * 1024;

export class Exchange implements Dispatcher.DispatchHandler {
  private readonly started = performance.now();
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | null = null;
  private over = false;
  private status = 0;
  private headers: Record<string, string | string[] | undefined> = {};
  private address: string | null = null;
  private collector: ByteCollector | null = null;

  constructor(
    private readonly request: OutboundRequest,
    private readonly resolve: (answer: OutboundAnswer) => void,
  ) {
    this.timer = setTimeout(() => {
      this.fail('timeout', `no complete answer within ${request.timeoutMs} ms`);
      this.controller?.abort(new Error('deadline'));
    }, request.timeoutMs);
  }

  start(dispatcher: Dispatcher): void {
    const { origin, path, method, headers, body, notesAddress } = this.request;
    const dispatch = (): unknown => dispatcher.dispatch({ origin, path, method, headers, body: body ?? null }, this);
    try {
      if (notesAddress === true) noting((address) => (this.address = address), dispatch);
      else dispatch();
    } catch (error) {
      this.onResponseError(null, error as Error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // The deadline passed while connecting: nothing is sent.
    if (this.over) controller.abort(new Error('deadline'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.status = status;
    this.headers = headers;
    // Nearly every answer is one piece of the announced length, which is then not copied.
    const length = Number(one(headers['content-length']) ?? NaN);
    const announced = Number.isSafeInteger(length) && length >= 0 ? length : null;
    this.collector = new ByteCollector(this.request.maxBytes ?? DEFAULT_CAP, announced);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { collector } = this;
    if (collector === null) return;
    const whole = collector.add(chunk);
    if (collector.crumbles) {
      this.fail('reset', 'the answer comes in pieces of less than 32 bytes');
      controller.abort(new Error('the answer comes in too many small pieces'));
      return;
    }
    if (whole) return;
    this.answer(true);
    controller.abort(new Error('the answer is longer than is read'));
  }

  onResponseEnd(): void {
    this.answer(false);
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.address ??= addressIn(error);
    this.fail(reasonOf(error), codeOf(error));
  }

  private answer(truncated: boolean): void {
    const answer: OutboundAnswer = {
      kind: 'answer',
      status: this.status,
      contentType: one(this.headers['content-type'])?.toLowerCase() ?? '',
      retryAfter: one(this.headers['retry-after']),
      location: one(this.headers['location']),
      body: this.collector?.bytes().toString('utf8') ?? '',
      truncated,
      ms: this.elapsed(),
      address: this.address,
    };
    if (this.request.keptHeaders !== undefined) answer.kept = this.kept(this.request.keptHeaders);
    this.finish(answer);
  }

  private kept(names: readonly string[]): Readonly<Record<string, string>> {
    const pairs = names.flatMap((name) => {
      const value = one(this.headers[name]);
      return value === null ? [] : [[name, value] as const];
    });
    return Object.fromEntries(pairs);
  }

  private fail(reason: OutboundFailure, detail: string): void {
    // 1xx is not the status of the answer yet.
    if (this.request.statusDecides === true && this.status >= 200) return this.answer(true);
    this.finish({ kind: 'failed', reason, detail, ms: this.elapsed(), address: this.address });
  }

  private finish(answer: OutboundAnswer): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.timer);
    this.resolve(answer);
  }

  private elapsed(): number {
    return Math.round(performance.now() - this.started);
  }
}

function reasonOf(error: Error): OutboundFailure {
  if (error instanceof LookupFailed) return 'dns';
  const code = codeOf(error);
  if (code === 'BLOCKED_ADDRESS') return 'blocked';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'timeout';
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/.test(code)) return 'refused';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'tls';
  return 'reset';
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  // Several addresses were tried; the error of the first one is reported.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0]);
  return error.name;
}

function addressIn(error: Error): string | null {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return addressIn(error.errors[0]);
  const { address } = error as { address?: unknown };
  return typeof address === 'string' ? address : null;
}

function one(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

const CONNECT_MS = 5_000;
const MOST_HOSTS = 1_000;

type Check = (address: string, secure: boolean) => boolean;

/**
 * Calls external servers, with a check of addresses that tenants configure, and without it for those of the operator. Follows
 * no redirect, uses no proxy, requests no compression, and never throws for a failure of the server.
 */
export class Outbound {
  private readonly open: Agent;
  private readonly lenient: Agent;
  private readonly guarded: Agent;
  private readonly owners = new Map<string, { owner: LookupOwner; calls: number }>();

  private readonly hosts = new Map<string, string>();

  constructor(
    private readonly names = new NameLookups(),
    private readonly networks = new DestinationNetworks(),
  ) {
    this.open = this.agent(() => true);
    this.lenient = this.agent((address, secure) => mayConnect(address, secure, this.admission(true)));
    this.guarded = this.agent((address, secure) => mayConnect(address, secure, this.admission(false)));
  }

  /** `trusted`: the address may be private; the operator chose it, or allows private addresses. */
  async call(request: OutboundRequest, trusted: boolean): Promise<OutboundAnswer> {
    const host = this.hostOf(request.origin);
    const known = this.owners.get(host) ?? { owner: request.owner, calls: 0 };
    known.owner = request.owner;
    known.calls++;
    this.owners.set(host, known);
    try {
      const agent = this.agentOf(request.owner, trusted);
      return await new Promise((resolve) => new Exchange(request, resolve).start(agent));
    } finally {
      if (--known.calls === 0) this.owners.delete(host);
    }
  }

  /** Looks a tenant's host up, and checks every address of it like a connection. Returns why no connection would be made. */
  async refusalOf(url: URL, owner: string, trusted: boolean): Promise<'private' | 'unknown_name' | null> {
    const host = bare(url.hostname);
    const admission = this.admission(trusted);
    const secure = url.protocol === 'https:';
    try {
      const found = isIP(host) === 0 ? await this.names.lookup(host, owner) : [{ address: host }];
      return found.every(({ address }) => mayConnect(address, secure, admission)) ? null : 'private';
    } catch (error) {
      if (error instanceof LookupFailed) return 'unknown_name';
      throw error;
    }
  }

  private admission(anyPrivate: boolean): Admission {
    return { anyPrivate, networks: this.networks };
  }

  /** The operator's own addresses are not checked. A tenant's never lead to a metadata service. */
  private agentOf(owner: LookupOwner, trusted: boolean): Agent {
    if (!trusted) return this.guarded;
    return owner === null ? this.open : this.lenient;
  }

  /** Cached: there are few origins and many calls. */
  private hostOf(origin: string): string {
    let host = this.hosts.get(origin);
    if (host === undefined) {
      host = bare(new URL(origin).hostname);
      if (this.hosts.size >= MOST_HOSTS) this.hosts.clear();
      this.hosts.set(origin, host);
    }
    return host;
  }

  /** Returns addresses only if all of them pass the check. */
  private lookup(check: Check, secure: boolean): LookupFunction {
    return (hostname, options, callback) => {
      this.names.lookup(hostname, this.owners.get(hostname)?.owner ?? null).then(
        (addresses) => {
          if (!addresses.every(({ address }) => check(address, secure))) {
            return callback(new BlockedAddress('the name leads to an address that is not public'), []);
          }
          if (options.all) callback(null, addresses);
          else callback(null, addresses[0]!.address, addresses[0]!.family);
        },
        (error: Error) => callback(error, []),
      );
    };
  }

  private agent(check: Check): Agent {
    const connectors = {
      secure: buildConnector({ timeout: CONNECT_MS, lookup: this.lookup(check, true) }),
      plain: buildConnector({ timeout: CONNECT_MS, lookup: this.lookup(check, false) }),
    };
    return new Agent({
      // The time-outs of undici are coarse; each exchange has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      maxHeaderSize: 16 * 1024,
      connect: (options, callback) => {
        const host = bare(options.hostname);
        const secure = options.protocol === 'https:';
        // An IP literal is never looked up, so it is checked here.
        if (isIP(host) !== 0 && !check(host, secure)) callback(new BlockedAddress('not a public address'), null);
        else connectors[secure ? 'secure' : 'plain'](options, callback);
      },
    });
  }

  /** Open calls end as `reset`. */
  async close(): Promise<void> {
    await Promise.all([this.open.destroy(), this.lenient.destroy(), this.guarded.destroy()]);
  }
}
