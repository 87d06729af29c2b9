import { BlockList, isIP } from 'node:net';
import { ApiProperty } from '@nestjs/swagger';
import ipaddr from 'ipaddr.js';
import type { FieldError } from '../errors/domain-error.js';
import { Ruled } from './fields.js';

/** Returns an address in its usual form: an IPv4-mapped one (`::ffff:192.0.2.1`) as IPv4; null for no address. */
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

export function isEverywhere(network: string): boolean {
  return network.endsWith('/0');
}

const MOST_KNOWN = 1_000;

/** Networks that requests may come from. */
export class AllowedNetworks {
  private readonly list = new BlockList();
  /** The answers for recent addresses: an IdP has few, and a search of 100 networks takes a tenth of a request. */
  private readonly known = new Map<string, boolean>();

  /** @param networks IP addresses and networks (CIDR); an empty list admits every address */
  constructor(readonly networks: readonly string[]) {
    for (const network of networks) {
      const [address, bits] = rangeOf(network);
      this.list.addSubnet(address.toString(), bits, address.kind());
    }
  }

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

  /** Whether every address of a network is admitted, by one of the networks alone. */
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

const MAX_NETWORKS = 100;

function listProblem(value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list';
  return value.length > MAX_NETWORKS ? `must have at most ${MAX_NETWORKS} networks` : null;
}

/**
 * Declares `allow_from` in the body of a request.
 *
 * @param admitted what the networks admit, in words that follow "IP addresses and networks (CIDR) from which"
 */
export function AllowFrom(admitted: string): PropertyDecorator {
  const schema = {
    type: String,
    isArray: true,
    description:
      `IP addresses and networks (CIDR) from which ${admitted}, up to ${MAX_NETWORKS}; from others they are 403. ` +
      'Empty: from everywhere. Behind a proxy `TRUST_PROXY` must name it.',
    example: ['203.0.113.0/24'],
  };
  return Ruled(listProblem, schema, { optional: true });
}

/** The lines that the answer to a write of `allow_from` can have. */
export class NoticesBody {
  @ApiProperty({
    type: [String],
    required: false,
    description:
      'Only in the answer to a write: what the caller should know, such as that `allow_from` shuts out the caller.',
  })
  notices?: string[];
}

/**
 * Returns the problems with the networks of `allow_from`, by place.
 *
 * @param within the networks of the key that writes them, which grants no others; absent for every network
 */
export function allowFromProblems(networks: readonly unknown[], within = new AllowedNetworks([])): FieldError[] {
  if (networks.length === 0 && within.networks.length > 0) {
    return [{ field: 'allow_from', message: 'must not be empty, because the key of this request is held to networks' }];
  }
  return networks.flatMap((network, place) => {
    const problem =
      networkProblem(network) ??
      (networks.length > 1 ? besideOthers(network as string) : null) ??
      (within.covers(network as string) ? null : 'must be within the networks of the key of this request');
    return problem === null ? [] : [{ field: `allow_from[${place}]`, message: problem }];
  });
}

function besideOthers(network: string): string | null {
  return isEverywhere(network)
    ? 'admits every address, so the other networks have no effect: leave it out, or let it stand alone'
    : null;
}

/** Adds to the answer that `allow_from` shuts out the address that the request came from. */
export function withAllowFromNotice<T extends NoticesBody & { allow_from: readonly string[] }>(
  body: T,
  { ip }: { ip?: string | undefined },
): T {
  if (new AllowedNetworks(body.allow_from).admits(ip)) return body;
  const address = plainAddress(ip) ?? 'unknown';
  return { ...body, notices: [`allow_from does not admit the address of this request: ${address}.`] };
}
