import { isAscii, isUtf8 } from 'node:buffer';
import type { NextFunction, RequestHandler } from 'express';
import { MalformedRequest } from '../errors/domain-error.js';
import { faultIn } from '../json-text.js';
import { discard, dropRest } from './answer.js';
import { ByteCollector } from './byte-collector.js';
import { anonymousBodies, type AnonymousShare } from './form.js';
import { TooManyBodies, BodyInCrumbs, BodyTooLarge, UnsupportedMediaType } from './http.errors.js';
import type { BridgeRequest, BridgeResponse } from './request.js';

/** The most bytes of large bodies in memory. One takes about three times as much while it is read. */
const MAX_HELD = 96 * 1024 * 1024;
/** The part of one tenant: its slow uploads do not block other tenants. */
const ONE_TENANT = 1 / 3;
const RETRY_AFTER_SECONDS = 2;

/** Counts the bytes of large bodies over all requests of this process, so that many bodies cannot exhaust its memory. */
class BodyBudget {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  constructor(private readonly max = MAX_HELD) {}

  /** Returns a share for one body of a tenant. Bytes are taken as they arrive, and returned together. */
  share(owner: string): BodyShare {
    let taken = 0;
    return {
      take: (bytes) => {
        const theirs = (this.heldBy.get(owner) ?? 0) + bytes;
        if (this.held + bytes > this.max || theirs > this.max * ONE_TENANT) {
          const limit = `${Math.floor(this.max * ONE_TENANT)} bytes for a tenant, ${this.max} in all`;
          return new TooManyBodies(
            `The large bodies in progress take more than ${limit}. Send fewer at the same time.`,
            RETRY_AFTER_SECONDS,
          );
        }
        this.held += bytes;
        this.heldBy.set(owner, theirs);
        taken += bytes;
        return null;
      },
      giveBack: () => {
        const left = (this.heldBy.get(owner) ?? 0) - taken;
        if (left > 0) this.heldBy.set(owner, left);
        else this.heldBy.delete(owner);
        this.held -= taken;
        taken = 0;
      },
    };
  }
}

interface BodyShare {
  readonly take: (bytes: number) => TooManyBodies | null;
  readonly giveBack: () => void;
}

/** A refused body is read up to this limit, so that the caller sees the answer and not a broken connection. */
export const MAX_DISCARD = 64 * 1024 * 1024;
/** Bodies up to this size are read before the caller is authenticated. Most are smaller and need no earlier look-up. */
const SMALL_BODY = 64 * 1024;

type Admit = (req: BridgeRequest) => Promise<string>;

class LargeBody {
  readonly length: number;
  admitted = false;
  private share: BodyShare | null = null;

  constructor(
    private readonly req: BridgeRequest,
    private readonly res: BridgeResponse,
    private readonly budget: BodyBudget,
    private readonly admit: Admit | undefined,
  ) {
    this.length = Number(req.headers['content-length'] ?? 0);
  }

  /** Whether the caller has to be authenticated after this number of bytes. */
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

function readStream(
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

const USUAL_LIMIT = 1024 * 1024;

/** Options of {@link bodyReader}, by address. */
export interface BodyOptions {
  /** The most bytes that an address accepts; undefined for 1 MiB. */
  limitOf?: (path: string) => number | undefined;
  /** Addresses whose handler needs the original bytes (signature checks): they get `req.rawBody`. */
  keepRaw?: (path: string) => boolean;
  /** Addresses where a body of this length is kept unchanged: they get `req.rawBody`, too. */
  keepText?: (path: string, bytes: number) => boolean;
  /** Addresses that read their own body (forms), some of them depending on its type. */
  leave?: (path: string, contentType: string) => boolean;
  /** Called before more than 64 KiB are read. */
  admit?: Admit;
  /** Addresses that need a credential: `admit` is called before the body is checked. */
  private?: (path: string) => boolean;
  /** Addresses that take any bytes as `req.rawBody`, after an `admit` of their own, with or without a body. */
  bytes?: {
    takes: (path: string) => boolean;
    admit: (req: BridgeRequest, res: BridgeResponse) => Promise<string>;
  };
}

/**
 * Returns a middleware that reads JSON bodies: limits before and while reading, type and encoding, UTF-8, syntax and depth.
 * `req.body` is undefined without a body. Refuses with 400, 413 and 415; a large body also with the refusal of `admit`, and
 * with 503 while there are too many of them.
 */
export function bodyReader(options: BodyOptions = {}, budget = new BodyBudget()): RequestHandler {
  const { keepRaw, keepText, leave, admit } = options;
  return (request, res, next) => {
    const req = request as BridgeRequest;
    const { method, headers } = req;
    if (method === 'POST' && options.bytes?.takes(req.path))
      return readBytes(req, res, next, budget, options.bytes.admit);
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

  function readBody(req: BridgeRequest, res: BridgeResponse, next: NextFunction): void {
    const { headers } = req;
    const length = headers['content-length'];
    const limit = options.limitOf?.(req.path) ?? USUAL_LIMIT;
    if (length !== undefined && Number(length) > limit) {
      if (Number(length) > MAX_DISCARD) res.setHeader('Connection', 'close');
      return next(new BodyTooLarge(limit));
    }
    const refusal = refusedForm(req);
    if (refusal !== null && length !== undefined) return next(refusal);
    // Where a signature authenticates the sender, the body has to be read first.
    const ask = admit === undefined || keepRaw?.(req.path) ? undefined : admit;
    const large = new LargeBody(req, res, budget, ask);
    readStream(req, limit, large, (error, bytes) => {
      if (error) return next(error);
      if (bytes!.length === 0) return next();
      if (refusal !== null) return next(refusal);
      if (keepRaw?.(req.path) || keepText?.(req.path, bytes!.length)) req.rawBody = bytes!;
      finish(req, bytes!, next);
    });
  }
}

function readBytes(
  req: BridgeRequest,
  res: BridgeResponse,
  next: NextFunction,
  budget: BodyBudget,
  admit: NonNullable<BodyOptions['bytes']>['admit'],
): void {
  const refuse = (error: unknown): void => {
    discard(req, 0, MAX_DISCARD);
    next(error);
  };
  admit(req, res).then((tenantId) => {
    const length = Number(req.headers['content-length'] ?? 0);
    if (length > MAX_DISCARD) {
      res.setHeader('Connection', 'close');
      return next(new BodyTooLarge(USUAL_LIMIT));
    }
    if (length > USUAL_LIMIT) return refuse(new BodyTooLarge(USUAL_LIMIT));
    const large = new LargeBody(req, res, budget, () => Promise.resolve(tenantId));
    readStream(req, USUAL_LIMIT, large, (error, bytes) => {
      if (error === null) req.rawBody = bytes!;
      next(error ?? undefined);
    });
  }, refuse);
}

function finish(req: BridgeRequest, bytes: Buffer, next: NextFunction): void {
  try {
    req.body = parseJson(bytes);
  } catch (error) {
    return next(error);
  }
  next();
}

const PLAIN_TYPES = new Set(['application/json', 'application/scim+json', 'application/json; charset=utf-8']);
const JSON_TYPE = /^application\/(?:scim\+|merge-patch\+)?json$/i;

function typesOf({ path, method }: BridgeRequest): string[] {
  if (path.startsWith('/scim/')) return ['application/scim+json', 'application/json'];
  return method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json'];
}

function refusedForm(req: BridgeRequest): UnsupportedMediaType | null {
  const { 'content-encoding': encoding, 'content-type': type } = req.headers;
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return new UnsupportedMediaType('Bodies are read uncompressed only.', { 'Accept-Encoding': 'identity' });
  }
  if (type !== undefined && PLAIN_TYPES.has(type)) return null;
  const [media = '', ...parameters] = (type ?? '').split(';');
  if (!JSON_TYPE.test(media.trim())) {
    const types = typesOf(req);
    return new UnsupportedMediaType(`Bodies are JSON here: ${types.join(' or ')}.`, {
      [req.method === 'PATCH' ? 'Accept-Patch' : 'Accept-Post']: types.join(', '),
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

/** @throws {MalformedRequest} for bytes that are no UTF-8, no JSON, nested more than 32 deep, or name a member twice */
export function parseJson(bytes: Buffer): unknown {
  let text: string;
  if (isAscii(bytes)) text = bytes.toString('latin1');
  else if (isUtf8(bytes)) text = bytes.toString('utf8');
  else throw new MalformedRequest('The body is not valid UTF-8.', 'malformed_json', { scimType: 'invalidSyntax' });
  // Some clients send a byte order mark; RFC 8259 §8.1 allows to skip it.
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  if (text.trim() === '') return undefined;
  const fault = faultIn(text);
  if (fault !== null) throw new MalformedRequest(fault, 'malformed_json', { scimType: 'invalidSyntax' });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MalformedRequest('The body is not valid JSON.', 'malformed_json', { scimType: 'invalidSyntax', cause });
  }
}
