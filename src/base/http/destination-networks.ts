import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/**
 * The services of clouds that hand out credentials to every client that reaches them: AWS, Google Cloud and Azure (link-local),
 * AWS by IPv6, Google Cloud by IPv6, Alibaba Cloud, Oracle Cloud, and Azure's wire server, whose address is public.
 */
const METADATA = networksOf([
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
]);

/** Names of the same services. */
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Networks in which the operator admits destinations of tenants. */
export class DestinationNetworks {
  private readonly networks: readonly Network[];

  /** @param list IP addresses, or networks as CIDR */
  constructor(list: readonly string[] = []) {
    this.networks = networksOf(list);
  }

  get isEmpty(): boolean {
    return this.networks.length === 0;
  }

  /** Returns whether an IP address is in one of the networks. */
  has(address: string): boolean {
    return ipaddr.isValid(address) && isIn(ipaddr.process(address), this.networks);
  }
}

/** Returns whether an IP address, in any spelling, is a metadata service of a cloud. */
export function isMetadataAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  if (isIn(ip, METADATA)) return true;
  const inner = ip.kind() === 'ipv6' ? embedded(ip as ipaddr.IPv6) : null;
  return inner !== null && isIn(inner, METADATA);
}

/** Returns whether a host name, without a dot at its end, is one of a metadata service. */
export function isMetadataName(host: string): boolean {
  return METADATA_NAMES.has(host.toLowerCase());
}

/** Returns the IPv4 address in an IPv6 address: compatible, NAT64 (RFC 6052), 6to4 (RFC 3056); null without one. */
function embedded(ip: ipaddr.IPv6): ipaddr.IPv4 | null {
  const { parts } = ip;
  const of = (high: number, low: number): ipaddr.IPv4 =>
    new ipaddr.IPv4([parts[high]! >> 8, parts[high]! & 255, parts[low]! >> 8, parts[low]! & 255]);
  if (parts[0] === 0x2002) return of(1, 2);
  if (parts[0] === 0x64 && parts[1] === 0xff9b) return of(6, 7);
  return parts.slice(0, 6).every((part) => part === 0) ? of(6, 7) : null;
}

function networksOf(list: readonly string[]): Network[] {
  return list.map((text) => {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

function isIn(ip: Address, networks: readonly Network[]): boolean {
  return networks.some(([base, bits]) => {
    if (ip instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && ip.match(base, bits);
    return base instanceof ipaddr.IPv6 && ip.match(base, bits);
  });
}
