import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Config } from '../base/config/config.js';
import { DomainError, PlainFailure } from '../base/errors/domain-error.js';
import { CHECK_EVERY_MS, MAX_HEADER_BYTES, tuneServer } from '../base/http/server.js';
import { Logger } from '../base/log/logger.js';
import { MetricsAccess } from './metrics-access.js';
import { Metrics } from './metrics.js';

/** Serves `/metrics`, and nothing else, on METRICS_PORT. */
@Injectable()
export class MetricsServer {
  private server: http.Server | null = null;

  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly access: MetricsAccess,
    private readonly logger: Logger,
  ) {}

  /** The port of the server; null while it does not listen. */
  get port(): number | null {
    return (this.server?.address() as AddressInfo | null)?.port ?? null;
  }

  /**
   * Listens, where METRICS_PORT is set.
   *
   * @throws {PlainFailure} when another program has the port
   */
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

  /** Ends the server with all its connections. */
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
      this.access.demandToken(Object.assign(req, { originalUrl: url }));
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
