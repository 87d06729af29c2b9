import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { Config } from '../base/config/config.js';
import { hashToken, sameHash } from '../base/crypto/tokens.js';
import { NotFound } from '../base/errors/domain-error.js';
import type { BridgeRequest } from '../base/http/request.js';
import { bearerToken } from '../tenancy/tenants/caller.js';
import { Unauthenticated } from '../tenancy/tenants/tenants.errors.js';

/** Headers of a request that came through a proxy. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip'];

/** Checks who may read the metrics. They name no tenant, but they show an attacker which attack works. */
@Injectable()
export class MetricsAccess {
  private readonly hash: Buffer | null;

  constructor(private readonly config: Config) {
    this.hash = config.metrics.token === null ? null : hashToken(config.metrics.token);
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

  /**
   * Checks the credential of a request.
   *
   * @throws {Unauthenticated} when METRICS_TOKEN is set and the token is missing or wrong
   */
  demandToken(req: IncomingMessage & { originalUrl: string }): void {
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
