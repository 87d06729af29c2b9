import { isAscii, isUtf8 } from 'node:buffer';
import type { NextFunction, RequestHandler } from 'express';
import { MalformedRequest } from '../errors/domain-error.js';
import { anonymousBodies, type AnonymousShare } from './anonymous-bodies.js';
import { BodyBudget, type BodyShare } from './body-budget.js';
import { ByteCollector } from './byte-collector.js';
import { BodyInCrumbs, BodyTooLarge, UnsupportedMediaType } from './http.errors.js';
import { faultIn } from './json-faults.js';
import type { BridgeRequest, BridgeResponse } from './request.js';
import { discard, dropRest } from './unread.js';

const MIB = 1024 * 1024;
// A refused body is read up to this limit, so that the caller sees the answer and not a broken connection.
const MAX_DISCARD = 64 * MIB;
/**
 * Bodies up to this size are read before the caller is authenticated. Most bodies are smaller and need no earlier
 * look-up.
 */
const SMALL_BODY = 64 * 1024;

/** Returns the most bytes that an address accepts: a group has its 100 000 members in one PUT. */
function bodyLimit(path: string): number {
  if (/^\/scim\/v2\/Groups(\/|$)/.test(path)) return 16 * MIB;
  if (/^\/scim\/v2\/Bulk\/?$/.test(path)) return 4 * MIB;
  return MIB;
}

/** Options of {@link bodyReader}, by address. */
export interface BodyOptions {
  /** Addresses whose handler needs the original bytes (signature checks): they get `req.rawBody`. */
  keepRaw?: (path: string) => boolean;
  /** Addresses whose handler keeps a part of the body as it was written: they get `req.rawBody`, too. */
  keepText?: (path: string) => boolean;
  /** Addresses that read their own body (forms), some of them depending on its type. */
  leave?: (path: string, contentType: string) => boolean;
  /**
   * Returns the tenant of the caller; called before more than 64 KiB are read. Rejects with the refusal of an unknown
   * caller.
   */
  admit?: (req: BridgeRequest) => Promise<string>;
  /** Addresses that need a credential: `admit` is called before the body is checked. */
  private?: (path: string) => boolean;
  /** Addresses that take any bytes as `req.rawBody`, from a caller that their own `admit` lets in, with or without a body. */
  bytes?: {
    takes: (path: string) => boolean;
    admit: (req: BridgeRequest, res: BridgeResponse) => Promise<string>;
  };
}

/**
 * Returns a middleware that reads JSON bodies: limits before and while reading, type and encoding, UTF-8, syntax and
 * depth. Sets `req.body`: undefined where there is no body. Refuses with 400, 413 and 415; a large body also with the
 * refusal of `admit`, and with 503 while there are too many of them.
 */
export function bodyReader(options: BodyOptions = {}, budget = new BodyBudget()): RequestHandler {
  const { keepRaw, keepText, leave, admit } = options;
  return (request, res, next) => {
    const req = request as BridgeRequest;
    const { method, headers } = req;
    if (method === 'POST' && options.bytes?.takes(req.path)) return readBytes(req, res, next, options.bytes.admit);
    if (method === 'GET' || method === 'DELETE' || method === 'HEAD' || method === 'OPTIONS') return next();
    const length = headers['content-length'];
    if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) return next();
    if (leave?.(req.path, headers['content-type'] ?? '')) return next();
    if (admit === undefined || keepRaw?.(req.path) || !options.private?.(req.path)) return readBody(req, res, next);
    // The refusal of an unknown caller does not depend on its body: 401 comes before 400, 413 and 415.
    admit(req).then(
      () => readBody(req, res, next),
      (error: unknown) => {
        discard(req, 0, MAX_DISCARD);
        next(error);
      },
    );
  };

  function readBytes(
    req: BridgeRequest,
    res: BridgeResponse,
    next: NextFunction,
    admitBytes: NonNullable<BodyOptions['bytes']>['admit'],
  ): void {
    admitBytes(req, res).then(
      (tenantId) => {
        const limit = bodyLimit(req.path);
        const length = Number(req.headers['content-length'] ?? 0);
        if (length > limit) {
          if (length > MAX_DISCARD) res.setHeader('Connection', 'close');
          else discard(req, 0, MAX_DISCARD);
          return next(new BodyTooLarge(limit));
        }
        const large = new LargeBody(req, res, budget, () => Promise.resolve(tenantId));
        read(req, limit, large, (error, bytes) => {
          if (error) return next(error);
          req.rawBody = bytes!;
          next();
        });
      },
      (error: unknown) => {
        discard(req, 0, MAX_DISCARD);
        next(error);
      },
    );
  }

  function readBody(req: BridgeRequest, res: BridgeResponse, next: NextFunction): void {
    const { headers } = req;
    const length = headers['content-length'];
    const limit = bodyLimit(req.path);
    if (length !== undefined && Number(length) > limit) {
      if (Number(length) > MAX_DISCARD) res.setHeader('Connection', 'close');
      return next(new BodyTooLarge(limit));
    }
    const refusal = refusedForm(headers['content-encoding'], headers['content-type']);
    if (refusal !== null && length !== undefined) return next(refusal);
    // Where a signature authenticates the sender, the body has to be read first.
    const ask = admit === undefined || keepRaw?.(req.path) ? undefined : admit;
    const large = new LargeBody(req, res, budget, ask);
    read(req, limit, large, (error, bytes) => {
      if (error) return next(error);
      if (bytes!.length === 0) return next();
      if (refusal !== null) return next(refusal);
      if (keepRaw?.(req.path) || keepText?.(req.path)) req.rawBody = bytes!;
      finish(req, bytes!, next);
    });
  }
}

function finish(req: BridgeRequest, bytes: Buffer, next: NextFunction): void {
  try {
    req.body = parseJson(bytes);
  } catch (error) {
    return next(error);
  }
  next();
}

/** The checks before a large body is read. */
class LargeBody {
  readonly length: number;
  admitted = false;
  private share: BodyShare | null = null;

  constructor(
    private readonly req: BridgeRequest,
    private readonly res: BridgeResponse,
    private readonly budget: BodyBudget,
    private readonly admit: BodyOptions['admit'],
  ) {
    this.length = Number(req.headers['content-length'] ?? 0);
  }

  /** Returns whether the caller has to be authenticated after this many bytes. */
  isDue(size: number): boolean {
    return !this.admitted && size > SMALL_BODY;
  }

  /** Authenticates the caller and counts the bytes so far; they are returned with the answer. */
  async pass(size: number): Promise<void> {
    const owner = await this.admit?.(this.req);
    this.admitted = true;
    // A caller that has gone away would not return its bytes.
    if (this.res.closed || this.req.destroyed) return;
    const share = (this.share = this.budget.share(owner ?? ''));
    this.res.once('close', share.giveBack);
    const refusal = share.take(size);
    if (refusal !== null) throw refusal;
  }

  /** Counts bytes as they arrive: an announced size takes no memory. */
  grow(bytes: number): Error | null {
    return this.share?.take(bytes) ?? null;
  }
}

function read(
  req: BridgeRequest,
  limit: number,
  large: LargeBody,
  done: (error: Error | null, bytes?: Buffer) => void,
): void {
  const length = req.headers['content-length'];
  const collector = new ByteCollector(limit, length === undefined ? null : Number(length));
  // A body that is complete with its first piece, as most are, is not counted.
  let share: AnonymousShare | null = null;
  const onData = (chunk: Buffer): void => {
    if (!collector.add(chunk)) return stop(new BodyTooLarge(limit));
    if (collector.crumbles) return stop(new BodyInCrumbs());
    const full = large.grow(chunk.length);
    if (full !== null) return stop(full);
    if (large.isDue(collector.size)) {
      req.pause();
      large.pass(collector.size).then(() => {
        share?.end();
        req.resume();
      }, stop);
    } else if (!large.admitted && collector.size !== Number(length)) {
      share ??= anonymousBodies.share(stop);
      share.grow(collector.capacity);
    }
  };
  const onEnd = (): void => {
    stop(null);
  };
  // A caller that has gone away gets no answer, and the request ends.
  const onError = (): void => {
    unlisten();
  };
  const unlisten = (): void => {
    share?.end();
    req.off('data', onData);
    req.off('end', onEnd);
  };
  let over = false;
  const stop = (error: Error | null): void => {
    // A body can be ended while its sender is being authenticated.
    if (over) return;
    over = true;
    unlisten();
    if (error === null) return done(null, collector.bytes());
    if (error instanceof BodyInCrumbs) dropRest(req);
    else discard(req, collector.size, MAX_DISCARD);
    done(error);
  };
  const listen = (): void => {
    req.on('data', onData);
    req.on('end', onEnd);
  };
  req.on('error', onError);
  req.on('close', onError);
  if (large.isDue(large.length)) large.pass(0).then(listen, stop);
  else listen();
}

const PLAIN_TYPES = new Set(['application/json', 'application/scim+json', 'application/json; charset=utf-8']);
const JSON_TYPE = /^application\/(?:scim\+|merge-patch\+)?json$/i;

function refusedForm(encoding: string | undefined, type: string | undefined): UnsupportedMediaType | null {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return new UnsupportedMediaType('Bodies are read uncompressed only.', { 'Accept-Encoding': 'identity' });
  }
  if (type !== undefined && PLAIN_TYPES.has(type)) return null;
  const [media = '', ...parameters] = (type ?? '').split(';');
  if (!JSON_TYPE.test(media.trim())) {
    return new UnsupportedMediaType('Bodies are JSON: application/json or application/scim+json.', {
      'Accept-Post': 'application/json, application/scim+json',
    });
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() === 'charset' && !/^"?utf-?8"?$/i.test(value.trim())) {
      return new UnsupportedMediaType('JSON is written in UTF-8 here.');
    }
  }
  return null;
}

/**
 * Parses bytes as JSON.
 *
 * @throws {MalformedRequest} for bytes that are no UTF-8, no JSON, nested more than 32 deep, or name a member twice
 */
export function parseJson(bytes: Buffer): unknown {
  let text: string;
  if (isAscii(bytes)) text = bytes.toString('latin1');
  else if (isUtf8(bytes)) text = bytes.toString('utf8');
  else throw new MalformedRequest('The body is not valid UTF-8.', 'malformed_json', { scimType: 'invalidSyntax' });
  // Some clients send a byte order mark; RFC 8259 §8.1 allows to skip it.
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  if (text.trim() === '') return undefined;
  const fault = faultIn(bytes);
  if (fault !== null) throw new MalformedRequest(fault, 'malformed_json', { scimType: 'invalidSyntax' });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MalformedRequest('The body is not valid JSON.', 'malformed_json', { scimType: 'invalidSyntax', cause });
  }
}
