import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { MAX_URL, urlOf } from './url.js';

/** Ports that a tenant may use for a public address: the usual ones of https. */
const PORTS = new Set(['', '443', '4443', '8443', '9443', '10443']);

/** The hint for a tenant with a private address, or plain http. */
export const PRIVATE_HINT =
  'for trials the operator can allow private addresses and plain http with ALLOW_PRIVATE_DESTINATIONS=true';

/** Returns whether an IP address, in any spelling, belongs to the public Internet. False for other texts. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  if (ip.range() !== 'unicast') return false;
  if (ip.kind() === 'ipv4') return true;
  // ::a.b.c.d is an old form of an IPv4 address; 0000::/8 contains no public address.
  return (ip as ipaddr.IPv6).parts[0] !== 0;
}

/**
 * Returns why a tenant may not use this address, or null. Only the text is checked here; the IP address of a name is
 * checked when connecting.
 */
export function refusalOfUrl(text: string): string | null {
  if (text.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
  const url = urlOf(text);
  if (url === null) return 'must be a complete address such as https://platform.example.com';
  if (url.protocol !== 'https:') return `must begin with https:// (${PRIVATE_HINT})`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (!PORTS.has(url.port)) return `must use one of the ports ${[...PORTS].filter(Boolean).join(', ')}`;
  const host = bare(url.hostname);
  if (isIP(host) !== 0 ? !isPublicAddress(host) : /(^|\.)localhost\.?$/i.test(host)) {
    return `must be a public address (${PRIVATE_HINT})`;
  }
  return null;
}

/** Returns the host of an address without the brackets of IPv6. */
export function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
