import { StreamableFile } from '@nestjs/common';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express } from 'express';
import { sendJson } from './answer.js';
import { CHECK_EVERY_MS, MAX_HEADER_BYTES } from './server.js';

type MessageConstructor = typeof IncomingMessage;
type ResponseConstructor = typeof ServerResponse;

/**
 * Express on a server whose requests and responses are born with Express's prototypes. Otherwise Express changes the
 * prototype of each of them, which costs more than all of its routing: the engine then treats every one as a stranger.
 */
export class BridgeAdapter extends ExpressAdapter {
  constructor() {
    const app = express();
    // One address has one spelling: limits and error faces are chosen by it.
    app.set('case sensitive routing', true);
    super(app);
  }

  /** Sends what a controller returns: an object like every other JSON answer. */
  override reply(response: ServerResponse, body: unknown, statusCode?: number): void {
    if (!isPlainJson(body)) {
      super.reply(response, body, statusCode);
      return;
    }
    sendJson(response, statusCode ?? response.statusCode, JSON.stringify(body));
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

/** A constructor that does what node's own does, for objects with another prototype that inherits from node's. */
function bornWith(base: MessageConstructor | ResponseConstructor, prototype: object): unknown {
  // Node's constructors are plain functions, made to be called on an object that is there already.
  const initialise = base as unknown as (...args: unknown[]) => void;
  function Born(this: object, ...args: unknown[]): void {
    initialise.apply(this, args);
  }
  Born.prototype = prototype;
  return Born;
}

/** An object or array of data; errors and streams are left to Express. */
function isPlainJson(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return Array.isArray(body) || !(body instanceof Error || body instanceof StreamableFile);
}
