import { Injectable } from '@nestjs/common';
import { Config } from '../base/config/config.js';
import { urlOf } from '../base/url.js';
import type { Destination, DestinationKey } from '../engine/delivery/destination.js';
import type { PlatformConnection } from './platform-client/platform.client.js';

/** Makes connections of destinations, and decides which addresses may be private. */
@Injectable()
export class Connections {
  private readonly allowPrivate: boolean;
  /** A destination is read once a second and used for every call in it. */
  private readonly known = new WeakMap<Destination, PlatformConnection>();

  constructor(config: Config) {
    this.allowPrivate = config.allowPrivateDestinations;
  }

  of(destination: Destination): PlatformConnection {
    let connection = this.known.get(destination);
    if (connection === undefined) {
      const { tenantId, baseUrl, key, settings, operatorOrigin } = destination;
      const own = isAt(baseUrl, operatorOrigin);
      const owner = own ? null : tenantId;
      connection = { baseUrl, key, paths: settings.paths, owner, trusted: own || this.allowPrivate };
      this.known.set(destination, connection);
    }
    return connection;
  }

  /**
   * Returns whether an address may be private and plain http: where the operator allows that to all tenants, and at
   * the origin that the operator chose for this tenant. Another tenant that names the same origin may not.
   */
  mayBePrivate(baseUrl: string, known: Destination | null): boolean {
    return this.allowPrivate || isAt(baseUrl, known?.operatorOrigin ?? null);
  }
}

function isAt(baseUrl: string, origin: string | null): boolean {
  return origin !== null && urlOf(baseUrl)?.origin === origin;
}

/** The channel that sends users to the platform. */
export const PLATFORM = 'platform';

/** Returns the key of a tenant's platform connection: each tenant has one. */
export function platformOf(tenantId: string): DestinationKey {
  return { tenantId, channel: PLATFORM, id: 'main' };
}

/** A port: what forwarding asks about the users of a tenant. The room that keeps the users implements it. */
export abstract class NamedUsers {
  /** Returns a query for the `id` of each active user with this external id or lower-case e-mail (SQL expressions). */
  abstract namedQuery(tenantId: string, externalId: string, email: string): string;

  abstract byExternalId(tenantId: string, externalIds: readonly string[]): Promise<Map<string, string>>;
}
