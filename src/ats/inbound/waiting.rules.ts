import type { AtsConnection } from '../connections/connection.js';

/** What is known of the events of a connection while they wait. */
export interface InboxState {
  failures: number;
  /** Nothing is applied before; null: at once. */
  notBefore: Date | null;
  /** A worker applies events until then, and renews it while it lives; null: none does. */
  leaseUntil: Date | null;
}

/** Why an event waits, as a code. */
export type WaitingReason =
  'connection_paused' | 'disconnected' | 'reconnect_needed' | 'ats_away' | 'under_way' | 'queued';

/** Returns why the events of a connection wait. */
export function waitingReason(
  { paused, state }: Pick<AtsConnection, 'paused' | 'state'>,
  inbox: InboxState | undefined,
  now: Date,
): WaitingReason {
  if (paused) return 'connection_paused';
  if (state === 'disconnected') return 'disconnected';
  if (inbox !== undefined && inbox.notBefore !== null && inbox.notBefore > now) {
    return state === 'reconnect_needed' ? 'reconnect_needed' : 'ats_away';
  }
  return inbox !== undefined && inbox.leaseUntil !== null && inbox.leaseUntil > now ? 'under_way' : 'queued';
}
