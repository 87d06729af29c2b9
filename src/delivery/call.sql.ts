import type { Call, Lookup, TargetState } from './call.js';

/** What a lane says in its columns while it is calling, as the claim answers it. */
export interface CallColumns {
  /** The call as it was copied, if one of the columns has changed since. */
  call: string | null;
  calls: number;
  call_by: string;
  call_as: Call['as'];
  target_state: TargetState;
  target_person: string;
  same_person: boolean | null;
  first_pending: string;
  last_pending: string;
  round: number;
  epoch: number;
  platform_id: string | null;
  confirmed_state: TargetState | null;
  lookup: Lookup | null;
}

/** The columns of `CallColumns`, of a lane `l`. */
export const CALL_COLUMNS = `l.call::text as call, l.calls, l.call_by, l.call_as, l.target_state, l.target_person,
  l.confirmed_person = l.target_person as same_person, l.first_pending, l.last_pending, l.round, l.epoch, l.platform_id,
  l.confirmed_state, l.lookup`;

/**
 * The call that a lane `l` has out, for whoever is about to change what it is made of: `set call = ${CALL_OUT}`. Equal
 * to what `callOf` makes of the columns. `at` is the moment from which something newer waits.
 */
export const CALL_OUT = `case when l.calling and l.call is null then jsonb_build_object(
  'v', 1, 'n', l.calls, 'by', l.call_by, 'at', now(), 'state', l.target_state, 'person', l.target_person, 'as', l.call_as,
  'same', coalesce(l.lookup is null and l.confirmed_state = l.target_state
                   and (l.target_state <> 'active' or l.confirmed_person = l.target_person), false),
  'first', l.first_pending, 'through', l.last_pending, 'round', l.round, 'epoch', l.epoch, 'platform_id', l.platform_id,
  'confirmed', l.confirmed_state, 'lookup', l.lookup) else l.call end`;

/**
 * Whether the call that a lane `l` has out creates an account: it is of an active person who has none, and does not ask
 * first. Equal to what `stepOf` makes of the call.
 */
export const CREATE_OUT = `(l.calling and l.platform_id is null and case
  when l.call is null then l.target_state = 'active' and coalesce(l.lookup->>'why', 'found') in ('found', 'dissolved')
  else l.call->>'state' = 'active' and coalesce(l.call->'lookup'->>'why', 'found') in ('found', 'dissolved') end)`;

/**
 * Whether the person of a lane `l` may have an account by now of which we do not know the id: it is being created, or was
 * and did not say which it is, or nobody ever learned the outcome.
 */
export const ACCOUNT_UNKNOWN = `(l.platform_id is null
  and (${CREATE_OUT} or l.confirmed_state = 'active' or coalesce(l.lookup->>'why' in ('lost', 'no_id'), false)))`;

/**
 * What the platform is still known to have once the call that a lane `l` has out is given up without an answer: nothing
 * of an account that we know, since the call may have taken effect. Of one whose id was never learned, that it is there.
 */
export const STATE_WITHOUT_ANSWER = `case when l.calling and l.platform_id is not null then null else l.confirmed_state end`;

/** The call that a leased lane has to make. */
export function callOf(row: CallColumns): Call {
  if (row.call !== null) return JSON.parse(row.call) as Call;
  const { target_state: state, confirmed_state: confirmed, lookup } = row;
  return {
    v: 1,
    n: row.calls,
    by: row.call_by,
    state,
    person: row.target_person,
    as: row.call_as,
    same: lookup === null && confirmed === state && (state !== 'active' || row.same_person === true),
    first: Number(row.first_pending),
    through: Number(row.last_pending),
    round: row.round,
    epoch: row.epoch,
    platform_id: row.platform_id,
    confirmed,
    lookup,
  };
}
