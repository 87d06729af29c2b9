import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { DestinationNetworks } from './destination-networks.js';
import { Exchange } from './exchange.js';
import { LookupFailed, NameLookups, type LookupOwner } from './name-lookups.js';
import { BlockedAddress, type OutboundAnswer, type OutboundRequest } from './outbound-call.js';
import { bare, mayConnect, type Admission } from './public-address.js';

export type { OutboundAnswer, OutboundFailure, OutboundRequest } from './outbound-call.js';

const CONNECT_MS = 5_000;
const MOST_HOSTS = 1_000;

/** Whether a connection to an IP address may be made. */
type Check = (address: string, secure: boolean) => boolean;

/**
 * Calls external servers, with a check of addresses that tenants configure, and without it for those of the operator.
 * Follows no redirect, uses no proxy, requests no compression, and never throws for a failure of the server.
 */
export class Outbound {
  private readonly open: Agent;
  private readonly lenient: Agent;
  private readonly guarded: Agent;
  /** For each host of a running call, its owner and the number of calls. */
  private readonly owners = new Map<string, { owner: LookupOwner; calls: number }>();

  private readonly hosts = new Map<string, string>();

  /** @param networks where destinations of tenants may be beside the public Internet */
  constructor(
    private readonly names = new NameLookups(),
    private readonly networks = new DestinationNetworks(),
  ) {
    this.open = this.agent(() => true);
    this.lenient = this.agent((address, secure) => mayConnect(address, secure, this.admission(true)));
    this.guarded = this.agent((address, secure) => mayConnect(address, secure, this.admission(false)));
  }

  /** Sends one request. `trusted`: the address may be private; the operator chose it, or allows private addresses. */
  async call(request: OutboundRequest, trusted: boolean): Promise<OutboundAnswer> {
    const host = this.hostOf(request.origin);
    const known = this.owners.get(host) ?? { owner: request.owner, calls: 0 };
    known.owner = request.owner;
    known.calls++;
    this.owners.set(host, known);
    try {
      const agent = this.agentOf(request.owner, trusted);
      return await new Promise((resolve) => new Exchange(request, resolve).start(agent));
    } finally {
      if (--known.calls === 0) this.owners.delete(host);
    }
  }

  /**
   * Looks a tenant's host up, and checks every address of it as a connection would.
   *
   * @returns why no connection would be made; null: it would
   */
  async refusalOf(url: URL, owner: string, trusted: boolean): Promise<'private' | 'unknown_name' | null> {
    const host = bare(url.hostname);
    const admission = this.admission(trusted);
    const secure = url.protocol === 'https:';
    try {
      const found = isIP(host) === 0 ? await this.names.lookup(host, owner) : [{ address: host }];
      return found.every(({ address }) => mayConnect(address, secure, admission)) ? null : 'private';
    } catch (error) {
      if (error instanceof LookupFailed) return 'unknown_name';
      throw error;
    }
  }

  /** What is admitted at addresses of tenants. */
  private admission(anyPrivate: boolean): Admission {
    return { anyPrivate, networks: this.networks };
  }

  /** The operator's own addresses are not checked. A tenant's never lead to a metadata service. */
  private agentOf(owner: LookupOwner, trusted: boolean): Agent {
    if (!trusted) return this.guarded;
    return owner === null ? this.open : this.lenient;
  }

  /** Cached: there are few origins and many calls. */
  private hostOf(origin: string): string {
    let host = this.hosts.get(origin);
    if (host === undefined) {
      host = bare(new URL(origin).hostname);
      if (this.hosts.size >= MOST_HOSTS) this.hosts.clear();
      this.hosts.set(origin, host);
    }
    return host;
  }

  /** Returns the look-up for connections; it returns addresses only if all of them pass the check. */
  private lookup(check: Check, secure: boolean): LookupFunction {
    return (hostname, options, callback) => {
      this.names.lookup(hostname, this.owners.get(hostname)?.owner ?? null).then(
        (addresses) => {
          if (!addresses.every(({ address }) => check(address, secure))) {
            return callback(new BlockedAddress('the name leads to an address that is not public'), []);
          }
          if (options.all) callback(null, addresses);
          else callback(null, addresses[0]!.address, addresses[0]!.family);
        },
        (error: Error) => callback(error, []),
      );
    };
  }

  private agent(check: Check): Agent {
    const connectors = {
      secure: buildConnector({ timeout: CONNECT_MS, lookup: this.lookup(check, true) }),
      plain: buildConnector({ timeout: CONNECT_MS, lookup: this.lookup(check, false) }),
    };
    return new Agent({
      // The time-outs of undici are coarse; each exchange has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      maxHeaderSize: 16 * 1024,
      connect: (options, callback) => {
        const host = bare(options.hostname);
        const secure = options.protocol === 'https:';
        // An IP literal is never looked up, so it is checked here.
        if (isIP(host) !== 0 && !check(host, secure)) callback(new BlockedAddress('not a public address'), null);
        else connectors[secure ? 'secure' : 'plain'](options, callback);
      },
    });
  }

  /** Closes all connections; open calls end as `reset`. */
  async close(): Promise<void> {
    await Promise.all([this.open.destroy(), this.lenient.destroy(), this.guarded.destroy()]);
  }
}
