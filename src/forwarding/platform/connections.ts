import { Injectable } from '@nestjs/common';
import { urlOf } from '../../base/http/url.js';
import { Config } from '../../base/config/config.js';
import type { Destination } from '../../delivery/destination.js';
import type { PlatformConnection } from '../../platform-client/platform.types.js';

/** Turns a destination into what the client needs, and says which addresses need no leave. */
@Injectable()
export class Connections {
  private readonly trusted: Set<string>;
  private readonly allowPrivate: boolean;
  /** A destination is read once a second and used for every call in it. */
  private known = new WeakMap<Destination, PlatformConnection>();

  constructor(config: Config) {
    // The operator's own address, and the stand-in that this installation runs itself.
    const own = config.platform.baseUrl === undefined ? [] : [config.platform.baseUrl];
    const { enabled } = config.sandbox;
    if (enabled === 'on' || (enabled === 'auto' && config.databaseUrl === null)) {
      own.push(`http://127.0.0.1:${config.sandbox.port}`, `http://localhost:${config.sandbox.port}`);
    }
    this.trusted = new Set(own.map((address) => new URL(address).origin));
    this.allowPrivate = config.allowPrivateDestinations;
  }

  /** An address of this installation's own that is known only after the start (the sandbox on any free port). */
  trust(address: string): void {
    this.trusted.add(new URL(address).origin);
    this.known = new WeakMap();
  }

  of(destination: Destination): PlatformConnection {
    let connection = this.known.get(destination);
    if (connection === undefined) {
      const { baseUrl, key, settings } = destination;
      connection = { baseUrl, key, paths: settings.paths, trusted: this.trusts(baseUrl) };
      this.known.set(destination, connection);
    }
    return connection;
  }

  /** Whether an address may be private and plain http. */
  trusts(baseUrl: string): boolean {
    return this.allowPrivate || this.trusted.has(urlOf(baseUrl)?.origin ?? '');
  }
}
