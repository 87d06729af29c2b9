import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.js';
import type { Outbound, OutboundAnswer } from '../../../base/http/outbound.js';
import type { AtsCredentials } from '../connections/ats-credentials.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Credential } from '../api/credential.js';
import type { Connector } from '../connectors/connector.js';
import { judgeStatus, readAtsAnswer, retryAfterOf } from '../api/ats-answer.rules.js';
import { AtsFailure, type AtsAnswer, type AtsApi, type AtsRequest } from '../api/ats-api.js';
import type { AtsCallOptions } from './ats-call-options.js';
import type { AtsPaces } from './ats-paces.js';
import type { HostBreaker } from './host-breaker.js';

/** What the calls of all connections share. */
export interface CallGround {
  outbound: Outbound;
  credentials: Pick<AtsCredentials, 'current' | 'renewed'>;
  paces: Pick<AtsPaces, 'take' | 'pause'>;
  options: AtsCallOptions;
  clock: Clock;
  breaker: HostBreaker;
  /** Whether addresses of tenants may be private. */
  anyPrivate: boolean;
}

/** The failures of a server; those of a name (`dns`) or of an address (`blocked`) say nothing of it. */
const SILENT: ReadonlySet<string> = new Set(['timeout', 'refused', 'reset', 'tls']);

/** The calls of one connection. */
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

  /** After a 429, and after any other failure of the ATS with `Retry-After`: no process calls for this connection until then. */
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

  /** Notes whether the server has answered, for all connections to it. */
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

/** The statuses that `judgeStatus` takes for an ATS that is away for now. */
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
