import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { Config } from '../base/config/config.js';
import { hashToken, sameHash } from '../base/crypto/tokens.js';
import { NotFound } from '../base/errors/domain-error.js';
import type { BridgeRequest } from '../base/http/request.js';
import { bearerToken } from '../tenants/bearer.js';
import { Unauthenticated } from '../tenants/tenants.errors.js';

/** Headers by which a proxy says that a request came through it. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip'];

/** Who may read the figures of this process. They name no tenant, but they tell an attacker which attack works. */
@Injectable()
export class MetricsAccess {
  private readonly hash: Buffer | null;

  constructor(private readonly config: Config) {
    this.hash = config.metrics.token === null ? null : hashToken(config.metrics.token);
  }

  /**
   * Judges a request for `/metrics` on the port of the service. With METRICS_PORT the address does not exist there. In
   * production without METRICS_TOKEN it exists for callers of the own network alone, and not through a proxy.
   *
   * @throws {NotFound} when the address is not served to this caller
   * @throws {Unauthenticated} when METRICS_TOKEN is set and another token came, or none
   */
  demand(req: BridgeRequest): void {
    if (this.config.metrics.port !== null) throw new NotFound('address');
    if (this.hash !== null) return this.demandToken(req);
    if (this.config.production && !this.isNear(req)) throw new NotFound('address');
  }

  /**
   * Judges the credential of a request.
   *
   * @throws {Unauthenticated} when METRICS_TOKEN is set and another token came, or none
   */
  demandToken(req: IncomingMessage & { originalUrl: string }): void {
    if (this.hash === null) return;
    const token = bearerToken(req);
    if (token === null) throw new Unauthenticated('missing');
    if (!sameHash(hashToken(token), this.hash)) throw new Unauthenticated('invalid');
  }

  /** Whether the caller is of the own network. Without TRUST_PROXY a forwarded request counts as from outside. */
  private isNear(req: BridgeRequest): boolean {
    if (this.config.trustProxy.length === 0 && FORWARDED.some((name) => req.headers[name] !== undefined)) return false;
    const address = req.ip ?? '';
    if (!ipaddr.isValid(address)) return false;
    return ['loopback', 'private', 'uniqueLocal', 'linkLocal'].includes(ipaddr.process(address).range());
  }
}
