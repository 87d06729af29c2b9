import type { HeldReason } from '../../tenancy/identity/person.js';
import type { StatusBody } from '../status/status.dto.js';

export const ATTENTION_SEVERITIES = ['critical', 'warning'] as const;

export const ATTENTION_KINDS = [
  'platform',
  'webhook',
  'ats_connection',
  'interview_engine',
  'directory',
  'held',
  'changes',
  'credential',
  'connection',
  'domain',
  'seats',
  'storage',
  'drift',
  'tenant',
] as const;

export interface AttentionLine {
  severity: (typeof ATTENTION_SEVERITIES)[number];
  /** Stable; the name of the event of the state, if any. */
  code: string;
  kind: (typeof ATTENTION_KINDS)[number];
  /** The record; null when the tenant has only one of the kind, or several records are meant. */
  id: string | null;
  words: string;
  /** The beginning, or a future moment; null when not recorded. */
  since: Date | null;
  /** When the service tries again without an act, or null. */
  next_try_at: Date | null;
  act: string;
}

export interface DestinationFact {
  channel: string;
  id: string;
  name: string | null;
  state: 'ok' | 'open' | 'paused';
  reason: string | null;
  since: string;
  next: string | null;
  failing_since: string | null;
}

/** The facts of the rooms about the states of a tenant. Times are texts of the database. */
export interface AttentionFacts {
  destinations: readonly DestinationFact[];
  ats: readonly {
    id: string;
    name: string;
    state: string;
    reason: string | null;
    since: string;
    next: string | null;
  }[];
  held: readonly {
    reason: HeldReason;
    directory_id: string | null;
    directory: string | null;
    n: number;
    since: string;
  }[];
  refused: readonly { id: string; name: string; at: string; reason: string }[];
  refused_token: { at: string; reason: string; prefix: string; address: string | null } | null;
  refused_keys: readonly { id: string; name: string; at: string; address: string | null }[];
  quiet: readonly { id: string; name: string; since: string }[];
  metadata: readonly { id: string; name: string; problem: string; since: string | null }[];
  domains: readonly { domain: string; problem: string | null; since: string }[];
  storage: { state: string } | null;
  drift: { id: string; at: string; differences: number } | null;
}

export type Now = Pick<StatusBody, 'destination' | 'parked' | 'interview_engine'> & {
  seats: { used: number; limit: number | null; waiting: number };
  expiries: readonly { kind: string; id: string; name: string; expires_at: Date }[];
};
export type Line = Omit<AttentionLine, 'next_try_at' | 'id' | 'since'> &
  Partial<Pick<AttentionLine, 'next_try_at' | 'id' | 'since'>>;

export function users(n: number): string {
  return n === 1 ? '1 user' : `${n} users`;
}

export function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
