import { createHash } from 'node:crypto';
import { canonicalJson } from '../../base/crypto/chain.js';
import type { ChainName } from './chain.rules.js';

/** The end of a chain at one time. */
export interface HeadFields {
  readonly tenantId: string;
  readonly chain: ChainName;
  readonly sequence: number;
  /** Seats in use there; in the audit log the number of lines. */
  readonly count: number;
  /** Hex. */
  readonly hash: string;
}

/** The head of a day. */
export interface DayFields extends HeadFields {
  /** `2026-01-31`, UTC. */
  readonly day: string;
  /** Hex hash over the signed text of the day before (`dayHash`); 64 zeros for the first day. */
  readonly previous: string;
  /** False for the day that is not over yet. */
  readonly closed: boolean;
}

/** A signature by one of the chain keys. */
export interface HeadSignature {
  readonly keyId: string;
  readonly signature: Buffer;
}

/**
 * Returns the text that is signed for the live head of a chain. It names its purpose, so that the signature is not
 * valid for a day.
 */
export function headText({ tenantId, chain, sequence, hash }: Omit<HeadFields, 'count'>): string {
  return canonicalJson({ type: 'talent-bridge.chain-head.v1', tenant_id: tenantId, chain, sequence, hash });
}

/**
 * Returns the text that is signed for the head of a day. An auditor checks the signature over exactly these bytes
 * (UTF-8).
 */
export function dayText(day: DayFields): string {
  return canonicalJson({
    type: 'talent-bridge.chain-day.v1',
    tenant_id: day.tenantId,
    chain: day.chain,
    day: day.day,
    closed: day.closed,
    sequence: day.sequence,
    count: day.count,
    hash: day.hash,
    previous: day.previous,
  });
}

/** Returns the hash of a day's head, for the head of the next day. */
export function dayHash(day: DayFields): string {
  return createHash('sha256').update(dayText(day), 'utf8').digest('hex');
}
