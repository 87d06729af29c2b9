import { asksFirst, isKnown, type Call } from '../delivery/call.js';
import type { Person } from '../identity/person.js';
import { createBody, updateBody } from './platform-user.mapping.js';

/** What a call comes down to. */
export type Step =
  /** The platform has it, or never had to. */
  | { kind: 'nothing' }
  /** Ask the platform what it has, before anything is written. */
  | { kind: 'look' }
  | { kind: 'create'; body: string }
  | { kind: 'update'; id: string; body: string }
  | { kind: 'deactivate'; id: string; body: string }
  | { kind: 'delete'; id: string };

/** The steps that change something there. */
export type Write = Exclude<Step, { kind: 'nothing' | 'look' }>;

/** The person of a call. */
export function personOf(call: Call): Person {
  return JSON.parse(call.person) as Person;
}

/**
 * What has to be said. A pure function of the call: the same call gives the same bytes, today and after an update of
 * this service. In: the call. Out: the step.
 */
export function stepOf(call: Call): Step {
  if (isKnown(call)) return { kind: 'nothing' };
  if (asksFirst(call.lookup) && !leavesAnyhow(call)) return { kind: 'look' };
  const { platform_id: id } = call;
  if (call.state === 'active') {
    if (id === null) return { kind: 'create', body: createBody(call.person) };
    return { kind: 'update', id, body: updateBody(call.person, call.confirmed !== 'active') };
  }
  // An inactive person is never created there; but one who was created without our learning the id has to be found.
  if (id === null) return { kind: call.confirmed === 'active' ? 'look' : 'nothing' };
  if (call.as === 'delete') return { kind: 'delete', id };
  // Deactivated before and deleted now, where both come to the same: it is said already.
  if (call.confirmed !== null && call.confirmed !== 'active') return { kind: 'nothing' };
  return { kind: 'deactivate', id, body: '{"status":"inactive"}' };
}

/** Who stood in the way of an earlier change does not matter to whoever leaves an account that we know. */
function leavesAnyhow({ lookup, state, platform_id }: Call): boolean {
  return lookup?.why === 'conflict' && state !== 'active' && platform_id !== null;
}
