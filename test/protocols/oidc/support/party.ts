import { Clock } from '../../../../src/base/clock.js';
import type { Config } from '../../../../src/base/config/config.js';
import { Outbound } from '../../../../src/base/http/outbound.js';
import { AuthAddresses } from '../../../../src/auth/connections/addresses.js';
import type { OidcConnection } from '../../../../src/auth/connections/connection.js';
import { IdpLimits } from '../../../../src/protocols/oidc/guarded-fetch.js';
import { OidcProtocol } from '../../../../src/protocols/oidc/oidc.protocol.js';

/** A clock that stands still until a test moves it. */
export class HandClock extends Clock {
  private ms: number;
  private readonly begun: number;

  constructor(start = new Date('2026-06-01T12:00:00Z')) {
    super();
    this.ms = this.begun = start.getTime();
  }

  now(): Date {
    return new Date(this.ms);
  }

  monotonic(): number {
    return this.ms - this.begun;
  }

  advance(seconds: number): void {
    this.ms += seconds * 1000;
  }
}

/** Deadlines that a test can wait for. */
export class ShortLimits extends IdpLimits {
  override readonly ms = { discovery: 300, jwks: 300, token: 300, userinfo: 300 };
}

export interface Settings {
  appUrl: string;
  allowPrivateDestinations: boolean;
}

/** A relying party with its own connections to IdPs; `settings` may be changed while it runs. */
export function newParty(clock: Clock, limits = new IdpLimits()) {
  const settings: Settings = { appUrl: 'https://app.example.com', allowPrivateDestinations: true };
  const outbound = new Outbound();
  const config = settings as Config;
  const protocol = new OidcProtocol(outbound, config, clock, new AuthAddresses(config), limits);
  return { protocol, settings, close: () => outbound.close() };
}

export function newConnection(issuer: string, change: Partial<OidcConnection> = {}): OidcConnection {
  return {
    type: 'oidc',
    tenantId: 'ten_1',
    id: 'con_1',
    slug: 'acme',
    name: 'Acme',
    enabled: true,
    version: 1,
    directoryId: null,
    linkClaim: null,
    claimMap: {},
    emailTrust: 'domain',
    roleMap: [],
    jit: false,
    defaultRole: 'member',
    testedAt: null,
    returnOrigins: [],
    issuer,
    discoveryUrl: null,
    clientId: 'client-1',
    tokenAuth: 'client_secret_basic',
    clientSecret: 'secret-1',
    privateKey: null,
    scopes: ['openid', 'email', 'profile'],
    idTokenAlg: null,
    userInfo: 'never',
    maxAgeSeconds: null,
    acrValues: [],
    ...change,
  };
}
