import { asksFirst, isKnown, type Call } from '../engine/delivery/outcome.js';
import type { Person } from '../tenancy/identity/person.js';
import { createBody, lacksEmail, updateBody } from './platform-user.mapping.js';

/** What has to be sent for a call. */
export type CallStep =
  /** The platform has it, or never needs it. */
  | { kind: 'nothing' }
  /** Ask the platform what it has, before anything is written. */
  | { kind: 'look' }
  | { kind: 'create'; body: string }
  | { kind: 'update'; id: string; body: string }
  /** An update that gives an account stand-in names for a moment. */
  | { kind: 'aside'; id: string; body: string }
  | { kind: 'deactivate'; id: string; body: string }
  | { kind: 'delete'; id: string };

/** The steps that change something on the platform. */
export type Write = Exclude<CallStep, { kind: 'nothing' | 'look' }>;

/** Returns the user of a call. */
export function personOf(call: Call): Person {
  return JSON.parse(call.person) as Person;
}

/**
 * Returns what has to be sent. It depends on the call alone: the same call gives the same bytes, today and after an
 * update of this service.
 */
export function callStepOf(call: Call): CallStep {
  if (isKnown(call)) return { kind: 'nothing' };
  if (asksFirst(call.lookup) && !leavesAnyhow(call)) return { kind: 'look' };
  const { platform_id: id } = call;
  if (call.state === 'active') {
    // An account is not created without an e-mail: the change that brings one creates it.
    if (id === null && lacksEmail(call.person)) return { kind: 'nothing' };
    if (id === null) return { kind: 'create', body: createBody(call.person) };
    if (call.lookup?.why === 'aside') return { kind: 'aside', id, body: JSON.stringify(call.lookup.standIn) };
    return { kind: 'update', id, body: updateBody(call.person, call.confirmed !== 'active') };
  }
  // An inactive person is never created there; but one who was created without our learning the id has to be found.
  if (id === null) return { kind: call.confirmed === 'active' ? 'look' : 'nothing' };
  if (call.as === 'delete') return { kind: 'delete', id };
  // Deactivated before and deleted now, where both come to the same: it is said already.
  if (call.confirmed !== null && call.confirmed !== 'active') {
    const standIn = call.lookup?.why === 'aside' ? call.lookup.standIn : undefined;
    return standIn === undefined ? { kind: 'nothing' } : { kind: 'aside', id, body: JSON.stringify(standIn) };
  }
  return { kind: 'deactivate', id, body: '{"status":"inactive"}' };
}

/** A leaver whose account is known needs no question about a conflict of an earlier change. */
function leavesAnyhow({ lookup, state, platform_id }: Call): boolean {
  return lookup?.why === 'conflict' && state !== 'active' && platform_id !== null;
}
