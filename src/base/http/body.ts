import { isAscii, isUtf8 } from 'node:buffer';
import type { NextFunction, RequestHandler } from 'express';
import { MalformedRequest } from '../errors/domain-error.js';
import { faultIn } from '../json-text.js';
import { BodyBudget } from './body-budget.js';
import { LargeBody, MAX_DISCARD, readStream, type Admit } from './body-stream.js';
import { BodyTooLarge, UnsupportedMediaType } from './http.errors.js';
import type { BridgeRequest, BridgeResponse } from './request.js';
import { discard } from './unread.js';

/** The most bytes that an address accepts without a limit of its own. */
const USUAL_LIMIT = 1024 * 1024;

/** Options of {@link bodyReader}, by address. */
export interface BodyOptions {
  /** The most bytes that an address accepts; undefined: 1 MiB. */
  limitOf?: (path: string) => number | undefined;
  /** Addresses whose handler needs the original bytes (signature checks): they get `req.rawBody`. */
  keepRaw?: (path: string) => boolean;
  /** Addresses where a body of this length is kept as written: they get `req.rawBody`, too. */
  keepText?: (path: string, bytes: number) => boolean;
  /** Addresses that read their own body (forms), some of them depending on its type. */
  leave?: (path: string, contentType: string) => boolean;
  /**
   * Returns the tenant of the caller; called before more than 64 KiB are read. Rejects with the refusal of an unknown
   * caller.
   */
  admit?: Admit;
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

/** Reads the bytes of an address that takes any, from a caller that its own `admit` lets in. */
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

/** Returns the media types that a caller of an address should send; the other ones of JSON are taken, too. */
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
  const fault = faultIn(text);
  if (fault !== null) throw new MalformedRequest(fault, 'malformed_json', { scimType: 'invalidSyntax' });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MalformedRequest('The body is not valid JSON.', 'malformed_json', { scimType: 'invalidSyntax', cause });
  }
}
