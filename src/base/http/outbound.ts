import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { ByteCollector } from './byte-collector.js';
import { LookupFailed, NameLookups, type LookupOwner } from './name-lookups.js';
import { bare, isPublicAddress } from './public-address.js';

const CONNECT_MS = 5_000;
const DEFAULT_CAP = 64 * 1024;
const MOST_HOSTS = 1_000;

/** One call to an external server. The body is sent unchanged. */
export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Scheme, host and port. */
  origin: string;
  /** Path and query. */
  path: string;
  /** The tenant that configured the address; null: the operator did. The name look-up counts for this tenant. */
  owner: LookupOwner;
  headers: Record<string, string>;
  body?: string;
  /** One deadline for connecting, headers and body. */
  timeoutMs: number;
  /** The most bytes of the answer; a longer one is cut and marked. Default 64 KiB. */
  maxBytes?: number;
}

/** The reason of a missing answer. `blocked`: this service refused to connect to the address. */
export type OutboundFailure = 'timeout' | 'refused' | 'reset' | 'dns' | 'tls' | 'blocked';

/** The result of a call. A status is never an exception. */
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
    }
  | { kind: 'failed'; reason: OutboundFailure; detail: string; ms: number };

/** An address that this service does not connect to for a tenant. */
class BlockedAddress extends Error {
  readonly code = 'BLOCKED_ADDRESS';
}

/**
 * Calls external servers, with a check of addresses that tenants configure, and without it for those of the operator.
 * Follows no redirect, uses no proxy, requests no compression, and never throws for a failure of the server.
 */
export class Outbound {
  private readonly open: Agent;
  private readonly guarded: Agent;
  /** For each host of a running call, its owner and the number of calls. */
  private readonly owners = new Map<string, { owner: LookupOwner; calls: number }>();

  private readonly hosts = new Map<string, string>();

  constructor(private readonly names = new NameLookups()) {
    this.open = agent(this.lookup(false), false);
    this.guarded = agent(this.lookup(true), true);
  }

  /** Sends one request. `trusted`: the address may be private; the operator chose it, or allows private addresses. */
  async call(request: OutboundRequest, trusted: boolean): Promise<OutboundAnswer> {
    const host = this.hostOf(request.origin);
    const known = this.owners.get(host) ?? { owner: request.owner, calls: 0 };
    known.owner = request.owner;
    known.calls++;
    this.owners.set(host, known);
    try {
      return await new Promise((resolve) => new Exchange(request, resolve).start(trusted ? this.open : this.guarded));
    } finally {
      if (--known.calls === 0) this.owners.delete(host);
    }
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

  /** Returns the look-up for connections; the guarded one returns addresses only if all of them are public. */
  private lookup(guarded: boolean): LookupFunction {
    return (hostname, options, callback) => {
      this.names.lookup(hostname, this.owners.get(hostname)?.owner ?? null).then(
        (addresses) => {
          if (guarded && !addresses.every(({ address }) => isPublicAddress(address))) {
            return callback(new BlockedAddress('the name leads to an address that is not public'), []);
          }
          if (options.all) callback(null, addresses);
          else callback(null, addresses[0]!.address, addresses[0]!.family);
        },
        (error: Error) => callback(error, []),
      );
    };
  }

  /** Closes all connections; open calls end as `reset`. */
  async close(): Promise<void> {
    await Promise.all([this.open.destroy(), this.guarded.destroy()]);
  }
}

/** One request and its answer, assembled from the events of the connection. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly started = performance.now();
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | null = null;
  private over = false;
  private status = 0;
  private headers: Record<string, string | string[] | undefined> = {};
  private readonly collector: ByteCollector;

  constructor(
    private readonly request: OutboundRequest,
    private readonly resolve: (answer: OutboundAnswer) => void,
  ) {
    this.collector = new ByteCollector(request.maxBytes ?? DEFAULT_CAP);
    this.timer = setTimeout(() => {
      this.fail('timeout', `no complete answer within ${request.timeoutMs} ms`);
      this.controller?.abort(new Error('deadline'));
    }, request.timeoutMs);
  }

  start(dispatcher: Agent): void {
    const { origin, path, method, headers, body } = this.request;
    try {
      dispatcher.dispatch({ origin, path, method, headers, body: body ?? null }, this);
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
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const whole = this.collector.add(chunk);
    if (this.collector.crumbles) {
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
    this.fail(reasonOf(error), codeOf(error));
  }

  private answer(truncated: boolean): void {
    this.finish({
      kind: 'answer',
      status: this.status,
      contentType: one(this.headers['content-type'])?.toLowerCase() ?? '',
      retryAfter: one(this.headers['retry-after']),
      location: one(this.headers['location']),
      body: this.collector.bytes().toString('utf8'),
      truncated,
      ms: this.elapsed(),
    });
  }

  private fail(reason: OutboundFailure, detail: string): void {
    this.finish({ kind: 'failed', reason, detail, ms: this.elapsed() });
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

function agent(lookup: LookupFunction, guarded: boolean): Agent {
  const connect = buildConnector({ timeout: CONNECT_MS, lookup });
  return new Agent({
    // The time-outs of undici are coarse; each exchange has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    maxHeaderSize: 16 * 1024,
    connect: guarded
      ? (options, callback) => {
          const host = bare(options.hostname);
          // An IP literal is never looked up, so it is checked here.
          if (isIP(host) !== 0 && !isPublicAddress(host)) callback(new BlockedAddress('not a public address'), null);
          else connect(options, callback);
        }
      : connect,
  });
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

function one(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}
