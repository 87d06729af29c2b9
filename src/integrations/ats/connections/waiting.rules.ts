import type { EntryState } from '../../../engine/work/work-entries.repository.js';
import type { AtsConnection } from './connection.js';

/** Why an event or a pass waits, as codes. */
export const WAITING_REASONS = [
  'connection_paused',
  'disconnected',
  'reconnect_needed',
  'ats_away',
  'under_way',
  'queued',
] as const;

/** Why an event or a pass waits, as a code. */
export type WaitingReason = (typeof WAITING_REASONS)[number];

/** Returns why the events, or the pass, of a connection wait. */
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
