import type { Dispatcher } from 'undici';
import { ByteCollector } from './byte-collector.js';
import { noting } from './dialled-address.js';
import { LookupFailed } from './name-lookups.js';
import type { OutboundAnswer, OutboundFailure, OutboundRequest } from './outbound-call.js';

const DEFAULT_CAP = 64 * 1024;

/** One request and its answer, assembled from the events of the connection. */
export class Exchange implements Dispatcher.DispatchHandler {
  private readonly started = performance.now();
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | null = null;
  private over = false;
  private status = 0;
  private headers: Record<string, string | string[] | undefined> = {};
  private address: string | null = null;
  private collector: ByteCollector | null = null;

  /** @param resolve is called once, with the answer */
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

/** Returns the address that an error of the operating system names. */
function addressIn(error: Error): string | null {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return addressIn(error.errors[0]);
  const { address } = error as { address?: unknown };
  return typeof address === 'string' ? address : null;
}

function one(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}
