import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Clock } from '../../../base/clock.js';
import { Database } from '../../../base/database/database.js';
import type { Outbound, OutboundAnswer } from '../../../base/http/outbound.js';
import { judgeStatus, readAtsAnswer, retryAfterOf } from '../api/ats-answer.rules.js';
import { type Credential, AtsFailure, type AtsAnswer, type AtsApi, type AtsRequest } from '../api/ats-api.js';
import type { AtsCredentials } from '../connections/ats-credentials.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Pace, Connector } from '../connectors/connector.js';

export class AtsCallOptions {
  /** One deadline over connecting, headers and body. */
  timeoutMs = 15_000;
  /** A longer answer is refused. The longest pages of vendors have less than 2 MiB. */
  maxBytes = 4 * 1024 * 1024;
  /** The longest wait of a call for its turn; for a longer one the caller comes back later. */
  maxWaitMs = 2_000;
  /** The pause after a 429 without a time. */
  pauseMs = 30_000;
  maxPauseMs = 3_600_000;
  /** Multiple of the vendor's pace. */
  paceFactor = 1;

  constructor(values: Partial<AtsCallOptions> = {}) {
    Object.assign(this, values);
  }
}

export type PaceTurn = { kind: 'go'; afterMs: number } | { kind: 'later'; afterMs: number };

/**
 * The pace of each connection's calls over all processes. One row holds the theoretical arrival time of the generic
 * cell rate algorithm, and the end of a pause that the ATS asked for. The clock is the database's.
 */
@Injectable()
export class AtsPaces {
  constructor(private readonly db: Database) {}

  /** Takes the next turn of a connection. @param maxWaitMs a later turn is not taken */
  async take(tenantId: string, connectionId: string, pace: Pace, maxWaitMs: number): Promise<PaceTurn> {
    const step = 1 / pace.perSecond;
    const lead = step * pace.burst;
    const values = [tenantId, connectionId, step, lead, maxWaitMs / 1_000];
    const { rows } = await this.db.query<{ wait: number }>(TAKE, values);
    if (rows[0] !== undefined) return { kind: 'go', afterMs: msOf(rows[0].wait) };
    const { rows: later } = await this.db.query<{ wait: number }>(WAIT, values.slice(0, 4));
    return { kind: 'later', afterMs: Math.max(1_000, msOf(later[0]?.wait ?? 1)) };
  }

  /** Lets no call of a connection begin for a time. A longer pause stays. */
  async pause(tenantId: string, connectionId: string, ms: number): Promise<void> {
    await this.db.query(
      `insert into ats_paces as p (tenant_id, connection_id, arrival, paused_until)
       values ($1, $2, now(), now() + $3 * interval '1 second')
       on conflict (tenant_id, connection_id) do update
       set paused_until = greatest(p.paused_until, excluded.paused_until) where p.tenant_id = $1`,
      [tenantId, connectionId, ms / 1_000],
    );
  }
}

/** The wait of the next turn, in seconds; $3: the time of one call, $4: of a burst. */
const NEXT = `greatest(
  extract(epoch from greatest(p.arrival, now()) - now()) + $3 - $4,
  extract(epoch from p.paused_until - now()), 0)::float8`;

// The first call of a connection makes its row. No row comes back where the turn is too late.
const TAKE = `insert into ats_paces as p (tenant_id, connection_id, arrival)
  values ($1, $2, now() + $3::float8 * interval '1 second')
  on conflict (tenant_id, connection_id) do update
  set arrival = greatest(p.arrival, now()) + $3 * interval '1 second'
  where p.tenant_id = $1 and ${NEXT.replaceAll('$4', '$4::float8')} <= $5::float8
  returning greatest(
    extract(epoch from p.arrival - now()) - $4, extract(epoch from p.paused_until - now()), 0)::float8 as wait`;

const WAIT = `select ${NEXT.replaceAll('$3', '$3::float8').replaceAll('$4', '$4::float8')} as wait
  from ats_paces p where p.tenant_id = $1 and p.connection_id = $2`;

function msOf(seconds: number): number {
  return Math.ceil(seconds * 1_000);
}

/** After this number of calls in a row without an answer a server is paused. */
const FAILURES = 3;
const PAUSE_MS = { first: 1_000, most: 60_000 };
const MOST_SERVERS = 1_000;

interface Server {
  failures: number;
  until: number;
  probing: boolean;
}

/**
 * Remembers which servers do not answer. One call at growing intervals tests such a server, and all others end
 * at once: they would wait for their deadline and hold a place that other servers need.
 */
export class HostBreaker {
  private readonly servers = new Map<string, Server>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Asks whether a server may be called. Each admitted call has to be noted by {@link answered}, {@link silent} or
   * {@link notReached}.
   *
   * @returns null when it may; else the time in milliseconds after which to ask again
   */
  refusal(origin: string): number | null {
    const server = this.servers.get(origin);
    if (server === undefined || server.failures < FAILURES) return null;
    const wait = server.until - this.now();
    if (wait > 0 || server.probing) return Math.max(wait, PAUSE_MS.first);
    server.probing = true;
    return null;
  }

  answered(origin: string): void {
    this.servers.delete(origin);
  }

  /** The server's name was not found, or its address is refused: the call proves nothing about the server. */
  notReached(origin: string): void {
    const server = this.servers.get(origin);
    if (server !== undefined) server.probing = false;
  }

  silent(origin: string): void {
    const server = this.servers.get(origin);
    // A call that was under way when the others failed: the interval grows with test calls, not with the calls under
    // way.
    if (server !== undefined && server.failures >= FAILURES && !server.probing) return;
    if (this.servers.size >= MOST_SERVERS && server === undefined) this.servers.clear();
    const failures = (server?.failures ?? 0) + 1;
    const pause = Math.min(PAUSE_MS.first * 2 ** Math.max(0, failures - FAILURES), PAUSE_MS.most);
    this.servers.set(origin, { failures, until: this.now() + pause, probing: false });
  }
}

export interface CallGround {
  outbound: Outbound;
  credentials: Pick<AtsCredentials, 'current' | 'renewed'>;
  paces: Pick<AtsPaces, 'take' | 'pause'>;
  options: AtsCallOptions;
  clock: Clock;
  breaker: HostBreaker;
  anyPrivate: boolean;
}

/** Failures of the server; those of a name (`dns`) or of an address (`blocked`) are not the server's. */
const SILENT: ReadonlySet<string> = new Set(['timeout', 'refused', 'reset', 'tls']);

export class ConnectionApi implements AtsApi {
  private readonly origin: string;
  private readonly prefix: string;

  /** @param base of the API, without a slash at the end */
  constructor(
    private readonly ground: CallGround,
    private readonly connection: AtsConnection,
    private readonly connector: Connector,
    base: URL,
  ) {
    this.origin = base.origin;
    this.prefix = base.pathname === '/' ? '' : base.pathname;
  }

  async call(request: AtsRequest): Promise<AtsAnswer> {
    const { credentials } = this.ground;
    const credential = await credentials.current(this.connection);
    let answer = await this.send(request, credential);
    if (answer.kind === 'answer' && answer.status === 401) {
      const other = await credentials.renewed(this.connection, credential);
      if (other !== null) answer = await this.send(request, other);
    }
    return this.judged(request, answer);
  }

  private async judged(request: AtsRequest, raw: OutboundAnswer): Promise<AtsAnswer> {
    const { title } = this.connector;
    const answer = readAtsAnswer(title, raw);
    const pause = await this.pauseAfter(raw, answer);
    this.connector.judge?.(answer);
    if (request.accepts?.includes(answer.status) !== true) judgeStatus(title, answer, pause);
    return answer;
  }

  /** After a 429, and any other failure with `Retry-After`, no process calls for this connection until then. */
  private async pauseAfter(raw: OutboundAnswer, answer: AtsAnswer): Promise<number | null> {
    if (raw.kind !== 'answer' || !isNotNow(answer.status)) return null;
    const { clock, options, paces } = this.ground;
    const now = clock.now();
    const told = retryAfterOf(raw.retryAfter, now) ?? this.connector.retryAfter?.(answer, now) ?? null;
    if (told === null && answer.status !== 429) return null;
    const ms = Math.min(told ?? options.pauseMs, options.maxPauseMs);
    await paces.pause(this.connection.tenantId, this.connection.id, ms);
    return ms;
  }

  private async send(request: AtsRequest, credential: Credential): Promise<OutboundAnswer> {
    await this.turn();
    const { outbound, options, anyPrivate } = this.ground;
    this.demandPresent();
    const answer = await outbound.call(
      {
        method: request.method,
        origin: this.origin,
        path: this.prefix + request.path + queryOf(request.query),
        owner: this.connection.tenantId,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'talent-bridge',
          ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
          ...request.headers,
          ...this.connector.authorization(credential),
        },
        ...(request.json === undefined ? {} : { body: JSON.stringify(request.json) }),
        timeoutMs: options.timeoutMs,
        maxBytes: options.maxBytes,
        keptHeaders: ['link', ...(this.connector.keptHeaders ?? [])],
      },
      anyPrivate,
    );
    this.note(answer);
    return answer;
  }

  private note(answer: OutboundAnswer): void {
    const { breaker } = this.ground;
    if (answer.kind === 'answer') breaker.answered(this.origin);
    else if (SILENT.has(answer.reason)) breaker.silent(this.origin);
    else breaker.notReached(this.origin);
  }

  private demandPresent(): void {
    const afterMs = this.ground.breaker.refusal(this.origin);
    if (afterMs === null) return;
    const seconds = Math.ceil(afterMs / 1_000);
    const message = `${this.connector.title} did not answer the last calls. It is called again in ${seconds} s.`;
    throw new AtsFailure('away', 'not_answering', message, afterMs);
  }

  private async turn(): Promise<void> {
    const { paces, options } = this.ground;
    const { perSecond, burst } = this.connector.pace;
    const pace = { perSecond: perSecond * options.paceFactor, burst: Math.ceil(burst * options.paceFactor) };
    const turn = await paces.take(this.connection.tenantId, this.connection.id, pace, options.maxWaitMs);
    if (turn.kind === 'later') {
      const seconds = Math.ceil(turn.afterMs / 1_000);
      const message = `${this.connector.title} is not called before its limit admits it, in ${seconds} s.`;
      throw new AtsFailure('away', 'rate_limited', message, turn.afterMs);
    }
    if (turn.afterMs > 0) await sleep(turn.afterMs);
  }
}

function isNotNow(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

function queryOf(query: AtsRequest['query']): string {
  if (query === undefined) return '';
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of typeof value === 'string' ? [value] : value) parameters.append(name, one);
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
