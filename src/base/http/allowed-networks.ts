import ipaddr from 'ipaddr.js';
import { BlockList, isIP } from 'node:net';

/** Returns an address in its usual form: IPv4 also for an IPv4-mapped one (`::ffff:192.0.2.1`); null for none. */
export function plainAddress(address: string | undefined): string | null {
  return address !== undefined && ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}

/** Returns the unit that counts as one address: of IPv6 the /64, which a network gives to one customer. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address.slice(0, 64);
  const ip = ipaddr.process(address);
  return ip.kind() === 'ipv4' ? ip.toString() : (ip as ipaddr.IPv6).parts.slice(0, 4).join(':');
}

/** Returns why a text names no network, or null. A single address is a network of one. */
export function networkProblem(text: unknown): string | null {
  if (typeof text !== 'string') return 'must be a text';
  const [address = '', bits, ...rest] = text.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (most < 0 || !isNetwork || rest.length > 0 || address.includes('%')) {
    return 'must be an IP address or a network such as 192.0.2.0/24';
  }
  // An address that came through an IPv6 socket counts as IPv4.
  return ipaddr.process(address).kind() === 'ipv4' && most === 128 ? 'must be written as IPv4' : null;
}

/** Returns whether a network holds all addresses of its kind. */
export function isEverywhere(network: string): boolean {
  return network.endsWith('/0');
}

const MOST_KNOWN = 1_000;

/** Networks that requests may come from. */
export class AllowedNetworks {
  private readonly list = new BlockList();
  /** The answers for recent addresses: an IdP has few, and a search of 100 networks takes a tenth of a request. */
  private readonly known = new Map<string, boolean>();

  /** @param networks IP addresses and networks (CIDR); empty: every address is admitted */
  constructor(readonly networks: readonly string[]) {
    for (const network of networks) {
      const [address, bits] = rangeOf(network);
      this.list.addSubnet(address.toString(), bits, address.kind());
    }
  }

  /** Returns whether an address is in one of the networks; an unknown address is in none. */
  admits(address: string | undefined): boolean {
    if (this.networks.length === 0) return true;
    if (address === undefined) return false;
    let isAdmitted = this.known.get(address);
    if (isAdmitted === undefined) {
      isAdmitted = this.has(address);
      if (this.known.size >= MOST_KNOWN) this.known.clear();
      this.known.set(address, isAdmitted);
    }
    return isAdmitted;
  }

  /** Returns whether every address of a network is admitted, by one of the networks alone. */
  covers(network: string): boolean {
    const [address, bits] = rangeOf(network);
    return (
      this.networks.length === 0 ||
      this.networks.map(rangeOf).some(([own, most]) => {
        return own.kind() === address.kind() && bits >= most && address.match(own, most);
      })
    );
  }

  private has(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    // An IPv4 address that came through an IPv6 socket is an IPv4 address.
    const plain = ipaddr.process(address);
    return this.list.check(plain.toString(), plain.kind());
  }
}

/** A single address is a network of one. */
function rangeOf(network: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (network.includes('/')) return ipaddr.parseCIDR(network);
  const address = ipaddr.parse(network);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
