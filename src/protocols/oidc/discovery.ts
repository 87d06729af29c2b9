import type { Clock } from '../../base/clock.js';
import type { Config } from '../../base/config/config.js';
import type { OidcSettings } from './oidc-settings.js';
import { OidcRefused } from './oidc-refused.js';
import { discoveryUrl, readDiscoveryDocument, type OidcServer } from './discovery.rules.js';
import { problemOfEndpoint, type GuardedFetch } from './guarded-fetch.js';
import { IDP_RETRIES_MS, LastGood } from './last-good.js';

const MINUTE = 60_000;

/** The metadata of IdPs: at most ten minutes old, or a day while the IdP is not available. */
export class OidcMetadata {
  // Another issuer's document at the address is not an outage: the former document is dropped.
  private readonly known: LastGood<OidcServer>;

  constructor(
    private readonly idp: GuardedFetch,
    private readonly config: Pick<Config, 'allowPrivateDestinations'>,
    clock: Clock,
  ) {
    const pauses = { pauseMs: MINUTE, retriesMs: IDP_RETRIES_MS };
    this.known = new LastGood(
      clock,
      { freshMs: 10 * MINUTE, keepMs: 24 * 60 * MINUTE, ...pauses, capacity: 2_000 },
      (error) => error instanceof OidcRefused && error.reason === 'issuer_mismatch',
    );
  }

  /**
   * Returns the metadata of an IdP.
   *
   * @throws {OidcRefused} `idp_unreachable`, `idp_answer_invalid`, `issuer_mismatch`
   */
  get(connection: OidcSettings): Promise<OidcServer> {
    return this.known.get(discoveryKeyOf(connection), () => this.read(connection));
  }

  /** Reads the present metadata past the cache. Throws as `get`. */
  async read(connection: OidcSettings): Promise<OidcServer> {
    const document = await this.idp
      .of(connection.tenantId)
      .json('discovery', connection.discoveryUrl ?? discoveryUrl(connection.issuer));
    const { allowPrivateDestinations: allowPrivate } = this.config;
    return readDiscoveryDocument(document, connection.issuer, allowPrivate, (url) =>
      problemOfEndpoint(url, allowPrivate),
    );
  }
}

/** The owner of a key set: a connection, or a client of this service. */
export type KeyOwner = Pick<OidcSettings, 'tenantId' | 'id' | 'version' | 'issuer'>;

/** Returns the cache key of a connection. A change of the connection is another key. */
export function discoveryKeyOf(connection: KeyOwner): string {
  return JSON.stringify([connection.tenantId, connection.id, connection.version, connection.issuer]);
}
