import ipaddr from 'ipaddr.js';

/** An address as people write it: IPv4 also where it came in the form of IPv6 (`::ffff:192.0.2.1`); null for none. */
export function plainAddress(address: string | undefined): string | null {
  return address !== undefined && ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}

/** What counts as one address: of IPv6 the /64, which is what one customer of a network has. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address.slice(0, 64);
  const ip = ipaddr.process(address);
  return ip.kind() === 'ipv4' ? ip.toString() : (ip as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
