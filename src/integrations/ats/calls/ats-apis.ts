import { Injectable } from '@nestjs/common';
import { trimEndOf } from '../../../base/characters.js';
import { Clock } from '../../../base/clock.js';
import { Config } from '../../../base/config/config.js';
import { DestinationNetworks, refusalOfUrl } from '../../../base/http/destination-networks.js';
import { Outbound } from '../../../base/http/outbound.js';
import { urlOf } from '../../../base/url.js';
import { AtsFailure, type AtsApi, type Credential } from '../api/ats-api.js';
import { AtsCredentials } from '../connections/ats-credentials.js';
import type { AtsConnection } from '../connections/connection.js';
import { TokenClient } from '../oauth/token-client.js';
import { connectorOf } from '../providers/providers.js';
import { AtsCallOptions, AtsPaces, ConnectionApi, type CallGround, HostBreaker } from './connection-api.js';

@Injectable()
export class AtsApis {
  private readonly ground: CallGround;
  private readonly networks: DestinationNetworks;

  constructor(
    outbound: Outbound,
    credentials: AtsCredentials,
    paces: AtsPaces,
    options: AtsCallOptions,
    clock: Clock,
    private readonly config: Config,
    private readonly clients: TokenClient,
  ) {
    this.networks = new DestinationNetworks(config.destinationNetworks);
    const breaker = new HostBreaker();
    const anyPrivate = config.allowPrivateDestinations;
    this.ground = { outbound, credentials, paces, options, clock, breaker, anyPrivate };
  }

  /** @throws {AtsFailure} `away` where the provider, region or address cannot be called: the operator can end it */
  of(connection: AtsConnection): AtsApi {
    return this.at(connection, this.ground);
  }

  /** Calls with a credential that is not stored yet, and not renewed. @throws {AtsFailure} as for `of` */
  trying(connection: AtsConnection, credential: Credential): AtsApi {
    const credentials = { current: () => Promise.resolve(credential), renewed: () => Promise.resolve(null) };
    return this.at(connection, { ...this.ground, credentials });
  }

  /** The connection is not stored yet, so it has no pace: for a few calls alone. @throws {AtsFailure} as for `of` */
  beforeStored(connection: AtsConnection, credential: Credential): AtsApi {
    const credentials = { current: () => Promise.resolve(credential), renewed: () => Promise.resolve(null) };
    return this.at(connection, { ...this.ground, credentials, paces: NO_PACE });
  }

  private at(connection: AtsConnection, ground: CallGround): AtsApi {
    const connector = connectorOf(connection.provider);
    if (connector === undefined)
      throw new AtsFailure('away', 'unknown_provider', 'There is no connector of this name.');
    const address = connection.baseUrl ?? this.clients.region(connector, connection.region)?.api;
    if (address === undefined) {
      throw new AtsFailure('away', 'unknown_region', `${connector.title} has no region of this name.`);
    }
    const url = urlOf(trimEndOf(address, '/'));
    const { anyPrivate } = ground;
    // Where private addresses are allowed, the operator develops, and simulators have ports of their own.
    if (url === null || (!anyPrivate && refusalOfUrl(address, 'platform', { anyPrivate, networks: this.networks }))) {
      throw new AtsFailure('away', 'blocked', `The address of ${connector.title} is not admitted.`);
    }
    const problem = connector.addressProblem?.(url) ?? null;
    if (problem !== null) throw new AtsFailure('away', 'wrong_address', problem);
    return new ConnectionApi(ground, connection, connector, url);
  }
}

const NO_PACE: CallGround['paces'] = {
  take: () => Promise.resolve({ kind: 'go', afterMs: 0 }),
  pause: () => Promise.resolve(),
};
