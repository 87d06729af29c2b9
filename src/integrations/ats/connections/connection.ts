import { DomainError } from '../../../base/errors/domain-error.js';
import type { EntryState } from '../../../engine/work/work-entries.repository.js';
import type { Credential } from '../api/ats-api.js';
import type { Connector } from '../connectors/connector.js';

export type AtsState = 'ok' | 'degraded' | 'reconnect_needed' | 'disconnected';

export interface Takes {
  postings: 'open' | 'all';
  /** Ids of stages in the ATS; null means any stage. */
  stages: readonly string[] | null;
  /** Only candidates that changed since (ISO 8601); null means all. */
  since: string | null;
  /** `active`: neither archived nor hired. */
  candidates: 'active' | 'all';
  /** The first import also emits `candidate.created`, marked `backfill`. */
  backfill_events: boolean;
}

export interface Writes {
  /** The ATS's user as whom the connection writes; null means the user who approved the connection. */
  as_user: string | null;
  visibility: 'private' | 'public';
  /** Where meeting links and scorecards are put; null when they are not written. */
  link_target: 'link' | 'field' | 'note' | null;
  scorecard_target: 'note' | 'field' | null;
  link_field: string | null;
  scorecard_field: string | null;
}

export interface AtsConnection {
  tenantId: string;
  id: string;
  provider: string;
  name: string;
  region: string;
  /** Replaces the address of the region's API, unless null. */
  baseUrl: string | null;
  /** The prefix of ids of the ATS in `external_id`; unique in the tenant. */
  marker: string;
  state: AtsState;
  /** Set by hand: polls, applying and writes stop. */
  paused: boolean;
  takes: Takes;
  writes: Writes;
  /** The ATS's user who approved the connection; null when unknown. */
  approvedBy: string | null;
  /** Null when there is none (only webhooks come in), or no key of the settings opens it. */
  credential: Credential | null;
  createdAt: Date;
}

/** Returns a connection before it is stored, for the calls that check it. */
export function atsConnectionDraft(
  one: Pick<AtsConnection, 'tenantId' | 'id' | 'region' | 'baseUrl' | 'takes' | 'writes' | 'credential'> & {
    connector: Pick<Connector, 'provider' | 'title' | 'marker'>;
  },
): AtsConnection {
  const { connector, ...more } = one;
  const { provider, title: name, marker } = connector;
  const now = { state: 'ok', paused: false, approvedBy: null, createdAt: new Date() } as const;
  return { ...more, provider, name, marker, ...now };
}

/** SQL: the server of an ATS connection `c`. Connections with the same name wait for the same server. */
export const SERVER = `coalesce(substring(c.base_url from '^[a-z]+://([^/]+)'), c.provider || ' ' || c.region)`;

/** Returns whether a failure ends without an act of an admin: the database is away, or others hold a row. */
export function isPassing(error: unknown): boolean {
  if (error instanceof DomainError) return error.kind === 'unavailable';
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^(08|53|57|58|40|55|ECONN|ETIME|EPIPE)/.test(code);
}

export const WAITING_REASONS = [
  'connection_paused',
  'disconnected',
  'reconnect_needed',
  'ats_away',
  'under_way',
  'queued',
] as const;

export type WaitingReason = (typeof WAITING_REASONS)[number];

export function waitingReason(
  { paused, state }: Pick<AtsConnection, 'paused' | 'state'>,
  work: EntryState | undefined,
  now: Date,
): WaitingReason {
  if (paused) return 'connection_paused';
  if (state === 'disconnected') return 'disconnected';
  if (work !== undefined && work.notBefore !== null && work.notBefore > now) {
    return state === 'reconnect_needed' ? 'reconnect_needed' : 'ats_away';
  }
  return work !== undefined && work.leaseUntil !== null && work.leaseUntil > now ? 'under_way' : 'queued';
}
