import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type RequestHandler, type NextFunction, type Request, type Response, type Express } from 'express';
import helmet from 'helmet';
import { MalformedRequest } from '../errors/domain-error.js';
import { newId } from '../ids.js';
import { JsonText, sendJson } from './answer.js';
import { boundConnections } from './connection-bound.js';

/** Of the head of a request; passed to `http.createServer`. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** The time limit for a silent connection: longer than any statement, and than a proxy keeps an idle connection. */
const STALLED_MS = 90_000;

/** The time in which a caller can read why the connection ends. */
const GOODBYE_MS = 1000;
/** The interval of checks of the time limits below; passed to `http.createServer`. */
export const CHECK_EVERY_MS = 5000;

/** Sets the time limits of connections: a slow or silent caller must not hold one for ever. */
export function tuneServer(server: Server): void {
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  // Longer than that of usual proxies (60 s): otherwise a proxy sends a request while the service closes.
  server.keepAliveTimeout = 65_000;
  server.maxRequestsPerSocket = 0;
  // A reader that stops reading keeps its whole answer in memory.
  server.setTimeout(STALLED_MS, (socket) => socket.destroy());
  boundConnections(server);
  server.on('clientError', answerBrokenRequest);
  // Express answers CONNECT and upgrades in its own way or not at all.
  server.on('connect', (_req: IncomingMessage, socket: Socket) =>
    writeRaw(socket, '405 Method Not Allowed', '\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE'),
  );
}

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') writeRaw(socket, '431 Request Header Fields Too Large');
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') writeRaw(socket, '408 Request Timeout');
  else if (error.code === 'HPE_INVALID_METHOD')
    writeRaw(socket, '405 Method Not Allowed', '\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE');
  else writeRaw(socket, '400 Bad Request');
}

function writeRaw(socket: Socket, status: string, more = ''): void {
  const title = status.slice(4);
  const body = JSON.stringify({ type: 'about:blank', title, status: Number(status.slice(0, 3)) });
  // A half-open connection keeps the memory of its request, so it is closed after this time.
  const patience = setTimeout(() => socket.destroy(), GOODBYE_MS).unref();
  socket.once('close', () => clearTimeout(patience));
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nX-Request-Id: ${newId('req')}${more}\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** The setting of the application by which forms of pages may lead to plain http on a loopback address. */
export const LOOPBACK_FORMS = 'loopback forms';

/**
 * Returns the headers of every answer. Answers of the API are data: they may not be framed, run, cached or sniffed. HSTS only
 * where the public address is https.
 */
export function securityHeaders(baseUrl: string): readonly (readonly [string, string])[] {
  const headers: [string, string][] = [
    ['X-Content-Type-Options', 'nosniff'],
    ['Cache-Control', 'no-store'],
    ['Referrer-Policy', 'no-referrer'],
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ];
  if (baseUrl.startsWith('https:')) headers.push(['Strict-Transport-Security', 'max-age=31536000; includeSubDomains']);
  return headers;
}

/** Returns a middleware with the policy of HTML pages: own scripts and pictures, and the style attributes that they need. */
export function pageHeaders(baseUrl: string): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: baseUrl.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    referrerPolicy: { policy: 'no-referrer' },
  }) as RequestHandler;
}

/** Refuses several `Host` headers (RFC 9112 §3.2): Node.js keeps the first one, and a proxy may judge by another. */
export function oneHost({ rawHeaders }: Request, _res: Response, next: NextFunction): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts++;
  }
  next(hosts > 1 ? new MalformedRequest('The request has more than one Host header. Send one.') : undefined);
}

const DOUBLED = /^\/scim\/v2\/{2,}/;

/**
 * Replaces several slashes after the base address of SCIM by one. An IdP with a slash at the end of this address requests
 * `/scim/v2//Users`. No other address has a second spelling.
 */
export function singleSlashes(req: Request, _res: Response, next: NextFunction): void {
  if (req.url.startsWith('/scim/v2//')) {
    req.url = req.url.replace(DOUBLED, '/scim/v2/');
    req.originalUrl = req.url;
  }
  next();
}

type MessageConstructor = typeof IncomingMessage;
type ResponseConstructor = typeof ServerResponse;

/**
 * Express on a server whose requests and responses are created with Express's prototypes. Otherwise Express changes the
 * prototype of each, which costs more than all of its routing, because V8 can no longer optimise access.
 */
export class BridgeAdapter extends ExpressAdapter {
  constructor() {
    const app = express();
    // One address has one spelling: limits and forms of errors depend on it.
    app.set('case sensitive routing', true);
    super(app);
  }

  /** Sends the return value of a controller: an object, or its text, like every other JSON answer. */
  override reply(response: ServerResponse, body: unknown, statusCode?: number): void {
    if (!isPlainJson(body)) {
      super.reply(response, body, statusCode);
      return;
    }
    sendJson(response, statusCode ?? response.statusCode, body instanceof JsonText ? body.text : JSON.stringify(body));
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    const options = {
      IncomingMessage: bornWith(http.IncomingMessage, app.request) as MessageConstructor,
      ServerResponse: bornWith(http.ServerResponse, app.response) as ResponseConstructor,
      maxHeaderSize: MAX_HEADER_BYTES,
      connectionsCheckingInterval: CHECK_EVERY_MS,
    };
    this.httpServer = http.createServer(options, app);
  }
}

/** Returns a constructor that initialises like node's own, for objects with another prototype that inherits from node's. */
function bornWith(base: MessageConstructor | ResponseConstructor, prototype: object): unknown {
  // Node's constructors are plain functions, which can be called on an existing object.
  const initialise = base as unknown as (...args: unknown[]) => void;
  function Born(this: object, ...args: unknown[]): void {
    initialise.apply(this, args);
  }
  Born.prototype = prototype;
  // V8 reserves room in an object by its constructor and the constructors that it inherits from. Without those of node,
  // a response has more fields than room, and becomes a hash table.
  Object.setPrototypeOf(Born, base);
  return Born;
}

/** Express handles errors and streams. */
function isPlainJson(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return Array.isArray(body) || !(body instanceof Error || body instanceof StreamableFile);
}
