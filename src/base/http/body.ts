import { isAscii, isUtf8 } from 'node:buffer';
import type { NextFunction, RequestHandler } from 'express';
import { MalformedRequest } from '../errors/domain-error.js';
import { BodyTooLarge, UnsupportedMediaType } from './http.errors.js';
import type { BridgeRequest } from './request.js';

const MIB = 1024 * 1024;
export const MAX_DEPTH = 32;
// A refused body is read to its end, so that the caller sees the answer and not a broken connection; not for ever.
const MAX_DISCARD = 64 * MIB;

/** The most bytes that an address takes: a group is its 100 000 members in one PUT. */
export function bodyLimit(path: string): number {
  if (path.startsWith('/scim/v2/Groups')) return 16 * MIB;
  if (path.startsWith('/scim/v2/Bulk')) return 4 * MIB;
  return MIB;
}

export interface BodyOptions {
  /** Addresses whose handler needs the very bytes (signature checks): they get `req.rawBody`. */
  keepRaw?: (path: string) => boolean;
  /** Addresses that read their own body (forms). */
  leave?: (path: string) => boolean;
}

/**
 * Reads JSON bodies: limits before and while reading, the declared type and encoding, UTF-8, syntax and depth. Sets
 * `req.body`: undefined where there is no body. Refuses with 400, 413 and 415.
 */
export function bodyReader(options: BodyOptions = {}): RequestHandler {
  const { keepRaw, leave } = options;
  return (request, res, next) => {
    const req = request as BridgeRequest;
    const { method, headers } = req;
    if (method === 'GET' || method === 'DELETE' || method === 'HEAD' || method === 'OPTIONS') return next();
    const length = headers['content-length'];
    if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) return next();
    if (leave?.(req.path)) return next();

    const limit = bodyLimit(req.path);
    if (length !== undefined && Number(length) > limit) {
      if (Number(length) > MAX_DISCARD) res.setHeader('Connection', 'close');
      return next(new BodyTooLarge(limit));
    }
    const refusal = refusedForm(headers['content-encoding'], headers['content-type']);
    if (refusal !== null && length !== undefined) return next(refusal);
    read(req, limit, (error, bytes) => {
      if (error) return next(error);
      if (bytes!.length === 0) return next();
      if (refusal !== null) return next(refusal);
      if (keepRaw?.(req.path)) req.rawBody = bytes!;
      finish(req, bytes!, next);
    });
  };
}

function finish(req: BridgeRequest, bytes: Buffer, next: NextFunction): void {
  try {
    req.body = parseJson(bytes);
  } catch (error) {
    return next(error);
  }
  next();
}

function read(req: BridgeRequest, limit: number, done: (error: Error | null, bytes?: Buffer) => void): void {
  let first: Buffer | null = null;
  let more: Buffer[] | null = null;
  let size = 0;
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > limit) return stop(new BodyTooLarge(limit));
    if (first === null) first = chunk;
    else (more ??= [first]).push(chunk);
  };
  const onEnd = (): void => {
    stop(null);
  };
  // A caller who went away gets no answer, and the request goes no further.
  const onError = (): void => {
    unlisten();
  };
  const unlisten = (): void => {
    req.off('data', onData);
    req.off('end', onEnd);
  };
  const stop = (error: Error | null): void => {
    unlisten();
    if (error !== null) {
      req.resume();
      return done(error);
    }
    done(null, more !== null ? Buffer.concat(more, size) : (first ?? Buffer.alloc(0)));
  };
  req.on('data', onData);
  req.on('end', onEnd);
  req.on('error', onError);
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

/** Bytes as JSON; 400 when they are no UTF-8, no JSON, or nested more than 32 deep. */
export function parseJson(bytes: Buffer): unknown {
  let text: string;
  if (isAscii(bytes)) text = bytes.toString('latin1');
  else if (isUtf8(bytes)) text = bytes.toString('utf8');
  else throw new MalformedRequest('The body is not valid UTF-8.', 'malformed_json', { scimType: 'invalidSyntax' });
  // Some clients put a byte order mark in front; RFC 8259 §8.1 lets a reader skip it.
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  if (text.trim() === '') return undefined;
  if (isTooDeep(bytes)) {
    throw new MalformedRequest(`The body is nested more than ${MAX_DEPTH} deep.`, 'malformed_json', {
      scimType: 'invalidSyntax',
    });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MalformedRequest('The body is not valid JSON.', 'malformed_json', { scimType: 'invalidSyntax', cause });
  }
}

/** One walk over the bytes before anything recursive sees them. Brackets inside strings do not count. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let inside = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (inside) {
      if (byte === 0x5c) i++;
      else if (byte === 0x22) inside = false;
    } else if (byte === 0x22) inside = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}
