import ipaddr from 'ipaddr.js';

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
