import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { getPublicSuffix } from 'tldts';

// Domains in which any person can get an address.
const PUBLIC_MAIL = new Set(
  `gmail.com googlemail.com icloud.com me.com mac.com aol.com aim.com proton.me protonmail.com protonmail.ch pm.me
  msn.com passport.com web.de mail.ru inbox.ru list.ru bk.ru internet.ru rambler.ru ya.ru qq.com foxmail.com 163.com
  126.com yeah.net sina.com sina.cn sohu.com aliyun.com naver.com hanmail.net daum.net kakao.com nate.com zoho.com
  zohomail.com fastmail.com fastmail.fm tutanota.com tutanota.de tuta.io tuta.com tutamail.com keemail.me mail.com
  email.com usa.com t-online.de freenet.de arcor.de posteo.de posteo.net mailbox.org orange.fr wanadoo.fr free.fr
  laposte.net sfr.fr neuf.fr libero.it virgilio.it tiscali.it alice.it tin.it uol.com.br bol.com.br terra.com.br
  ig.com.br rediffmail.com hey.com hushmail.com duck.com mailinator.com guerrillamail.com yopmail.com btinternet.com
  sky.com virginmedia.com ntlworld.com talktalk.net comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net
  charter.net earthlink.net rocketmail.com ymail.com wp.pl o2.pl onet.pl interia.pl seznam.cz centrum.cz abv.bg ukr.net
  i.ua bigpond.com optusnet.com.au xtra.co.nz telenet.be skynet.be ziggo.nl kpnmail.nl bluewin.ch hispeed.ch docomo.ne.jp
  ezweb.ne.jp softbank.ne.jp nifty.com shaw.ca rogers.com sympatico.ca privaterelay.appleid.com`.split(/\s+/),
);
// Such domains that exist in many countries.
const PUBLIC_FAMILIES = new Set(['outlook', 'hotmail', 'live', 'yahoo', 'gmx', 'yandex', 'windowslive']);
const COUNTRY = /^(?:(?:co|com|net|ne|org)\.)?[a-z]{2,}$/;

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_DOMAIN = 253; // RFC 1035 §2.3.4, as text

/**
 * Normalises a domain for storage and comparison: ASCII (RFC 5891), lower case, no dot at the end.
 *
 * @returns null for fewer than two labels, for IP addresses, and for texts that only a mapping would make a domain (full-width
 *   letters, invisible characters): a look-alike must not become the domain
 */
export function normalDomain(text: string): string | null {
  // The Unicode form is never longer than the ASCII form; mapping it takes more than linear time.
  if (text.length > MAX_DOMAIN + 1) return null;
  const lower = text.toLowerCase().replace(/\.$/, '');
  // Node reads the text as the host of a URL, and would cut or decode at these characters.
  if (lower === '' || /[\s/\\?#@:%[\]<>^|]/u.test(lower)) return null;
  const ascii = domainToASCII(lower);
  if (ascii !== lower && domainToUnicode(ascii) !== lower) return null;
  const labels = ascii.split('.');
  if (ascii.length > MAX_DOMAIN || labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  // Some readers take a name that ends in a number for an IPv4 address (URL standard, "ends in a number").
  return /^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!) ? null : ascii;
}

/**
 * Returns the normalised domain of an e-mail address: the text after the last `@`. A subdomain is a domain of its own.
 *
 * @returns null when there is no plausible domain
 */
export function domainOf(email: string): string | null {
  const at = email.lastIndexOf('@');
  return at < 1 ? null : normalDomain(email.slice(at + 1));
}

/** Returns why a tenant cannot claim a domain; null when it can. */
export function domainProblem(text: string): string | null {
  const bare = text.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return 'must be a domain, not an IP address';
  if (text.includes('*')) return 'must be one domain; a wildcard cannot be verified';
  const domain = normalDomain(text);
  if (domain === null) return 'must be a domain such as example.com';
  if (isPublicSuffix(domain)) return 'is a public suffix, under which anyone can register a name';
  return isPublicMail(domain) ? 'is a public mail domain, which belongs to no single company' : null;
}

function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}

function isPublicMail(domain: string): boolean {
  const dot = domain.indexOf('.');
  return PUBLIC_MAIL.has(domain) || (PUBLIC_FAMILIES.has(domain.slice(0, dot)) && COUNTRY.test(domain.slice(dot + 1)));
}

const PREFIX = 'talent-bridge-verification=';
const HOST = '_talent-bridge';
const MAX_NAME = 253;
const GRACE_DAYS = 7;
export const RECHECK_HOURS = 24;
/** The interval after a check that no name server could answer. */
export const RETRY_HOURS = 1;

export type TxtFinding = { kind: 'found'; texts: string[] } | { kind: 'absent' } | { kind: 'unknown'; why: string };

/** `unknown` changes nothing. */
export type DomainProof =
  { kind: 'proved' } | { kind: 'missing'; detail: string } | { kind: 'unknown'; detail: string };

interface DnsRecord {
  type: 'TXT';
  name: string;
  value: string;
}

export function dnsRecord(domain: string, challenge: string): DnsRecord {
  return { type: 'TXT', name: `${HOST}.${domain}`, value: `${PREFIX}${challenge}` };
}

/** Returns the names to look up: beside the domain, and the domain itself for tenants who can write only there. */
export function namesToAsk(domain: string): string[] {
  return [`${HOST}.${domain}`, domain].filter((name) => name.length <= MAX_NAME);
}

/** Compares the value letter by letter. */
export function proofOf(domain: string, challenge: string, findings: readonly TxtFinding[]): DomainProof {
  const record = dnsRecord(domain, challenge);
  const texts = findings.flatMap((finding) => (finding.kind === 'found' ? finding.texts : []));
  if (texts.includes(record.value)) return { kind: 'proved' };
  const silent = findings.find((finding) => finding.kind === 'unknown');
  if (silent !== undefined) {
    return { kind: 'unknown', detail: `The name servers gave no answer (${silent.why}); try again later.` };
  }
  const others = texts.filter((text) => text.startsWith(PREFIX)).length;
  const found =
    others > 0
      ? 'a verification record with another value was found; values of other tenants and of earlier claims do not count'
      : texts.length > 0
        ? `${texts.length} TXT record(s) were found, and none has the expected value`
        : 'no TXT record was found';
  return { kind: 'missing', detail: `At ${namesToAsk(domain).join(' and ')}, ${found}. Expected: ${record.value}` };
}

interface DomainStanding {
  verified_by: 'dns' | 'operator' | null;
  lost_at: Date | null;
}

export type DomainState = 'pending' | 'verified' | 'lost';

/** Returns the state of a domain. `lost`: it was verified, and its record is gone. */
export function domainStateOf({ verified_by, lost_at }: DomainStanding): DomainState {
  if (lost_at !== null) return 'lost';
  return verified_by === null ? 'pending' : 'verified';
}

export type CheckOutcome =
  | { kind: 'kept' }
  | { kind: 'restored' }
  | { kind: 'lost'; problem: string }
  | { kind: 'still_lost'; problem: string } // within its days of grace
  | { kind: 'released'; problem: string } // too long: the tenant loses the domain
  | { kind: 'unknown' };

export function checkOutcome(standing: DomainStanding, proof: DomainProof, now: Date): CheckOutcome {
  if (proof.kind === 'unknown') return { kind: 'unknown' };
  if (proof.kind === 'proved') return { kind: standing.lost_at === null ? 'kept' : 'restored' };
  if (standing.lost_at === null) return { kind: 'lost', problem: proof.detail };
  const days = (now.getTime() - standing.lost_at.getTime()) / 86_400_000;
  return { kind: days >= GRACE_DAYS ? 'released' : 'still_lost', problem: proof.detail };
}
