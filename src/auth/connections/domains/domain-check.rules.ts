const PREFIX = 'talent-bridge-verification=';
const HOST = '_talent-bridge';
const MAX_NAME = 253;
/** How long a domain without its record stays verified. */
const GRACE_DAYS = 7;
/** The interval of checks. */
export const RECHECK_HOURS = 24;
/** The interval after a check that no name server could answer. */
export const RETRY_HOURS = 1;

/** What the name servers say about one name. */
export type TxtFinding = { kind: 'found'; texts: string[] } | { kind: 'absent' } | { kind: 'unknown'; why: string };

/** Whether the record of a domain is there. `unknown`: nothing changes. */
export type DomainProof =
  { kind: 'proved' } | { kind: 'missing'; detail: string } | { kind: 'unknown'; detail: string };

/** The record by which a tenant proves a domain. */
export interface DnsRecord {
  type: 'TXT';
  name: string;
  value: string;
}

/** Returns the TXT record that proves a domain. */
export function dnsRecord(domain: string, challenge: string): DnsRecord {
  return { type: 'TXT', name: `${HOST}.${domain}`, value: `${PREFIX}${challenge}` };
}

/** Returns the names to look up: beside the domain, and the domain itself for tenants who can write only there. */
export function namesToAsk(domain: string): string[] {
  return [`${HOST}.${domain}`, domain].filter((name) => name.length <= MAX_NAME);
}

/** Combines the findings of these names. The value is compared letter by letter. */
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

/** The verification columns of a domain. */
export interface DomainStanding {
  verified_by: 'dns' | 'operator' | null;
  lost_at: Date | null;
}

/** The state of a domain in the list of a tenant. */
export type DomainState = 'pending' | 'verified' | 'lost';

/** Returns the state of a domain. `lost`: it was verified, and its record is gone. */
export function domainStateOf({ verified_by, lost_at }: DomainStanding): DomainState {
  if (lost_at !== null) return 'lost';
  return verified_by === null ? 'pending' : 'verified';
}

/** What a check means for a domain that was verified by its record. */
export type CheckOutcome =
  | { kind: 'kept' } // it is there
  | { kind: 'restored' } // it is there again
  | { kind: 'lost'; problem: string } // gone since now
  | { kind: 'still_lost'; problem: string } // gone, and within its days of grace
  | { kind: 'released'; problem: string } // gone too long: the tenant loses the domain
  | { kind: 'unknown' };

/** Returns what a look-up of the TXT record makes of a domain. */
export function checkOutcome(standing: DomainStanding, proof: DomainProof, now: Date): CheckOutcome {
  if (proof.kind === 'unknown') return { kind: 'unknown' };
  if (proof.kind === 'proved') return { kind: standing.lost_at === null ? 'kept' : 'restored' };
  if (standing.lost_at === null) return { kind: 'lost', problem: proof.detail };
  const days = (now.getTime() - standing.lost_at.getTime()) / 86_400_000;
  return { kind: days >= GRACE_DAYS ? 'released' : 'still_lost', problem: proof.detail };
}
