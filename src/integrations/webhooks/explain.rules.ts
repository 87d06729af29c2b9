import type { WaitingLane } from '../../engine/delivery/lanes/read.js';
import type { EndpointFacts, GivenUpRow } from './endpoints.repository.js';

export const EXPLAINED = [
  'delivered',
  'waiting',
  'endpoint_off',
  'address_refused',
  'given_up',
  'filtered_out',
  'endpoint_made_later',
  'not_sent',
] as const;

export interface EventTrace {
  at: Date;
  taken: boolean;
  endpointSince: Date;
  deliveredAt: Date | undefined;
  givenUp: GivenUpRow | undefined;
  lane: WaitingLane | undefined;
  unreadable: boolean;
  endpoint: Pick<EndpointFacts, 'state' | 'state_reason' | 'state_since' | 'next_probe_at'>;
}

export interface Explained {
  outcome: (typeof EXPLAINED)[number];
  why: string;
  delivered_at: Date | null;
  given_up_at: Date | null;
  next_attempt_at: Date | null;
  failures: number | null;
}

export function explain(trace: EventTrace): Explained {
  const { deliveredAt, givenUp, lane, at, endpointSince, taken } = trace;
  if (lane === undefined && deliveredAt !== undefined) {
    return { ...said('delivered', 'The endpoint took it.'), delivered_at: deliveredAt };
  }
  if (lane !== undefined) return explainWaiting(trace, lane);
  if (givenUp !== undefined) {
    const why = `It was given up after its last try (${givenUp.reason}). Replay it when the receiver is well.`;
    return { ...said('given_up', why), given_up_at: givenUp.given_up_at };
  }
  if (at < endpointSince) return said('endpoint_made_later', 'The endpoint was made after the event. Replay it.');
  if (!taken) return said('filtered_out', 'The endpoint does not take events of this name.');
  const why =
    'Nothing is known of a try: the endpoint did not take such events then, or the attempts are older than the retention. Redeliver it.';
  return said('not_sent', why);
}

function explainWaiting({ endpoint, unreadable, deliveredAt }: EventTrace, lane: WaitingLane): Explained {
  const facts = { failures: lane.failures, delivered_at: deliveredAt ?? null };
  const { state, state_reason: reason, state_since: since, next_probe_at: probeAt } = endpoint;
  if (unreadable) {
    const why =
      'It waits: no key of the service opens the secrets of the endpoint, so nothing can be signed. Rotate its secret, or set its headers again.';
    return { ...said('endpoint_off', why), ...facts };
  }
  if (state === 'paused') {
    const refused = reason === 'address_refused';
    const why = refused
      ? 'It waits: the address of the endpoint is not one that is connected to. Change `url`, then resume.'
      : `It waits: the endpoint is off since ${since.toISOString()} (${reason}). Resume it.`;
    return { ...said(refused ? 'address_refused' : 'endpoint_off', why), ...facts };
  }
  const until =
    state === 'open' && probeAt !== null && (lane.nextAt === null || probeAt > lane.nextAt) ? probeAt : lane.nextAt;
  const why = until === null ? 'It waits for its turn.' : `It waits until ${until.toISOString()}.`;
  return { ...said('waiting', why), ...facts, next_attempt_at: until };
}

function said(outcome: Explained['outcome'], why: string): Explained {
  return { outcome, why, delivered_at: null, given_up_at: null, next_attempt_at: null, failures: null };
}
