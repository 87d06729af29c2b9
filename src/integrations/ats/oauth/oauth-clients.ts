import { Injectable } from '@nestjs/common';
import { Config } from '../../../base/config/config.js';
import type { Connector, Region } from '../connectors/connector.js';

/** The name of the region that `ATS_SIMULATORS` adds. */
const SIMULATOR = 'simulator';

/** A partner's client at a vendor. */
export interface OAuthClient {
  id: string;
  secret: string;
}

/** The OAuth clients of this installation, and the regions of vendors as it calls them. */
@Injectable()
export class OAuthClients {
  constructor(private readonly config: Config) {}

  /** Returns the client at a provider, or null if the operator has set none. */
  of(provider: string): OAuthClient | null {
    return this.config.ats.clients.find((client) => client.provider === provider) ?? null;
  }

  /** Returns the region where new connections by OAuth are made: the simulator's, where there is one. */
  usualRegion({ provider, regions }: Connector): string {
    return this.config.ats.simulators[provider] === undefined ? Object.keys(regions)[0]! : SIMULATOR;
  }

  /** Returns the names of a connector's regions here, the usual one first. */
  regionNames(connector: Connector): string[] {
    return [...new Set([this.usualRegion(connector), ...Object.keys(connector.regions)])];
  }

  /**
   * Returns the name of the region of an account, as the answer of the ATS tells it; null: there is no such region. The
   * answer comes through a browser, and the client's secret goes to the token address: only origins of the list count.
   *
   * @param tokenOrigin null: the answer names none, and the region is the usual one
   */
  answeredRegion(connector: Connector, tokenOrigin: string | null): string | null {
    if (tokenOrigin === null) return this.usualRegion(connector);
    const origin = tokenOrigin.replace(/\/$/, '');
    const found = this.regionNames(connector).find((name) => {
      const token = this.region(connector, name)?.token;
      return token !== undefined && new URL(token).origin === origin;
    });
    return found ?? null;
  }

  /** Returns a region, or undefined if the connector has no such one. */
  region({ provider, regions }: Connector, name: string): Region | undefined {
    if (name !== SIMULATOR) return regions[name];
    const origin = this.config.ats.simulators[provider];
    const usual = Object.values(regions)[0];
    return origin === undefined || usual === undefined ? undefined : moved(usual, origin);
  }
}

/** Returns a region at another origin, with the same paths. */
function moved(region: Region, origin: string): Region {
  const at = (text: string): string => {
    const { pathname } = new URL(text);
    return origin + (pathname === '/' ? '' : pathname);
  };
  return {
    ...region,
    api: at(region.api),
    ...(region.authorize === undefined ? {} : { authorize: at(region.authorize) }),
    ...(region.token === undefined ? {} : { token: at(region.token) }),
  };
}
