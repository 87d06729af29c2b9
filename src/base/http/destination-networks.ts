import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { MAX_URL, urlOf } from '../url.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/**
 * The services of clouds that give credentials to every client: AWS, Google Cloud and Azure (link-local), AWS by IPv6, Google
 * Cloud by IPv6, Alibaba Cloud, Oracle Cloud, and Azure's wire server, whose address is public.
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

  constructor(list: readonly string[] = []) {
    this.networks = networksOf(list);
  }

  get isEmpty(): boolean {
    return this.networks.length === 0;
  }

  has(address: string): boolean {
    return ipaddr.isValid(address) && isIn(ipaddr.process(address), this.networks);
  }
}

export function isMetadataAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  if (isIn(ip, METADATA)) return true;
  const inner = ip.kind() === 'ipv6' ? embedded(ip as ipaddr.IPv6) : null;
  return inner !== null && isIn(inner, METADATA);
}

function isMetadataName(host: string): boolean {
  return METADATA_NAMES.has(host.toLowerCase());
}

/** Returns the IPv4 address in an IPv6 address: compatible, NAT64 (RFC 6052), 6to4 (RFC 3056). */
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

/** The admission of the operator for destinations of tenants beside public addresses. */
export interface Admission {
  /** Private addresses and plain http: for development and trials. */
  readonly anyPrivate: boolean;
  /** Networks with private addresses, and plain http there. */
  readonly networks: DestinationNetworks;
}

const PUBLIC_ONLY: Admission = { anyPrivate: false, networks: new DestinationNetworks() };

interface PortRule {
  readonly words: string;
  readonly admits: (port: number) => boolean;
}

const PORTS = [443, 4443, 8443, 9443, 10443];

const PORT_RULES = {
  /** Platforms, IdPs and ATS: the usual ports of https. */
  platform: { words: `must use one of the ports ${PORTS.slice(1).join(', ')}`, admits: (port) => PORTS.includes(port) },
  webhook: { words: 'must use port 443, or one from 1024', admits: (port) => port === 443 || port >= 1024 },
} as const satisfies Record<string, PortRule>;

type DestinationKind = keyof typeof PORT_RULES;

export const PRIVATE_HINT =
  'for trials the operator can allow private addresses and plain http with ALLOW_PRIVATE_DESTINATIONS=true';

/** Whether an IP address, in any spelling, belongs to the public Internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || isMetadataAddress(address)) return false;
  const ip = ipaddr.process(address);
  if (ip.range() !== 'unicast') return false;
  if (ip.kind() === 'ipv4') return true;
  // Of IPv6 the global unicast addresses alone are assigned: 2000::/3 (RFC 4291 §2.4, IANA registry).
  return (ip as ipaddr.IPv6).parts[0]! >> 13 === 1;
}

/** Whether this service connects to an IP address for a tenant. Metadata services of clouds are never admitted. */
export function mayConnect(address: string, secure: boolean, { anyPrivate, networks }: Admission): boolean {
  if (isMetadataAddress(address)) return false;
  return anyPrivate || networks.has(address) || (secure && isPublicAddress(address));
}

/** Returns why a tenant may not use this address, or null. The IP address of a name is checked when connecting. */
export function refusalOfUrl(
  text: string,
  kind: DestinationKind = 'platform',
  admission: Admission = PUBLIC_ONLY,
): string | null {
  if (text.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
  const url = urlOf(text);
  if (url === null) return 'must be a complete address such as https://platform.example.com';
  const secure = url.protocol === 'https:';
  const mayBePlain = admission.anyPrivate || !admission.networks.isEmpty;
  if (!secure && !(mayBePlain && url.protocol === 'http:')) return `must begin with https:// (${PRIVATE_HINT})`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  const { words, admits } = PORT_RULES[kind];
  // The usual port of http goes with plain http.
  if (url.port !== '' && !admits(Number(url.port))) return words;
  return refusalOfHost(bare(url.hostname), secure, admission);
}

function refusalOfHost(hostname: string, secure: boolean, admission: Admission): string | null {
  const refusal = `must be a public address (${PRIVATE_HINT})`;
  if (isIP(hostname) !== 0) return mayConnect(hostname, secure, admission) ? null : refusal;
  const host = hostname.replace(/\.$/, '');
  if (isMetadataName(host)) return 'must not be a metadata service';
  // Where networks are admitted, the addresses of the name decide.
  if (admission.anyPrivate || !admission.networks.isEmpty) return null;
  return /(^|\.)(localhost|internal)$/i.test(host) ? refusal : null;
}

/** Without the brackets of IPv6. */
export function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
