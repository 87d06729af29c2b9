import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { Config } from '../base/config/config.js';
import { hashToken, sameHash } from '../base/crypto/tokens.js';
import { NotFound, DomainError, PlainFailure } from '../base/errors/domain-error.js';
import type { BridgeRequest } from '../base/http/request.js';
import { CHECK_EVERY_MS, MAX_HEADER_BYTES, tuneServer } from '../base/http/server.js';
import { Logger } from '../base/log/logger.js';
import { bearerToken } from '../tenancy/tenants/caller.js';
import { Unauthenticated } from '../tenancy/tenants/tenants.errors.js';
import { Metrics } from './metrics.js';

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip'];

/** Serves `/metrics` on METRICS_PORT, and checks its readers: the figures show an attacker which attack works. */
@Injectable()
export class MetricsServer {
  private server: http.Server | null = null;
  private readonly hash: Buffer | null;

  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly logger: Logger,
  ) {
    this.hash = config.metrics.token === null ? null : hashToken(config.metrics.token);
  }

  get port(): number | null {
    return (this.server?.address() as AddressInfo | null)?.port ?? null;
  }

  /** Listens, if METRICS_PORT is set. @throws {PlainFailure} when another program has the port */
  async start(): Promise<void> {
    if (this.config.metrics.port === null || this.server !== null) return;
    const options = { maxHeaderSize: MAX_HEADER_BYTES, connectionsCheckingInterval: CHECK_EVERY_MS };
    const server = http.createServer(options, (req, res) => void this.answer(req, res));
    tuneServer(server);
    server.listen(this.config.metrics.port);
    await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new PlainFailure(
        `port ${this.config.metrics.port} is taken by another program; set METRICS_PORT to a free one.`,
      );
    });
    this.server = server;
  }

  async stop(): Promise<void> {
    const server = this.server;
    this.server = null;
    if (server === null) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const url = req.url ?? '';
      if (url.split('?', 1)[0] !== '/metrics') return send(res, 404, 'Only /metrics is served on this port.\n');
      if (req.method !== 'GET' && req.method !== 'HEAD') return send(res, 405, '', { Allow: 'GET, HEAD' });
      this.demandToken(Object.assign(req, { originalUrl: url }));
      send(res, 200, await this.metrics.render(), { 'Content-Type': this.metrics.contentType });
    } catch (error) {
      if (error instanceof DomainError) {
        const headers = { 'WWW-Authenticate': 'Bearer realm="talent-bridge"', ...error.extras.headers };
        return send(res, error.kind === 'unauthenticated' ? 401 : 400, `${error.message}\n`, headers);
      }
      this.logger.error('figures not shown', { error });
      send(res, 500, '');
    }
  }

  /**
   * Checks a request for `/metrics` on the port of the service. With METRICS_PORT the address does not exist there. In
   * production without METRICS_TOKEN it exists only for callers of the own network, and not through a proxy.
   *
   * @throws {NotFound} when the address is not served to this caller
   * @throws {Unauthenticated} when METRICS_TOKEN is set and the token is missing or wrong
   */
  demand(req: BridgeRequest): void {
    if (this.config.metrics.port !== null) throw new NotFound('address');
    if (this.hash !== null) return this.demandToken(req);
    if (this.config.production && !this.isNear(req)) throw new NotFound('address');
  }

  /** @throws {Unauthenticated} when METRICS_TOKEN is set and the token is missing or wrong */
  private demandToken(req: IncomingMessage & { originalUrl: string }): void {
    if (this.hash === null) return;
    const token = bearerToken(req);
    if (token === null) throw new Unauthenticated('missing');
    if (!sameHash(token.hash, this.hash)) throw new Unauthenticated('invalid');
  }

  /** Returns whether the caller is in the own network. Without TRUST_PROXY a forwarded request counts as external. */
  private isNear(req: BridgeRequest): boolean {
    if (this.config.trustProxy.length === 0 && FORWARDED.some((name) => req.headers[name] !== undefined)) return false;
    const address = req.ip ?? '';
    if (!ipaddr.isValid(address)) return false;
    return ['loopback', 'private', 'uniqueLocal', 'linkLocal'].includes(ipaddr.process(address).range());
  }
}

function send(res: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  res.end(text);
}
