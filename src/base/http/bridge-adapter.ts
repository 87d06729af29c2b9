import { StreamableFile } from '@nestjs/common';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express } from 'express';
import { JsonText, sendJson } from './answer.js';
import { CHECK_EVERY_MS, MAX_HEADER_BYTES } from './server.js';

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

/**
 * Returns a constructor that initialises like node's own, for objects with another prototype that inherits from node's.
 */
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

/** Returns whether a body is an object or array of data; Express handles errors and streams. */
function isPlainJson(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return Array.isArray(body) || !(body instanceof Error || body instanceof StreamableFile);
}
